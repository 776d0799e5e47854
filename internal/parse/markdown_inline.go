package parse

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inline returns the text of the inline content below n.
func (m markdownReader) inline(n ast.Node) string {
	var b strings.Builder
	m.writeInline(&b, n, 0)
	return b.String()
}

func (m markdownReader) writeInline(b *strings.Builder, n ast.Node, depth int) {
	if depth > maxNesting {
		return
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			m.writeText(b, child)
		case *ast.String:
			b.Write(child.Value)
		case *ast.CodeSpan:
			m.writeCode(b, child)
		case *ast.AutoLink:
			b.Write(child.Label(m.source))
		case *ast.RawHTML:
			if tag := child.Segments.Value(m.source); strings.HasPrefix(strings.ToLower(string(tag)), "<br") {
				b.WriteByte('\n')
			}
		case *xast.FootnoteLink:
			b.WriteString("[" + strconv.Itoa(child.Index) + "]")
		case *xast.FootnoteBacklink:
		case *xast.TaskCheckBox:
			b.WriteString(checkBox(child.IsChecked))
		default:
			m.writeInline(b, child, depth+1)
		}
	}
}

// writeText writes text with its escapes and entities resolved.
func (m markdownReader) writeText(b *strings.Builder, n *ast.Text) {
	value := n.Segment.Value(m.source)
	if !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	b.Write(value)
	switch {
	case n.HardLineBreak():
		b.WriteByte('\n')
	case n.SoftLineBreak():
		b.WriteByte(' ')
	}
}

func (m markdownReader) writeCode(b *strings.Builder, n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.WriteString(strings.ReplaceAll(string(t.Segment.Value(m.source)), "\n", " "))
		}
	}
}

func checkBox(checked bool) string {
	if checked {
		return "[x] "
	}
	return "[ ] "
}
