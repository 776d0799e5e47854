package parse

import (
	"context"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// readMarkdown reads CommonMark with tables, task lists, strike-through and footnotes. The title is
// that of the front matter, else the first heading of level 1.
func readMarkdown(ctx context.Context, w *writer, data []byte) error {
	s, warning, err := decode(data)
	if err != nil {
		return err
	}
	if warning != "" {
		w.warn(warning)
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	title, s := frontMatter(s)
	w.name(title)
	source := []byte(capNesting(s))
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote))
	m := markdownReader{ctx: ctx, w: w, source: source}
	m.blocks(markdown.Parser().Parse(text.NewReader(source)), 0)
	return ctx.Err()
}

var frontMatterTitle = regexp.MustCompile(`(?mi)^title\s*[:=]\s*(.+?)\s*$`)

// frontMatter splits off a YAML or TOML block of settings and returns its title.
func frontMatter(s string) (title, rest string) {
	for _, fence := range []string{"---\n", "+++\n"} {
		if !strings.HasPrefix(s, fence) {
			continue
		}
		end := strings.Index(s[len(fence):]+"\n", "\n"+fence)
		if end < 0 {
			return "", s
		}
		matter := s[len(fence):][:end]
		rest = s[min(len(s), 2*len(fence)+end+1):]
		if m := frontMatterTitle.FindStringSubmatch(matter); m != nil {
			title = strings.Trim(m[1], `"'`)
		}
		return title, rest
	}
	return "", s
}

var nesting = regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){32}`)

// capNesting escapes quotes and lists beyond 32 levels on a line, before they exhaust the parser's
// stack.
func capNesting(s string) string {
	return nesting.ReplaceAllString(s, `$0\`)
}

// maxNesting bounds nested blocks and inline marks.
const maxNesting = 100

// A markdownReader writes the blocks of a Markdown document.
type markdownReader struct {
	ctx    context.Context
	w      *writer
	source []byte
}

func (m markdownReader) blocks(n ast.Node, depth int) {
	if depth > maxNesting || m.ctx.Err() != nil {
		return
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		m.block(child, depth)
	}
}

func (m markdownReader) block(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		s := m.inline(n)
		if n.Level == 1 {
			m.w.name(s)
		}
		m.w.heading(n.Level, s)
	case *ast.Paragraph, *ast.TextBlock:
		m.w.paragraph(m.inline(n))
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		m.w.code(m.raw(n))
	case *ast.HTMLBlock:
		m.w.paragraph(textOfMarkup(m.raw(n)))
	case *ast.List:
		m.w.lines(m.list(n, 0))
	case *xast.Table:
		m.w.lines(m.table(n))
	default:
		m.blocks(n, depth+1)
	}
}

// raw returns the source lines of a block.
func (m markdownReader) raw(n ast.Node) string {
	return string(n.Lines().Value(m.source))
}

func (m markdownReader) table(n ast.Node) []string {
	var lines []string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, m.inline(cell))
		}
		lines = append(lines, tableRow(cells))
	}
	return lines
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
