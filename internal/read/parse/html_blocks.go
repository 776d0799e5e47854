package parse

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// An htmlReader writes the blocks of a page.
type htmlReader struct {
	w    *writer
	open strings.Builder // the paragraph being read
	term string          // of a description list; the next paragraph begins with it

	page    *markupFilter // has its pictures
	waiting []*html.Node  // pictures in the open paragraph
}

// flush ends the open paragraph. The pictures in it come after it.
func (r *htmlReader) flush() {
	text := strings.TrimLeft(r.open.String(), " \n")
	if r.term != "" && text != "" {
		text, r.term = r.term+": "+text, ""
	}
	r.w.paragraph(text)
	r.open.Reset()
	waiting := r.waiting
	r.waiting = nil
	for _, n := range waiting {
		if number, err := strconv.Atoi(attribute(n, pictureNumber)); err == nil && number >= 0 && number < len(r.page.pictures) {
			r.w.shows(pictureAt(r.page.pictures[number], r.page.beside), attribute(n, "alt"))
		}
	}
}

// flushTerm ends the open paragraph and writes a term that no description has followed.
func (r *htmlReader) flushTerm() {
	r.flush()
	r.w.paragraph(r.term)
	r.term = ""
}

// maxTerm is the maximum length, in code points, of a term that is written on the line of its description.
const maxTerm = 80

// termOf returns the term in n, an element of a description list, or "" if there is none or it is better left on a line
// of its own: a question, a sentence or a picture.
func termOf(n *html.Node) string {
	if n.DataAtom != atom.Dt {
		return ""
	}
	list := n.Parent
	if list != nil && list.DataAtom == atom.Div {
		list = list.Parent
	}
	term := strings.TrimRight(tidyLine(plainText(n)), ":¶ ")
	last, _ := utf8.DecodeLastRuneInString(term)
	if list == nil || list.DataAtom != atom.Dl || domain.Runes(term) > maxTerm || strings.ContainsRune(".?!。？！", last) || find(n, atom.Img) != nil {
		return ""
	}
	return term
}

// figure reads a picture with the caption that the page gives it.
func (r *htmlReader) figure(n *html.Node) {
	before := len(r.w.pictures)
	var caption *html.Node
	for c := range n.ChildNodes() {
		if c.DataAtom == atom.Figcaption {
			caption = c
			continue
		}
		r.node(c)
	}
	r.flush()
	if caption == nil {
		return
	}
	at := r.w.paragraph(plainText(caption))
	if words := tidyLine(plainText(caption)); !at.Empty() && len(r.w.pictures) == before+1 {
		r.w.pictures[before].At, r.w.pictures[before].Caption = at, shorten(words, MaxPictureWords)
	}
}

func (r *htmlReader) node(n *html.Node) {
	term := termOf(n)
	switch {
	case isHidden(n):
	case n.Type == html.TextNode:
		r.open.WriteString(flow(n.Data))
	case n.DataAtom == atom.Br:
		r.open.WriteByte('\n')
	case n.DataAtom == atom.Img:
		r.waiting = append(r.waiting, n)
	case term != "":
		r.flush()         // of text before it
		if r.term != "" { // several have one description
			r.term += ", "
		}
		r.term += term
	case isBlock(n):
		r.flush()
		r.block(n)
		r.flush()
	default:
		r.children(n)
	}
}

func (r *htmlReader) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.node(c)
	}
}

func (r *htmlReader) block(n *html.Node) {
	level := headingLevel(n)
	if level > 0 || isList(n) || n.DataAtom == atom.Pre || n.DataAtom == atom.Table || n.DataAtom == atom.Figure {
		r.flushTerm()
	}
	switch {
	case level > 0:
		if level == 1 {
			r.w.name(plainText(n))
		}
		r.w.heading(level, plainText(n))
	case n.DataAtom == atom.Pre:
		r.w.code(preformatted(n))
	case isList(n):
		r.w.lines(r.list(n, 0))
	case n.DataAtom == atom.Table && isDataTable(n):
		r.w.lines(r.table(n))
	case n.DataAtom == atom.Figure && len(r.page.pictures) > 0:
		r.figure(n)
	case n.DataAtom == atom.Dl:
		r.children(n)
		r.flushTerm()
	default:
		r.children(n)
	}
}

