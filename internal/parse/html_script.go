package parse

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/parse/script"
)

// A lookReader rewrites the text of a page, so that what its look means stands in
// its words: it follows the rule of package script. Paragraph by paragraph it
// gathers the texts of each look, and then replaces them.
type lookReader struct {
	line   script.Line
	groups []textGroup // one for each run of the line
	styles styleLooks
}

// A textGroup is the texts of a run.
type textGroup struct {
	look  script.Look
	texts []*html.Node
}

// An htmlLook is what text takes over from the elements around it.
type htmlLook struct {
	look  script.Look
	font  string
	exact bool // spaces count
}

// rewriteLooks rewrites a page.
func rewriteLooks(doc *html.Node, styles styleLooks, keepStruck bool) {
	r := lookReader{line: script.Line{KeepStruck: keepStruck}, styles: styles}
	r.node(doc, htmlLook{})
	r.flush()
}

func (r *lookReader) node(n *html.Node, look htmlLook) {
	switch {
	case n.Type == html.TextNode:
		r.text(n, look)
		return
	case n.Type == html.ElementNode && (isBlock(n) || n.DataAtom == atom.Br):
		r.flush()
		defer r.flush()
	}
	look = r.lookOf(n, look)
	if r.replaced(n, look) {
		return
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling // c may be replaced
		r.node(c, look)
		c = next
	}
}

// text adds a text to the line.
func (r *lookReader) text(n *html.Node, look htmlLook) {
	n.Data = script.Symbols(look.font, n.Data)
	if look.look == script.Struck && !r.line.KeepStruck {
		n.Data = ""
		return
	}
	if n.Data == "" {
		return
	}
	if last := len(r.groups) - 1; last < 0 || r.groups[last].look != look.look || look.look == script.Note || look.look == script.Formula {
		r.groups = append(r.groups, textGroup{look: look.look})
	}
	g := &r.groups[len(r.groups)-1]
	g.texts = append(g.texts, n)
	words := n.Data
	if !look.exact {
		words = flow(words)
	}
	r.line.Add(look.look, words)
}

// flush replaces the texts of a paragraph that has more than one look.
func (r *lookReader) flush() {
	if len(r.groups) > 1 || len(r.groups) == 1 && r.groups[0].look != script.Plain {
		for i, s := range r.line.Parts() {
			r.groups[i].replace(s)
		}
	}
	r.line.Reset()
	clear(r.groups)
	r.groups = r.groups[:0]
}

func (g textGroup) replace(s string) {
	if g.look == script.Plain { // only a space may have been added before it
		if strings.HasPrefix(s, " ") && !strings.HasPrefix(flow(g.texts[0].Data), " ") {
			g.texts[0].Data = " " + g.texts[0].Data
		}
		return
	}
	g.texts[0].Data = s
	for _, n := range g.texts[1:] {
		n.Data = ""
	}
}

// lookOf returns the look of what is in an element. What is struck out stays so.
func (r *lookReader) lookOf(n *html.Node, look htmlLook) htmlLook {
	if n.Type != html.ElementNode {
		return look
	}
	own := script.Plain
	switch n.DataAtom {
	case atom.Del, atom.S, atom.Strike:
		own = script.Struck
	case atom.Sup:
		own = script.Raised
	case atom.Sub:
		own = script.Lowered
	case atom.Pre, atom.Textarea:
		look.exact = true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "style":
			own = firstLook(lookOfStyle(a.Val), own)
			if font := fontOfStyle.FindStringSubmatch(a.Val); font != nil {
				look.font = font[1]
			}
		case "class":
			own = firstLook(r.styles.of(a.Val), own)
		case "face":
			look.font = a.Val
		}
	}
	if isNoteMark(n) {
		own = script.Note
	}
	look.look = firstLook(look.look, own)
	return look
}

// firstLook returns the look that decides: what is struck is struck, and the mark
// of a note is one although it is raised.
func firstLook(a, b script.Look) script.Look {
	switch {
	case a == script.Plain:
		return b
	case b == script.Plain:
		return a
	}
	return min(a, b)
}

var (
	fontOfStyle = regexp.MustCompile(`(?i)font-family\s*:\s*["']?\s*(Symbol|Wingdings(?: 2)?|Webdings)\b`)
	noteTarget  = regexp.MustCompile(`(?i)^#(?:_?(?:fn|ftn|edn|fnref|ftnref|ednref|footnote|endnote|note|noteref|cite_note|cite_ref)[-_:.]?[a-z]?[-_:.]?)[-\w.:]*\d*$`)
	markOfNote  = regexp.MustCompile(`^\s*(?:[\[(]?\d{1,3}[\])]?|[\[(][a-z*†‡§]{1,3}[\])]|[*†‡§]{1,3})\s*$`)
	toNoteMark  = regexp.MustCompile(`^[\s↩↑^⤴⏎\x{FE0E}\x{FE0F}]+$`)
	noteID      = regexp.MustCompile(`(?i)^_?(?:fn|ftn|edn|footnote|endnote|cite_note)[-_:.]?[-\w.:]*$`)
)

