package parse

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"
)

// list returns the lines of a list.
func (m markdownReader) list(n *ast.List, depth int) []string {
	if depth > maxNesting {
		return nil
	}
	var lines []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		lines = append(lines, m.item(item, mark, depth)...)
	}
	return lines
}

// item returns the lines of a list item: its text behind the mark, nested lists below.
func (m markdownReader) item(n ast.Node, mark string, depth int) []string {
	var own, nested []string
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.List:
			nested = append(nested, m.list(child, depth+1)...)
		case *xast.Table:
			own = append(own, m.table(child)...)
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			own = append(own, strings.Split(tidyPreformatted(m.raw(child)), "\n")...)
		case *ast.HTMLBlock:
			own = append(own, strings.Split(tidy(textOfMarkup(m.raw(child))), "\n")...)
		case *ast.Blockquote:
			own = append(own, m.quote(child, depth+1)...)
		default:
			own = append(own, strings.Split(tidy(m.inline(child)), "\n")...)
		}
	}
	return append(listItem(own, mark, depth), nested...)
}

// quote returns the lines of a quotation in a list.
func (m markdownReader) quote(n ast.Node, depth int) []string {
	if depth > maxNesting {
		return nil
	}
	var lines []string
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.List:
			lines = append(lines, m.list(child, depth)...)
		case *ast.Blockquote:
			lines = append(lines, m.quote(child, depth+1)...)
		default:
			lines = append(lines, strings.Split(tidy(m.inline(child)), "\n")...)
		}
	}
	return lines
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
