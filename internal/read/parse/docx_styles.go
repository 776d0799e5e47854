package parse

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// A docxStyle is the structural meaning of a paragraph style.
type docxStyle struct {
	name    string // lower case; for Word's own styles in English, regardless of their id
	based   string // id of the style it builds on
	outline int    // level, 1 is outermost; 0 if it has none
	numbers string // id of its paragraphs' list; "0" for none, "" if unstated
	depth   int    // of that list
	look    script.Look
	looks   bool // it sets the look of its runs
}

// docxStyles are the paragraph styles by id.
type docxStyles map[string]docxStyle

// maxStyles bounds the styles of a document; Word allows fewer.
const maxStyles = 10_000

// readStyles reads the styles part, if there is one.
func readStyles(ctx context.Context, files *zipPackage, part string) (docxStyles, error) {
	styles := make(docxStyles)
	err := files.eachWhole(ctx, part, []string{"style"}, func(e *element) {
		id, style := e.attr("styleId"), docxStyle{}
		e.walk(func(e *element) bool {
			switch e.name {
			case "name":
				style.name = strings.ToLower(e.attr("val"))
			case "basedOn":
				style.based = e.attr("val")
			case "outlineLvl":
				style.outline = outlineLevel(e)
			case "numId":
				style.numbers = e.attr("val")
			case "ilvl":
				style.depth = levelOf(e, "val")
			default:
				if look, ok := docxLook(e); ok && !style.looks {
					style.look, style.looks = look, true
				}
			}
			return true
		})
		if id != "" && len(styles) < maxStyles {
			styles[id] = style
		}
	})
	return styles, err
}

// outlineLevel returns the heading level of an outline level as stored: from 0 to 8, or 9 for body
// text.
func outlineLevel(e *element) int {
	if n := e.int("val", 9); n >= 0 && n <= 8 {
		return n + 1
	}
	return 0
}

// maxStyleChain bounds chains of styles, which can be circular in damaged files.
const maxStyleChain = 20

// level returns the heading level of a style, or 0.
func (s docxStyles) level(id string) int {
	for range maxStyleChain {
		style, known := s[id]
		switch {
		case !known && id != "":
			return namedLevel(strings.ToLower(id))
		case !known:
			return 0
		case style.outline > 0:
			return style.outline
		}
		if level := namedLevel(style.name); level > 0 {
			return level
		}
		id = style.based
	}
	return 0
}

// namedLevel returns the heading level that a style's lower-case name implies, or 0.
func namedLevel(name string) int {
	if name == "title" {
		return 1
	}
	number, ok := strings.CutPrefix(name, "heading")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if !ok || err != nil || n < 1 || n > 9 {
		return 0
	}
	return n
}

// list returns the id of the list that the paragraphs of a style are items of, or "".
func (s docxStyles) list(id string) string { return s[s.styleOfList(id)].numbers }

// styleOfList returns the style that names the list of a style's paragraphs.
func (s docxStyles) styleOfList(id string) string {
	for range maxStyleChain {
		style, known := s[id]
		if !known || style.numbers != "" {
			return id
		}
		id = style.based
	}
	return ""
}

// look returns the look of the runs of a style.
func (s docxStyles) look(id string) script.Look {
	for range maxStyleChain {
		style, known := s[id]
		if !known || style.looks {
			return style.look
		}
		id = style.based
	}
	return script.Plain
}

// isContents reports whether a style belongs to a table of contents.
func (s docxStyles) isContents(id string) bool {
	name := cmp.Or(s[id].name, strings.ToLower(id))
	number, ok := strings.CutPrefix(name, "toc")
	_, err := strconv.Atoi(strings.TrimSpace(number))
	return ok && (err == nil || number == " heading")
}

// docxLevels is how deep lists of Word can be.
const docxLevels = 9

