package script

import "strings"

// A Node is an element of a formula in MathML, or in the mathematics of Office.
type Node struct {
	Name string // without its namespace, such as mfrac or sSup
	Text string // of a node without a name
	Val  map[string]string
	Kids []*Node
}

// MaxDepth is how deep the elements of a formula may be nested. Readers leave
// deeper ones out.
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
		if isSpacedSign(sign) && n.Val["form"] != "prefix" {
			return " " + sign + " ", true
		}
		return sign, true
	}
	return "", false
}

// isSpacedSign reports whether a sign stands between spaces.
func isSpacedSign(sign string) bool {
	switch sign {
	case "+", "−", "-", "=", "<", ">", "≤", "≥", "≈", "≠", "×", "·", "±", "→", "∈":
		return true
	}
	return false
}

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
		if b.Len() > 0 && endsWord(b.String()) && startsWord(s) && fuses(kid) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}

// fuses reports whether a node would be read as one with a word before it.
func fuses(n *Node) bool {
	switch n.Name {
	case "f", "mfrac", "func", "rad", "mroot", "msqrt", "nary", "mtext":
		return true
	}
	return false
}

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