// preformatted returns the text below n with its line breaks.
func preformatted(n *html.Node) string {
	var b strings.Builder
	each(n, func(c *html.Node) {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		} else if c.DataAtom == atom.Br {
			b.WriteByte('\n')
		}
	})
	return b.String()
}

// list returns the lines of a list.
func (r *htmlReader) list(n *html.Node, depth int) []string {
	var lines []string
	number, step := 1, 1
	if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "reversed" }) {
		number, step = itemCount(n), -1
	}
	if start, err := strconv.Atoi(attribute(n, "start")); err == nil {
		number = start
	}
	for item := n.FirstChild; item != nil; item = item.NextSibling {
		if isHidden(item) {
			continue
		}
		mark := "- "
		if n.DataAtom == atom.Ol && item.DataAtom == atom.Li {
			if value, err := strconv.Atoi(attribute(item, "value")); err == nil {
				number = value
			}
			kind := attribute(n, "type")
			if mark = script.NumberingOf(kind).Text(number) + ". "; kind == "none" {
				mark = "- "
			}
			if isNote(item) {
				mark = script.Mark(strconv.Itoa(number)) + " "
			}
			number += step
		}
		lines = append(lines, r.item(item, mark, depth)...)
	}
	return lines
}

// itemCount returns the number of a list's items.
func itemCount(list *html.Node) int {
	n := 0
	for c := range list.ChildNodes() {
		if c.DataAtom == atom.Li && !isHidden(c) {
			n++
		}
	}
	return n
}

// item returns the lines of a list item, nested lists below.
func (r *htmlReader) item(n *html.Node, mark string, depth int) []string {
	if isList(n) {
		return r.list(n, depth+1)
	}
	lines, nested := r.itemLines(n, depth)
	return append(listItem(lines, mark, depth), nested...)
}

// itemLines returns the lines of a part of a list item, and those of nested
// lists.
func (r *htmlReader) itemLines(n *html.Node, depth int) (lines, nested []string) {
	var text strings.Builder
	flush := func() {
		lines = append(lines, strings.Split(tidy(text.String()), "\n")...)
		text.Reset()
	}
	if n.FirstChild == nil {
		writePlain(&text, n)
	}
	for c := range n.ChildNodes() {
		switch {
		case isHidden(c):
		case isList(c):
			nested = append(nested, r.list(c, depth+1)...)
		case c.DataAtom == atom.Pre:
			flush()
			lines = append(lines, strings.Split(tidyPreformatted(preformatted(c)), "\n")...)
		case c.DataAtom == atom.Table && isDataTable(c):
			flush()
			lines = append(lines, r.table(c)...)
		case c.DataAtom == atom.Blockquote:
			flush()
			quoted, lists := r.itemLines(c, depth)
			lines = append(append(lines, quoted...), lists...)
		default:
			writePlain(&text, c)
		}
	}
	flush()
	return lines, nested
}

func isList(n *html.Node) bool { return n.DataAtom == atom.Ul || n.DataAtom == atom.Ol }

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// isDataTable distinguishes tables of data from layout: it has a head or a row of two cells, and no cell contains a
// table, list or heading.
func isDataTable(n *html.Node) bool {
	data := false
	return !hasLayout(n, &data) && data
}

// hasLayout reports whether something below n is layout, and sets data if something is data. It stops at the first
// nested table, as each of them is checked in turn.
func hasLayout(n *html.Node, data *bool) bool {
	for c := range n.ChildNodes() {
		if isHidden(c) {
			continue
		}
		switch c.DataAtom {
		case atom.Table, atom.Ul, atom.Ol, atom.H1, atom.H2, atom.H3, atom.Pre:
			return true
		case atom.Thead:
			*data = true
		case atom.Tr:
			*data = *data || cellCount(c) > 1
		}
		if hasLayout(c, data) {
			return true
		}
	}
	return false
}

func cellCount(row *html.Node) int {
	n := 0
	for c := range row.ChildNodes() {
		if isCell(c) {
			n++
		}
	}
	return n
}

func isCell(n *html.Node) bool {
	return (n.DataAtom == atom.Td || n.DataAtom == atom.Th) && !isHidden(n)
}

