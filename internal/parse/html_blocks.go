package parse

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
		r.w.lines(htmlList(n, 0))
	case n.DataAtom == atom.Table && isDataTable(n):
		r.w.lines(htmlTable(n))
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

// htmlList returns the lines of a list.
func htmlList(n *html.Node, depth int) []string {
	var lines []string
	number := 1
	if start, err := strconv.Atoi(attribute(n, "start")); err == nil {
		number = start
	}
	for item := n.FirstChild; item != nil; item = item.NextSibling {
		if isHidden(item) {
			continue
		}
		mark := "- "
		if n.DataAtom == atom.Ol && item.DataAtom == atom.Li {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		lines = append(lines, htmlItem(item, mark, depth)...)
	}
	return lines
}

// htmlItem returns the lines of a list item, nested lists below.
func htmlItem(n *html.Node, mark string, depth int) []string {
	if isList(n) {
		return htmlList(n, depth+1)
	}
	lines, nested := itemLines(n, depth)
	return append(listItem(lines, mark, depth), nested...)
}

// itemLines returns the lines of a part of a list item, and those of nested
// lists.
func itemLines(n *html.Node, depth int) (lines, nested []string) {
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
			nested = append(nested, htmlList(c, depth+1)...)
		case c.DataAtom == atom.Pre:
			flush()
			lines = append(lines, strings.Split(tidyPreformatted(preformatted(c)), "\n")...)
		case c.DataAtom == atom.Table && isDataTable(c):
			flush()
			lines = append(lines, htmlTable(c)...)
		case c.DataAtom == atom.Blockquote:
			flush()
			quoted, lists := itemLines(c, depth)
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

// htmlTable returns the caption and the rows of a table as lines.
func htmlTable(n *html.Node) []string {
	var lines []string
	each(n, func(c *html.Node) {
		switch c.DataAtom {
		case atom.Caption:
			lines = append(lines, tidyLine(plainText(c)))
		case atom.Tr:
			lines = append(lines, tableRow(cells(c)))
		}
	})
	return lines
}

func cells(row *html.Node) []string {
	var out []string
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if isCell(c) {
			out = append(out, plainText(c))
		}
	}
	return out
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
