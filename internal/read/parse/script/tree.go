package script

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Node is an element of a formula in MathML, or in the mathematics of Office.
type Node struct {
	Name string // without its namespace, such as mfrac or sSup
	Text string // of a node without a name
	Val  map[string]string
	Kids []*Node
}

// MaxDepth is the maximum nesting of the elements of a formula. Readers leave deeper ones out.
const MaxDepth = 200

// Linear returns a formula as a line.
func (n *Node) Linear() string {
	return strings.Join(strings.Fields(unapplied.Replace(n.linear())), " ")
}

// unapplied replaces invisible operators: the application of a function, and
// products.
var unapplied = strings.NewReplacer("\u2061", " ", "\u2062", "", "\u2063", "", "\u2064", "")

func (n *Node) linear() string {
	if n == nil {
		return ""
	}
	if n.Name == "" {
		return n.Text
	}
	if s, ok := n.office(); ok {
		return s
	}
	if s, ok := n.mathML(); ok {
		return s
	}
	return n.all()
}

// office returns an element of the mathematics of Office that is more than its
// children.
func (n *Node) office() (string, bool) {
	e := n.kid("e").all()
	switch n.Name {
	case "f":
		if kind, _ := n.property("type"); kind == "noBar" {
			return n.kid("num").all() + " over " + n.kid("den").all(), true
		}
		return Fraction(n.kid("num").all(), n.kid("den").all()), true
	case "sSup", "sSub", "sSubSup":
		return Scripts(e, n.kid("sub").all(), n.kid("sup").all()), true
	case "sPre":
		return strings.TrimSpace(Scripts("", n.kid("sub").all(), n.kid("sup").all()) + " " + e), true
	case "rad":
		return Root(n.kid("deg").all(), e), true
	case "nary":
		return Large(n.sign("chr", "∫"), n.kid("sub").all(), n.kid("sup").all(), e), true
	case "func":
		return Function(n.kid("fName").all(), e), true
	case "limLow":
		return Scripts(e, n.kid("lim").all(), ""), true
	case "limUpp":
		return Scripts(e, "", n.kid("lim").all()), true
	case "bar":
		if at, _ := n.property("pos"); at != "top" {
			return Accent('_', e), true
		}
		return Accent('¯', e), true
	case "acc":
		return Accent([]rune(n.sign("chr", "^"))[0], e), true
	case "groupChr":
		return e, true
	}
	return n.officeLists(e)
}

// officeLists returns an element of Office that holds several of a kind.
func (n *Node) officeLists(e string) (string, bool) {
	switch n.Name {
	case "d":
		var parts []string
		for _, kid := range n.Kids {
			if kid.Name == "e" {
				parts = append(parts, kid.all())
			}
		}
		return n.sign("begChr", "(") + strings.Join(parts, n.sign("sepChr", "|")) + n.sign("endChr", ")"), true
	case "m":
		return n.table("mr", "e"), true
	case "eqArr":
		var lines []string
		for _, kid := range n.Kids {
			if kid.Name == "e" {
				lines = append(lines, kid.all())
			}
		}
		return strings.Join(lines, "; "), true
	case "phant":
		if show, ok := n.property("show"); ok && (show == "0" || show == "off") {
			return "", true
		}
		return e, true
	}
	return "", strings.HasSuffix(n.Name, "Pr") && n.Name != "Pr"
}

// sign returns a character of the properties, which may be empty, or the usual one.
func (n *Node) sign(name, usual string) string {
	if val, ok := n.property(name); ok && (val != "" || name != "chr") {
		return val
	}
	return usual
}

// table returns rows of cells.
func (n *Node) table(row, cell string) string {
	var rows [][]string
	for _, r := range n.Kids {
		if r.Name != row {
			continue
		}
		var cells []string
		for _, c := range r.Kids {
			if c.Name == cell {
				cells = append(cells, strings.TrimSpace(c.all()))
			}
		}
		rows = append(rows, cells)
	}
	return Matrix(rows)
}