// table returns the caption and the rows of a table as lines.
func (r *htmlReader) table(n *html.Node) []string {
	var captions []string
	var group *html.Node
	g := newGrid(r.w.limits.MaxChars)
	each(n, func(c *html.Node) {
		switch c.DataAtom {
		case atom.Caption:
			captions = append(captions, tidyLine(plainText(c)))
		case atom.Tr:
			if c.Parent != group {
				group = c.Parent
				g.group()
			}
			addRow(g, c)
		}
	})
	return append(captions, g.lines()...)
}

// addRow adds a row to a grid.
func addRow(g *grid, row *html.Node) {
	head, cells := true, 0
	for c := range row.ChildNodes() {
		if isCell(c) {
			cells++
			head = head && c.DataAtom == atom.Th
		}
	}
	g.row(cells > 0 && head || row.Parent.DataAtom == atom.Thead)
	for c := range row.ChildNodes() {
		if isCell(c) {
			g.cell(plainText(c), spanOf(c, "colspan"), spanOf(c, "rowspan"))
		}
	}
}

// spanOf returns how many columns or rows a cell covers. 0 rows are all to the end
// of the group.
func spanOf(cell *html.Node, attr string) int {
	n, err := strconv.Atoi(strings.TrimSpace(attribute(cell, attr)))
	switch {
	case err != nil || n < 0:
		return 1
	case n == 0 && attr == "rowspan":
		return endless
	}
	return n
}

// listItem puts the mark before the first line of an item and indents the others.
func listItem(lines []string, mark string, depth int) []string {
	indent := strings.Repeat("  ", depth)
	var out []string
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(out) == 0 {
			out = append(out, indent+mark+line)
		} else {
			out = append(out, indent+"  "+line)
		}
	}
	return out
}

// tableRow formats a row, or returns "" if all its cells are empty.
func tableRow(cells []string) string {
	empty := true
	for i, cell := range cells {
		cells[i] = tidyLine(cell)
		empty = empty && cells[i] == ""
	}
	if empty {
		return ""
	}
	return strings.TrimSpace(strings.Join(cells, " | "))
}

// A lookReader rewrites the text of a page so that its words express the meaning of its look, by the rules of package
// script. Paragraph by paragraph it collects the texts of each look, and then replaces them.
type lookReader struct {
	line   script.Line
	groups []textGroup // one for each run of the line
	styles *styleSheet
}

// A textGroup is the texts of a run.
type textGroup struct {
	look  script.Look
	texts []*html.Node
}

// An htmlLook is the look that text inherits from the elements around it.
type htmlLook struct {
	look  script.Look
	font  string
	exact bool // spaces are significant
}

// rewriteLooks rewrites a page.
func rewriteLooks(doc *html.Node, styles *styleSheet, keepStruck bool) {
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
	if g.look == script.Plain { // only a space can have been added before it
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

// lookOf returns the look of an element's content. Struck-out text stays struck out.
func (r *lookReader) lookOf(n *html.Node, look htmlLook) htmlLook {
	if n.Type != html.ElementNode {
		return look
	}
	own := tagLooks[n.DataAtom]
	look.exact = look.exact || n.DataAtom == atom.Pre || n.DataAtom == atom.Textarea
	for _, a := range n.Attr {
		switch a.Key {
		case "style":
			if font := fontOfStyle.FindStringSubmatch(a.Val); font != nil {
				look.font = font[1]
			}
		case "face":
			look.font = a.Val
		}
	}
	style := r.styles.of(n)
	own = firstLook(style.look(), own)
	if n.DataAtom == atom.Ol {
		style.number(n)
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
		target = target[at:] // notes of a book have their own page
	}
	words := plainText(n)
	if !markOfNote.MatchString(words) {
		return false
	}
	raised := n.Parent != nil && n.Parent.DataAtom == atom.Sup || find(n, atom.Sup) != nil
	return strings.HasPrefix(target, "#") && (raised || noteTarget.MatchString(target))
}

// isBackToMark reports whether an element only links from a note back to its mark.
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
		formula = cmp.Or(formula, attribute(n, "alttext"))
		look.look = firstLook(look.look, script.Formula)
		r.replace(n, formula, look)
	case n.DataAtom == atom.Rp, isBackToMark(n):
		r.replace(n, "", look)
	case n.DataAtom == atom.Rt:
		r.replace(n, "("+strings.TrimSpace(plainText(n))+")", look)
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