// isNoteMark reports whether an element is the mark of a note.
func isNoteMark(n *html.Node) bool {
	if n.DataAtom != atom.A {
		return false
	}
	if roleOf(n) == "doc-noteref" || hasWord(attribute(n, "epub:type"), "noteref") {
		return true
	}
	target := attribute(n, "href")
	if at := strings.LastIndexByte(target, '#'); at > 0 {
		target = target[at:] // notes of a book have a page to themselves
	}
	words := plainText(n)
	if !markOfNote.MatchString(words) {
		return false
	}
	raised := n.Parent != nil && n.Parent.DataAtom == atom.Sup || find(n, atom.Sup) != nil
	return strings.HasPrefix(target, "#") && (raised || noteTarget.MatchString(target))
}

// isBackToMark reports whether an element leads from a note back to its mark, and
// says nothing.
func isBackToMark(n *html.Node) bool {
	return n.DataAtom == atom.A && (roleOf(n) == "doc-backlink" && !markOfNote.MatchString(plainText(n)) || strings.HasPrefix(attribute(n, "href"), "#") && toNoteMark.MatchString(plainText(n)))
}

// isNote reports whether an element is a note.
func isNote(n *html.Node) bool {
	switch roleOf(n) {
	case "doc-footnote", "doc-endnote":
		return true
	}
	kind := attribute(n, "epub:type")
	return hasWord(kind, "footnote") || hasWord(kind, "endnote") || hasWord(kind, "rearnote") || n.DataAtom == atom.Li && noteID.MatchString(attribute(n, "id"))
}

func roleOf(n *html.Node) string { return strings.ToLower(strings.TrimSpace(attribute(n, "role"))) }

func hasWord(list, word string) bool {
	return strings.Contains(" "+strings.ToLower(list)+" ", " "+word+" ")
}

// replaced replaces an element that is not read by its text, if it is one.
func (r *lookReader) replaced(n *html.Node, look htmlLook) bool {
	switch {
	case n.Type != html.ElementNode:
		return false
	case n.Namespace == "math" && n.Data == "math":
		formula := mathOf(n, 0).Linear()
		if formula == "" {
			formula = attribute(n, "alttext")
		}
		look.look = firstLook(look.look, script.Formula)
		r.replace(n, formula, look)
	case n.DataAtom == atom.Rp, isBackToMark(n):
		r.replace(n, "", look)
	case n.DataAtom == atom.Rt:
		r.replace(n, "("+strings.TrimSpace(plainText(n))+")", look)
	case n.DataAtom == atom.Q:
		return false
	default:
		return false
	}
	return true
}

// replace puts a text into the place of an element.
func (r *lookReader) replace(n *html.Node, s string, look htmlLook) {
	text := &html.Node{Type: html.TextNode, Data: s}
	n.Parent.InsertBefore(text, n)
	n.Parent.RemoveChild(n)
	r.text(text, look)
}

// mathOf returns the tree of a formula in MathML.
func mathOf(n *html.Node, depth int) *script.Node {
	if n.Type == html.TextNode {
		return &script.Node{Text: n.Data}
	}
	node := &script.Node{Name: n.Data, Val: map[string]string{}}
	for _, a := range n.Attr {
		node.Val[a.Key] = a.Val
	}
	for c := n.FirstChild; c != nil && depth < script.MaxDepth; c = c.NextSibling {
		if c.Type == html.ElementNode || c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			node.Kids = append(node.Kids, mathOf(c, depth+1))
		}
	}
	return node
}

// styleLooks are the looks that a page's styles give to classes.
type styleLooks map[string]script.Look

// maxStyleLooks bounds the classes of a page that have a look.
const maxStyleLooks = 1000

var plainClass = regexp.MustCompile(`^(?:[a-z]+)?\.([-\w]+)$`)

// read adds the looks of a style sheet. Only selectors of one class count.
func (s styleLooks) read(sheet string) {
	for rule := range strings.SplitSeq(sheet, "}") {
		at := strings.LastIndexByte(rule, '{')
		if at < 0 {
			continue
		}
		look := lookOfStyle(rule[at:])
		if look == script.Plain {
			continue
		}
		selectors := rule[:at]
		selectors = selectors[strings.LastIndexAny(selectors, "{;/")+1:]
		for selector := range strings.SplitSeq(selectors, ",") {
			if class := plainClass.FindStringSubmatch(strings.TrimSpace(selector)); class != nil && len(s) < maxStyleLooks {
				s[class[1]] = look
			}
		}
	}
}

// of returns the look of an element of some classes.
func (s styleLooks) of(classes string) script.Look {
	look := script.Plain
	if len(s) > 0 {
		for class := range strings.FieldsSeq(classes) {
			look = firstLook(look, s[class])
		}
	}
	return look
}

var (
	struckStyle  = regexp.MustCompile(`(?i)text-decoration(?:-line)?\s*:[^;]*line-through`)
	raisedStyle  = regexp.MustCompile(`(?i)vertical-align\s*:\s*(?:super|text-top)|font-variant-position\s*:\s*super`)
	loweredStyle = regexp.MustCompile(`(?i)vertical-align\s*:\s*sub\b|font-variant-position\s*:\s*sub\b`)
)

// lookOfStyle returns the look of declarations.
func lookOfStyle(style string) script.Look {
	switch {
	case struckStyle.MatchString(style):
		return script.Struck
	case raisedStyle.MatchString(style):
		return script.Raised
	case loweredStyle.MatchString(style):
		return script.Lowered
	}
	return script.Plain
}
