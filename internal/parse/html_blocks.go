package parse

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/parse/script"
)

// An htmlReader writes the blocks of a page.
type htmlReader struct {
	w    *writer
	open strings.Builder // the paragraph being read
}

// flush ends the open paragraph.
func (r *htmlReader) flush() {
	r.w.paragraph(r.open.String())
	r.open.Reset()
}

func (r *htmlReader) node(n *html.Node) {
	switch {
	case isHidden(n):
	case n.Type == html.TextNode:
		r.open.WriteString(flow(n.Data))
	case n.DataAtom == atom.Br:
		r.open.WriteByte('\n')
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
	switch {
	case level > 0:
		if level == 1 {
			r.w.name(plainText(n))
		}
		r.w.heading(level, plainText(n))
	case n.DataAtom == atom.Pre:
		r.w.code(preformatted(n))
	case n.DataAtom == atom.Ul || n.DataAtom == atom.Ol:
		r.w.lines(r.list(n, 0))
	case n.DataAtom == atom.Table && isDataTable(n):
		r.w.lines(r.table(n))
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
			if mark = numberingOf(kind).text(number) + ". "; kind == "none" {
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

// isDataTable tells tables of data from layout: it has a head or a row of two
// cells, and no cell holds a table, list or heading.
func isDataTable(n *html.Node) bool {
	data := false
	return !hasLayout(n, &data) && data
}

// hasLayout reports whether something below n is no data, and sets data if something is. It stops at
// the first nested table, as each of them is asked in turn.
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