// A docxLevel is how a level of a list is numbered.
type docxLevel struct {
	format  script.Numbering
	text    string // such as "%1.%2)"
	start   int
	legal   bool   // the numbers of all levels are decimal
	keeps   bool   // it continues after an outer level
	style   string // paragraphs of this style have the level
	defined bool
}

// A docxList is a definition of a list.
type docxList struct {
	levels [docxLevels]docxLevel
	link   string // the style whose list is used
}

// A docxNum is a list, which may restart the counters of its definition.
type docxNum struct {
	list   string
	starts map[int]int // by level
	levels map[int]docxLevel
	used   bool
}

// docxNumbers counts the items of the lists of a document. Lists with the same definition share a count, unless they
// state where they begin.
type docxNumbers struct {
	lists  map[string]*docxList
	nums   map[string]*docxNum
	counts map[string]*[docxLevels]int // by definition; 0 before the first item
}

func newDocxNumbers() *docxNumbers {
	return &docxNumbers{lists: map[string]*docxList{}, nums: map[string]*docxNum{}, counts: map[string]*[docxLevels]int{}}
}

// maxLists bounds the lists of a document, and what its numbers look like.
const (
	maxLists     = 20_000
	maxLevelText = 200
)

// readNumbers reads the part with the lists, if there is one.
func readNumbers(ctx context.Context, files *zipPackage, part string) (*docxNumbers, error) {
	n := newDocxNumbers()
	err := files.eachWhole(ctx, part, []string{"abstractNum", "num"}, func(e *element) {
		switch {
		case e.name == "abstractNum" && len(n.lists) < maxLists:
			n.lists[e.attr("abstractNumId")] = listIn(e)
		case e.name == "num" && len(n.nums) < maxLists:
			n.nums[e.attr("numId")] = numIn(e)
		}
	})
	return n, err
}

// listIn reads a definition of a list.
func listIn(e *element) *docxList {
	list := &docxList{link: e.kid("numStyleLink").attr("val")}
	for _, kid := range e.kids {
		if kid.name == "lvl" {
			list.levels[levelOf(kid, "ilvl")] = levelIn(kid)
		}
	}
	return list
}

// numIn reads a list.
func numIn(e *element) *docxNum {
	num := &docxNum{list: e.kid("abstractNumId").attr("val"), starts: map[int]int{}, levels: map[int]docxLevel{}}
	for _, kid := range e.kids {
		if kid.name != "lvlOverride" {
			continue
		}
		at := levelOf(kid, "ilvl")
		if start := kid.kid("startOverride").int("val", -1); start >= 0 {
			num.starts[at] = start
		}
		if lvl := kid.kid("lvl"); lvl.name != "" {
			num.levels[at] = levelIn(lvl)
		}
	}
	return num
}

// levelIn reads a level of a list.
func levelIn(e *element) docxLevel {
	return docxLevel{
		defined: true, start: e.kid("start").int("val", 1), format: script.NumberingOf(e.kid("numFmt").attr("val")), text: shorten(e.kid("lvlText").attr("val"), maxLevelText),
		legal: e.kid("isLgl").name != "" && e.kid("isLgl").on("val"), keeps: e.kid("lvlRestart").attr("val") == "0", style: e.kid("pStyle").attr("val"),
	}
}

// levelOf returns the level of a list that an attribute names.
func levelOf(e *element, name string) int {
	return min(max(e.int(name, 0), 0), docxLevels-1)
}

// next counts an item of a list and returns its number with a space: "3. ", "a) ".
// It returns "- " for a bullet and for a list that is not defined.
func (n *docxNumbers) next(num string, level int, styles docxStyles) string {
	of := n.nums[num]
	if of == nil {
		return "- "
	}
	list := n.listOf(of, styles)
	if list == nil {
		return "- "
	}
	count := n.counts[of.list]
	if count == nil {
		count = new([docxLevels]int)
		n.counts[of.list] = count
	}
	levels := list.levels
	for l, own := range of.levels {
		if own.defined {
			levels[l] = own
		}
	}
	if !of.used {
		of.used = true
		for l, start := range of.starts {
			levels[l].start = start
			count[l] = 0
		}
	}
	for l, start := range of.starts {
		levels[l].start = start
	}
	n.count(count, levels, level)
	return markOf(count, levels, level)
}

