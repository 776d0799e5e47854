package parse

import (
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

var markdown = goldmark.New(
	goldmark.WithExtensions(markdownTables{}, extension.Strikethrough, extension.TaskList, extension.Footnote),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(markdownRenderer{}, 100))),
)

// A markdownRenderer replaces the HTML of images and check boxes by text, and
// raw HTML by the text in it: tags in Markdown are often examples.
type markdownRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (markdownRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	on := func(kind ast.NodeKind, render func(source []byte, n ast.Node) string) {
		r.Register(kind, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				_, _ = w.WriteString(render(source, n))
			}
			return ast.WalkContinue, nil
		})
	}
	on(plainRowKind, renderPlainRow)
	r.Register(ast.KindCodeSpan, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(renderCode(source, n))
		}
		return ast.WalkSkipChildren, nil
	})
	separator := func([]byte, ast.Node) string { return "<hr>" }
	on(ast.KindImage, func([]byte, ast.Node) string { return "" }) // the children are the alternative text
	on(ast.KindRawHTML, func(source []byte, n ast.Node) string {
		if tag := n.(*ast.RawHTML).Segments.Value(source); strings.HasPrefix(strings.ToLower(string(tag)), "<br") {
			return "<br>"
		}
		return ""
	})
	on(ast.KindHTMLBlock, func(source []byte, n ast.Node) string {
		text := html.EscapeString(textOfMarkup(n.Lines().Value(source)))
		return "<p>" + strings.ReplaceAll(text, "\n", "<br>") + "</p>\n"
	})
	on(xast.KindFootnoteLink, func(_ []byte, n ast.Node) string { return fmt.Sprintf("[%d]", n.(*xast.FootnoteLink).Index) })
	on(xast.KindFootnoteBacklink, func([]byte, ast.Node) string { return "" })
	on(xast.KindFootnoteList, separator)
	on(xast.KindFootnote, separator)
	on(xast.KindTaskCheckBox, func(_ []byte, n ast.Node) string {
		if n.(*xast.TaskCheckBox).IsChecked {
			return "[x] "
		}
		return "[ ] "
	})
}