// mathML returns an element of MathML that is more than its children.
func (n *Node) mathML() (string, bool) {
	first, second, third := n.at(0).linear, n.at(1).linear, n.at(2).linear
	switch n.Name {
	case "mfrac":
		return Fraction(first(), second()), true
	case "msup":
		return Scripts(first(), "", second()), true
	case "msub":
		return Scripts(first(), second(), ""), true
	case "msubsup":
		return Scripts(first(), second(), third()), true
	case "munder":
		return n.under(first(), second(), ""), true
	case "mover":
		return n.under(first(), "", second()), true
	case "munderover":
		return n.under(first(), second(), third()), true
	case "msqrt":
		return Root("", n.all()), true
	case "mroot":
		return Root(second(), first()), true
	case "mfenced":
		return n.fenced(), true
	case "mtable":
		return n.table("mtr", "mtd"), true
	}
	return n.tokens()
}

// tokens returns an element of MathML without others in it.
func (n *Node) tokens() (string, bool) {
	switch n.Name {
	case "semantics":
		return n.at(0).linear(), true
	case "annotation", "annotation-xml", "mphantom", "none", "mprescripts":
		return "", true
	case "mspace":
		return " ", true
	case "mtext", "mi", "mn":
		return strings.Join(strings.Fields(n.all()), " "), true
	case "mo":
		sign := strings.TrimSpace(n.all())
		if slices.Contains(spacedSigns, sign) && n.Val["form"] != "prefix" {
			return " " + sign + " ", true
		}
		return sign, true
	}
	return "", false
}

// spacedSigns are written between spaces.
var spacedSigns = strings.Fields("+ − - = < > ≤ ≥ ≈ ≠ × · ± → ∈")

// under returns a base with something below and above it, which may be an accent.
func (n *Node) under(base, below, above string) string {
	if _, ok := accents[accentOf(above)]; ok && below == "" {
		return Accent(accentOf(above), base)
	}
	return Scripts(base, below, above)
}

func accentOf(s string) rune {
	if all := []rune(strings.TrimSpace(s)); len(all) == 1 {
		return all[0]
	}
	return 0
}

func (n *Node) fenced() string {
	sign := func(name, usual string) string {
		if val, ok := n.Val[name]; ok {
			return strings.TrimSpace(val)
		}
		return usual
	}
	var parts []string
	for _, kid := range n.elements() {
		parts = append(parts, kid.linear())
	}
	return sign("open", "(") + strings.Join(parts, sign("separators", ",")+" ") + sign("close", ")")
}

// all returns the children, one after the other.
func (n *Node) all() string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for _, kid := range n.Kids {
		s := kid.linear()
		if b.Len() > 0 && endsWord(b.String()) && startsWord(s) && slices.Contains(fusing, kid.Name) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}

// fusing lists nodes that would fuse with a word before them.
var fusing = strings.Fields("f mfrac func rad mroot msqrt nary mtext")

// elements returns the children that are elements.
func (n *Node) elements() []*Node {
	var all []*Node
	for _, kid := range n.Kids {
		if kid.Name != "" && !strings.HasSuffix(kid.Name, "Pr") {
			all = append(all, kid)
		}
	}
	return all
}

// at returns the element of a place, or an empty one.
func (n *Node) at(i int) *Node {
	if all := n.elements(); i < len(all) {
		return all[i]
	}
	return &Node{}
}

// kid returns the child of a name, or an empty node.
func (n *Node) kid(name string) *Node {
	for _, kid := range n.Kids {
		if kid.Name == name {
			return kid
		}
	}
	return &Node{}
}

// property returns a value in the properties of an Office element, and whether it
// is there.
func (n *Node) property(name string) (string, bool) {
	for _, kid := range n.Kids {
		if !strings.HasSuffix(kid.Name, "Pr") {
			continue
		}
		for _, p := range kid.Kids {
			if p.Name == name {
				val, ok := p.Val["val"]
				return val, ok
			}
		}
	}
	return "", false
}