// count counts an item. A count is one more than its number, as lists may begin
// with 0.
func (n *docxNumbers) count(count *[docxLevels]int, levels [docxLevels]docxLevel, level int) {
	for l := range level {
		if count[l] == 0 {
			count[l] = levels[l].start + 1
		}
	}
	if count[level] == 0 {
		count[level] = levels[level].start
	}
	count[level]++
	for l := level + 1; l < docxLevels; l++ {
		if !levels[l].keeps {
			count[l] = 0
		}
	}
}

func markOf(count *[docxLevels]int, levels [docxLevels]docxLevel, level int) string {
	own := levels[level]
	if own.format == script.Bullet {
		return "- "
	}
	var parts []string
	for l := range docxLevels {
		format := levels[l].format
		if own.legal {
			format = script.Decimal
		}
		parts = append(parts, "%"+strconv.Itoa(l+1), format.Text(count[l]-1))
	}
	mark := tidyLine(strings.NewReplacer(parts...).Replace(own.text))
	if mark == "" {
		return "- "
	}
	return mark + " "
}

// listOf returns the definition of a list, which may be that of a style.
func (n *docxNumbers) listOf(of *docxNum, styles docxStyles) *docxList {
	list := n.lists[of.list]
	for range maxStyleChain {
		if list == nil || list.link == "" {
			break
		}
		linked := n.nums[styles[list.link].numbers]
		if linked == nil {
			break
		}
		list = n.lists[linked.list]
	}
	return list
}

// levelOfStyle returns the level of a list that a style's paragraphs have.
func (n *docxNumbers) levelOfStyle(num, style string, styles docxStyles) int {
	if of := n.nums[num]; of != nil {
		if list := n.listOf(of, styles); list != nil {
			for l, level := range list.levels {
				if level.style == style && style != "" {
					return l
				}
			}
		}
	}
	return styles[style].depth
}

// maxInstruction bounds the instruction of a field of Word, in bytes.
const maxInstruction = 4 << 10

// shownByField returns what a field of Word shows by its instruction alone: a character of a
// font (SYMBOL), or a formula (EQ). It is "" for any other.
func shownByField(instruction string) (string, script.Look) {
	name, rest, _ := strings.Cut(strings.TrimSpace(instruction), " ")
	switch strings.ToUpper(name) {
	case "SYMBOL":
		return symbolOfField(rest), script.Plain
	case "EQ":
		e := equation{rest: rest}
		return tidyLine(e.all(0)), script.Formula
	}
	return "", script.Plain
}

func symbolOfField(arguments string) string {
	words := strings.Fields(arguments)
	if len(words) == 0 {
		return ""
	}
	code, err := strconv.ParseInt(words[0], 0, 32)
	if err != nil {
		if r, size := utf8.DecodeRuneInString(words[0]); size == len(words[0]) {
			code = int64(r)
		}
	}
	font := ""
	if _, after, ok := strings.Cut(arguments, `\f`); ok {
		font, _, _ = strings.Cut(strings.TrimLeft(after, ` "`), `"`)
	}
	if symbol, ok := script.Symbol(font, rune(code)); ok {
		return string(symbol)
	}
	if code < ' ' || code > utf8.MaxRune || script.IsSymbolFont(font) {
		return ""
	}
	if code < 256 && !strings.Contains(arguments, `\u`) {
		return encodingOf("windows-1252").decode([]byte{byte(code)})
	}
	return string(rune(code))
}

// An equation reads the instruction of an EQ field.
type equation struct{ rest string }

