package parse

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/clewhq/clew/internal/parse/script"
)

// markdown and markdownStruck convert Markdown, without struck text and with it.
var markdown, markdownStruck = newMarkdown(false), newMarkdown(true)

func newMarkdown(keepStruck bool) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(markdownTables{}, extension.Strikethrough, extension.TaskList, extension.Footnote, markdownScripts{}),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(markdownRenderer{keepStruck}, 100))),
	)
}

// A markdownRenderer replaces the HTML of images and check boxes by text, and
// raw HTML by the text in it: tags in Markdown are often examples.
type markdownRenderer struct{ keepStruck bool }

// RegisterFuncs implements renderer.NodeRenderer.
func (m markdownRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
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
		return lookTag(n.(*ast.RawHTML).Segments.Value(source))
	})
	on(ast.KindHTMLBlock, func(source []byte, n ast.Node) string {
		block := n.Lines().Value(source)
		if lower := bytes.ToLower(block); bytes.Contains(lower, []byte("<table")) && bytes.Contains(lower, []byte("</table")) {
			return string(block)
		}
		text := html.EscapeString(textOfMarkup(block, m.keepStruck))
		return "<p>" + strings.ReplaceAll(text, "\n", "<br>") + "</p>\n"
	})
	on(xast.KindFootnoteLink, func(_ []byte, n ast.Node) string {
		return fmt.Sprintf(`<a role="doc-noteref">%d</a>`, n.(*xast.FootnoteLink).Index)
	})
	r.Register(xast.KindStrikethrough, renderStruck)
	on(xast.KindFootnoteBacklink, func([]byte, ast.Node) string { return "" })
	on(xast.KindFootnoteList, separator)
	on(xast.KindFootnote, func(_ []byte, n ast.Node) string {
		if first := n.FirstChild(); first != nil && first.FirstChild() != nil {
			mark := ast.NewString([]byte(script.Mark(strconv.Itoa(n.(*xast.Footnote).Index)) + " "))
			first.InsertBefore(first, first.FirstChild(), mark)
		}
		return "<hr>"
	})
	on(xast.KindTaskCheckBox, func(_ []byte, n ast.Node) string {
		if n.(*xast.TaskCheckBox).IsChecked {
			return "[x] "
		}
		return "[ ] "
	})
}

var rawTag = regexp.MustCompile(`(?i)^<(/?)(br|del|s|strike|sup|sub)\b[^>]*>$`)

// lookTag returns a tag that says how words look, and "" for any other.
func lookTag(tag []byte) string {
	m := rawTag.FindSubmatch(tag)
	if m == nil {
		return ""
	}
	return "<" + string(m[1]) + strings.ToLower(string(m[2])) + ">"
}

// renderStruck renders ~~struck~~ text, and H~2~O as a subscript.
func renderStruck(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "del"
	if text, ok := n.FirstChild().(*ast.Text); ok && n.ChildCount() == 1 {
		start, word := text.Segment.Start, text.Segment.Value(source)
		if start > 1 && source[start-1] == '~' && source[start-2] != '~' && !unicode.IsSpace(rune(source[start-2])) && !bytes.ContainsAny(word, " \t\n") {
			tag = "sub"
		}
	}
	if !entering {
		tag = "/" + tag
	}
	_, _ = w.WriteString("<" + tag + ">")
	return ast.WalkContinue, nil
}
