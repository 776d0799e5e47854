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

// readMarkdown reads CommonMark with tables, task lists, strike-through and
// footnotes. The title is that of the front matter, else the first heading of
// level 1.
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

// frontMatterTitle is the line of front matter that holds the title.
var frontMatterTitle = regexp.MustCompile(`(?mi)^title\s*[:=]\s*(.+?)\s*$`)

// frontMatter parts the block of settings that many tools put before Markdown
// from the text, and is the title it names.
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

// nesting is what a line begins with to stand deep within quotes and lists.
var nesting = regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){32}`)

// capNesting ends the nesting of quotes and lists after 32 levels in a line,
// deeper than any reader follows and shallower than the parser's stack.
func capNesting(s string) string {
	return nesting.ReplaceAllString(s, `$0\`)
}

// maxNesting is how deep blocks and inline marks are followed.
const maxNesting = 100

// markdownReader writes the blocks of a Markdown document.
type markdownReader struct {
	ctx    context.Context
	w      *writer
	source []byte
}

// blocks writes the blocks below n.
func (m markdownReader) blocks(n ast.Node, depth int) {
	if depth > maxNesting || m.ctx.Err() != nil {
		return
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		m.block(child, depth)
	}
}

// block writes one block.
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

// raw is the source of a block that holds lines.
func (m markdownReader) raw(n ast.Node) string {
	return string(n.Lines().Value(m.source))
}

// table is the rows of a table as lines.
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

// tableRow is a row of a table as a line. A row of empty cells is no line.
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