// group puts s into parentheses unless it is one number or word, or has some.
func group(s string) string {
	s = strings.TrimSpace(s)
	if isAtom(s) {
		return s
	}
	return "(" + s + ")"
}

// isAtom reports whether s is a single number or word, possibly with powers, or is in parentheses.
func isAtom(s string) bool {
	if s == "" || enclosed(s) {
		return true
	}
	digits, letters := false, false
	for i, r := range s {
		switch {
		case unicode.IsDigit(r), r == '.' || r == ',', strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r):
			digits = true
		case unicode.IsLetter(r), unicode.IsMark(r), r == '_', r == '∞', r == '%', r == '°':
			if digits && !letters && i > 0 {
				return false // 2n
			}
			letters = true
		default:
			return false
		}
	}
	return true
}

// enclosed reports whether one pair of parentheses holds all of s.
func enclosed(s string) bool {
	if s[0] != '(' || s[len(s)-1] != ')' {
		return false
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			return false
		}
	}
	return true
}

// Fraction returns a fraction: 1/2, (a + b)/(2n).
func Fraction(above, below string) string { return group(above) + "/" + group(below) }

// Root returns a root: √x, ∛(x + 1), (x)^(1/n) for any other degree.
func Root(degree, x string) string {
	switch strings.TrimSpace(degree) {
	case "", "2":
		return "√" + group(x)
	case "3":
		return "∛" + group(x)
	case "4":
		return "∜" + group(x)
	}
	return group(x) + "^(1/" + group(degree) + ")"
}

// Scripts returns a base with an index and a power, both of which may be empty.
func Scripts(base, index, power string) string {
	base = strings.TrimSpace(base)
	if utf8.RuneCountInString(base) > 1 && (index != "" || power != "") && !isOperatorName(base) {
		base = group(base)
	}
	if strings.TrimSpace(index) != "" {
		base += Index(index)
	}
	if strings.TrimSpace(power) != "" {
		base += Power(power)
	}
	return base
}

func isOperatorName(s string) bool { return slices.Contains(functions, s) || isAtom(s) }

// Large returns a sum, product or integral with its bounds: ∑_(i=1)^n i.
func Large(sign, from, to, of string) string {
	return strings.TrimSpace(Scripts(sign, from, to) + " " + strings.TrimSpace(of))
}

// Function returns a function of an argument: sin x, sin(x + 1).
func Function(name, of string) string {
	of = strings.TrimSpace(of)
	if strings.HasPrefix(of, "(") {
		return strings.TrimSpace(name) + of
	}
	return strings.TrimSpace(strings.TrimSpace(name) + " " + of)
}

// Accent returns x below an accent: x̄, bar(x + 1).
func Accent(mark rune, x string) string {
	x = strings.TrimSpace(x)
	name, ok := accents[mark]
	switch {
	case !ok:
		return x + string(mark)
	case utf8.RuneCountInString(x) == 1:
		return x + string(name.mark)
	}
	return name.word + "(" + x + ")"
}

var accents = map[rune]struct {
	mark rune
	word string
}{
	'¯': {'\u0304', "bar"}, '‾': {'\u0304', "bar"}, '\u0304': {'\u0304', "bar"}, '\u0305': {'\u0304', "bar"}, '―': {'\u0304', "bar"}, '_': {'\u0332', "underbar"},
	'^': {'\u0302', "hat"}, '\u0302': {'\u0302', "hat"}, 'ˆ': {'\u0302', "hat"}, '~': {'\u0303', "tilde"}, '˜': {'\u0303', "tilde"}, '\u0303': {'\u0303', "tilde"},
	'→': {'\u20D7', "vec"}, '\u20D7': {'\u20D7', "vec"}, '˙': {'\u0307', "dot"}, '\u0307': {'\u0307', "dot"}, '¨': {'\u0308', "ddot"}, '\u0308': {'\u0308', "ddot"},
}