// all returns the text before a comma or bracket that ends an argument.
func (e *equation) all(depth int) string {
	var b strings.Builder
	for e.rest != "" {
		switch c := e.rest[0]; {
		case depth > 0 && strings.IndexByte(",;)", c) >= 0:
			return b.String()
		case c == '\\' && len(e.rest) > 1 && !unicode.IsLetter(rune(e.rest[1])):
			b.WriteByte(e.rest[1])
			e.rest = e.rest[2:]
		case c == '\\' && depth < maxTables:
			s := e.element(depth)
			if s = strings.TrimSpace(s); strings.HasPrefix(s, "^") || strings.HasPrefix(s, "_") {
				base := b.String()
				b.Reset()
				b.WriteString(strings.TrimRight(base, " "))
			}
			b.WriteString(raisedBySign(s))
		default:
			r, size := utf8.DecodeRuneInString(e.rest)
			b.WriteRune(r)
			e.rest = e.rest[size:]
		}
	}
	return b.String()
}

// raisedBySign returns the digits after a caret as superscripts.
func raisedBySign(s string) string {
	if up, ok := strings.CutPrefix(s, "^"); ok {
		return strings.TrimPrefix(script.Scripts("x", "", up), "x")
	}
	if low, ok := strings.CutPrefix(s, "_"); ok {
		return strings.TrimPrefix(script.Scripts("x", low, ""), "x")
	}
	return s
}

// switches returns the names of consecutive switches.
func (e *equation) switches() (names []string) {
	for strings.HasPrefix(e.rest, `\`) && len(e.rest) > 1 && (unicode.IsLetter(rune(e.rest[1])) || e.rest[1] == '*') {
		end := 1
		for end < len(e.rest) && strings.IndexByte("( \\", e.rest[end]) < 0 {
			end++
		}
		name := strings.ToLower(e.rest[1:end])
		e.rest = strings.TrimLeft(e.rest[end:], " ")
		names = append(names, strings.TrimRight(name, "0123456789-"))
		e.rest = strings.TrimLeft(e.rest, "0123456789 ")
		if len(name) == 2 && name[1] == 'c' && strings.HasPrefix(e.rest, `\`) && len(e.rest) > 1 { // a bracket: \bc\{
			e.rest = e.rest[2:]
		}
	}
	return names
}

// element returns a switch with its arguments.
func (e *equation) element(depth int) string {
	names, arguments := e.switches(), e.arguments(depth)
	if len(names) == 0 || arguments == nil {
		return strings.Join(arguments, ", ")
	}
	at := func(i int) string {
		if i < len(arguments) {
			return strings.TrimSpace(arguments[i])
		}
		return ""
	}
	switch names[0] {
	case "f":
		return script.Fraction(at(0), at(1))
	case "r":
		if len(arguments) == 1 {
			return script.Root("", at(0))
		}
		return script.Root(at(0), at(1))
	case "s":
		if slices.Contains(names, "do") {
			return "_" + at(0)
		}
		return "^" + at(0)
	case "i":
		sign := "∫"
		if slices.Contains(names, "su") {
			sign = "∑"
		} else if slices.Contains(names, "pr") {
			sign = "∏"
		}
		return script.Large(sign, at(0), at(1), at(2))
	case "b":
		return "(" + at(0) + ")"
	case "a":
		return "[" + strings.Join(arguments, "; ") + "]"
	case "o":
		return strings.Join(arguments, " ")
	}
	return strings.Join(arguments, ", ")
}

// arguments returns the arguments in brackets, or nil if there are none.
func (e *equation) arguments(depth int) []string {
	rest, ok := strings.CutPrefix(e.rest, "(")
	if !ok {
		return nil
	}
	e.rest = rest
	list := []string{}
	for {
		list = append(list, e.all(depth+1))
		if e.rest == "" {
			return list
		}
		end := e.rest[0] == ')'
		e.rest = e.rest[1:]
		if end {
			return list
		}
	}
}