// Matrix returns rows of cells: [a, b; c, d].
func Matrix(rows [][]string) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = strings.Join(row, ", ")
	}
	return "[" + strings.Join(lines, "; ") + "]"
}

// Symbol returns the character that a code of a symbol font looks like: one from
// 0x20 to 0xFF, or its place in the private use area, from U+F020 to U+F0FF. A
// private character of an unknown font is taken for one of Symbol, or for a usual
// bullet. Symbol reports false for a font that holds ordinary characters, and for a
// picture that no character looks like.
func Symbol(font string, code rune) (rune, bool) {
	private := code >= 0xF020 && code <= 0xF0FF
	if private {
		code -= 0xF000
	}
	if code < 0x20 || code > 0xFF {
		return 0, false
	}
	name := symbolFont(font)
	r, known := rune(0), false
	switch {
	case name == "symbol":
		r, known = symbolAt(code)
	case name != "":
		r, known = pictures[name][code]
	case private:
		if r, known = bullets[code]; !known {
			r, known = symbolAt(code)
		}
	}
	return r, known
}

// IsSymbolFont reports whether the codes of a font stand for other characters.
func IsSymbolFont(font string) bool { return symbolFont(font) != "" }

// Symbols returns a text in a font with the characters that it looks like.
func Symbols(font, text string) string {
	name := symbolFont(font)
	if name == "" && !strings.Contains(text, "\xEF") { // the first bytes of all private characters in these fonts
		return text
	}
	return strings.Map(func(r rune) rune {
		if symbol, ok := Symbol(font, r); ok {
			return symbol
		}
		return r
	}, text)
}

// symbolFont returns the table of a font, or "". A subset of a font has a prefix.
func symbolFont(font string) string {
	if _, rest, ok := strings.Cut(font, "+"); ok {
		font = rest
	}
	font = strings.ToLower(strings.Trim(font, `"' `))
	font = strings.NewReplacer("-regular", "", ",regular", "", " ", "", "-", "").Replace(font)
	switch font {
	case "symbol", "symbolmt", "symbolneu":
		return "symbol"
	case "wingdings", "wingdings2", "webdings":
		return font
	}
	return ""
}

func symbolAt(code rune) (rune, bool) {
	table := []rune(symbolLow)
	switch {
	case code >= 0x20 && code < 0x7F:
		code -= 0x20
	case code >= 0xA0 && code < 0xFF:
		table = []rune(symbolHigh)
		code -= 0xA0
	default:
		return 0, false
	}
	return table[code], table[code] != '\uFFFD'
}

// The characters of the font Symbol from 0x20 to 0x7E, and from 0xA0 to 0xFE.
const (
	symbolLow  = ` !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}~`
	symbolHigh = `€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪�〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭`
)

// bullets maps the usual characters of Wingdings, in a font of any name.
var bullets = map[rune]rune{0x76: '❖', 0xA7: '▪', 0xA8: '◻', 0xD8: '➢', 0xFB: '✗', 0xFC: '✓', 0xFD: '☒', 0xFE: '☑'}

// pictures are the characters of fonts that hold pictures.
var pictures = map[string]map[rune]rune{
	"wingdings": {
		0x20: ' ', 0x22: '✂', 0x28: '☎', 0x29: '✆', 0x2A: '✉', 0x36: '⌛', 0x3E: '✇', 0x3F: '✍', 0x41: '✌', 0x45: '☜', 0x46: '☞', 0x47: '☝', 0x48: '☟', 0x4A: '☺', 0x4B: '😐', 0x4C: '☹',
		0x4F: '⚑', 0x51: '✈', 0x52: '☼', 0x54: '❄', 0x6C: '●', 0x6D: '❍', 0x6E: '■', 0x6F: '□', 0x71: '❑', 0x72: '❒', 0x73: '⬧', 0x74: '⧫', 0x75: '◆', 0x76: '❖', 0x77: '⬥',
		0x80: '⓪', 0x81: '①', 0x82: '②', 0x83: '③', 0x84: '④', 0x85: '⑤', 0x86: '⑥', 0x87: '⑦', 0x88: '⑧', 0x89: '⑨', 0x8A: '⑩',
		0x8B: '⓿', 0x8C: '❶', 0x8D: '❷', 0x8E: '❸', 0x8F: '❹', 0x90: '❺', 0x91: '❻', 0x92: '❼', 0x93: '❽', 0x94: '❾', 0x95: '❿',
		0x9E: '·', 0x9F: '•', 0xA1: '○', 0xA7: '▪', 0xA8: '◻', 0xAB: '★', 0xD8: '➢', 0xDF: '←', 0xE0: '→', 0xE1: '↑', 0xE2: '↓', 0xE7: '←', 0xE8: '→', 0xE9: '↑', 0xEA: '↓',
		0xEF: '⇦', 0xF0: '⇨', 0xF1: '⇧', 0xF2: '⇩', 0xFB: '✗', 0xFC: '✓', 0xFD: '☒', 0xFE: '☑',
	},
	"wingdings2": {0x20: ' ', 0x4F: '✗', 0x50: '✓', 0x51: '☒', 0x52: '☑', 0x53: '☒', 0x54: '☒', 0x96: '●', 0x97: '●', 0x98: '●', 0xA2: '■', 0xA3: '□', 0xA4: '□'},
	"webdings":   {0x20: ' ', 0x61: '✓', 0x63: '□', 0x67: '■', 0x6E: '●', 0x72: '✗'},
}

// A Numbering is how the numbers of a list or of pages are written.
type Numbering byte

// The types of numbering, named by the letters that HTML uses.
const (
	Decimal     Numbering = '1'
	LowerLetter Numbering = 'a'
	UpperLetter Numbering = 'A'
	LowerRoman  Numbering = 'i'
	UpperRoman  Numbering = 'I'
	Padded      Numbering = '0' // 01, 02
	Bullet      Numbering = '-'
	Unnumbered  Numbering = ' '
)

// NumberingOf returns the numbering that HTML, Word, PowerPoint or OpenDocument
// calls so; decimal for one that is not known.
func NumberingOf(name string) Numbering {
	switch name {
	case "a", "A", "i", "I":
		return Numbering(name[0])
	}
	lower := strings.ToLower(name)
	for _, n := range []struct {
		prefix string
		of     Numbering
	}{
		{"bullet", Bullet}, {"none", Unnumbered}, {"decimalzero", Padded}, {"lowerletter", LowerLetter}, {"alphalc", LowerLetter}, {"upperletter", UpperLetter},
		{"alphauc", UpperLetter}, {"lowerroman", LowerRoman}, {"romanlc", LowerRoman}, {"upperroman", UpperRoman}, {"romanuc", UpperRoman},
	} {
		if strings.HasPrefix(lower, n.prefix) {
			return n.of
		}
	}
	return Decimal
}

// Text returns a number. Those that a numbering has no form for are decimal.
func (n Numbering) Text(number int) string {
	digits := strconv.Itoa(number)
	switch {
	case n == Bullet:
		return "-"
	case n == Unnumbered:
		return ""
	case n == Padded && number >= 0 && number < 10:
		return "0" + digits
	case number < 1 || number > 3999:
		return digits
	}
	switch n {
	case LowerLetter: // a to z, then aa, bb and so on
		return strings.Repeat(string(rune('a'+(number-1)%26)), 1+(number-1)/26)
	case LowerRoman:
		return lowerRoman(number)
	case UpperLetter, UpperRoman:
		return strings.ToUpper((n | ' ').Text(number)) // the small form
	}
	return digits
}

func lowerRoman(number int) string {
	var b strings.Builder
	for _, r := range []struct {
		value int
		text  string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		b.WriteString(strings.Repeat(r.text, number/r.value))
		number %= r.value
	}
	return b.String()
}
