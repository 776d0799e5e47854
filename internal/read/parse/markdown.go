package parse

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// readMarkdown reads CommonMark with tables, task lists, strike-through and
// footnotes, by way of HTML. The title is that of the front matter, else the
// first heading of level 1.
func readMarkdown(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	settings, matter, s := frontMatter(s)
	statesFront(w, matter)
	w.name(settings["title"])
	w.know(domain.Facts{Author: settings["author"], Published: settings["date"], Language: settings["lang"], Link: settings["url"]})
	return writeMarkdown(ctx, w, s)
}

// writeMarkdown adds Markdown to the text.
func writeMarkdown(ctx context.Context, w *writer, s string) error {
	if marks(s) > maxMarks {
		w.warn("This file is too large to follow the structure of its Markdown; only its words were read.")
		return readText(ctx, w, []byte(s))
	}
	var page bytes.Buffer
	convert := markdown.Convert
	if w.keepStruck {
		convert = markdownStruck.Convert
	}
	if err := convert([]byte(capNesting(s)), &page); err != nil {
		return fmt.Errorf("convert Markdown to HTML: %w", err)
	}
	return newMarkupFilter(ctx, page.Bytes()).write(w)
}

// maxMarks bounds the lines and marks of a file, each of which the library holds as nodes of half a
// kilobyte.
const maxMarks = 600_000

// marks counts the lines and the marks within them. Pipes don't count: a row of a table is one node.
func marks(s string) int {
	n := 0
	for i := range len(s) {
		switch s[i] {
		case '\n', '*', '_', '[', '`', '<', '~', '&', '\\':
			n++
		}
	}
	return n
}

var frontMatterSetting = regexp.MustCompile(`(?mi)^(title|author|date|lang|url)\s*[:=]\s*(.+?)\s*$`)

// frontMatter splits off a YAML or TOML block of settings, which it returns with those that describe the file.
func frontMatter(s string) (settings map[string]string, matter, rest string) {
	for _, fence := range []string{"---\n", "+++\n"} {
		if !strings.HasPrefix(s, fence) {
			continue
		}
		end := strings.Index(s[len(fence):]+"\n", "\n"+fence)
		if end < 0 {
			return nil, "", s
		}
		matter = s[len(fence):][:end]
		rest = s[min(len(s), 2*len(fence)+end+1):]
		settings = map[string]string{}
		for _, m := range frontMatterSetting.FindAllStringSubmatch(matter, 100) {
			if key := strings.ToLower(m[1]); settings[key] == "" {
				settings[key] = strings.Trim(m[2], `"'`)
			}
		}
		return settings, matter, rest
	}
	return nil, "", s
}

var nesting = regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){32}`)

// capNesting escapes quotes and lists beyond 32 levels on a line, before they exhaust the parser's
// stack.
func capNesting(s string) string {
	return nesting.ReplaceAllString(s, `$0\`)
}

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

// lookTag returns a tag for the look of words, or "" for any other.
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

// markdownScripts reads formulas between dollars, which stay as they are written,
// and 10^6^ as a power.
type markdownScripts struct{}

// Extend implements goldmark.Extender.
func (s markdownScripts) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(s, 150)))
}

// Trigger implements parser.InlineParser.
func (markdownScripts) Trigger() []byte { return []byte{'$', '^'} }

// The maximum number of bytes of a formula in a line, and of a power.
const (
	maxInlineFormula = 1000
	maxPower         = 20
)

// Parse implements parser.InlineParser.
func (markdownScripts) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if line[0] == '$' {
		n := formulaLength(line)
		if n == 0 {
			return nil
		}
		block.Advance(n)
		return ast.NewRawTextSegment(segment.WithStop(segment.Start + n))
	}
	before := block.PrecendingCharacter()
	n := bytes.IndexByte(line[1:min(len(line), maxPower)], '^')
	if n < 1 || !unicode.IsLetter(before) && !unicode.IsNumber(before) && before != ')' {
		return nil
	}
	word := line[1 : 1+n]
	after, _ := utf8.DecodeRune(line[2+n:])
	if bytes.ContainsAny(word, " \t\n<>&[]$*`") || unicode.IsLetter(after) || unicode.IsNumber(after) {
		return nil
	}
	block.Advance(n + 2)
	high := ast.NewString([]byte("<sup>" + string(word) + "</sup>"))
	high.SetCode(true) // written unchanged
	return high
}

// formulaLength returns the length of the formula that a line begins with, or 0.
// Sums of money are none: a formula has no space after its first dollar and before
// its last, and no digit follows.
func formulaLength(line []byte) int {
	mark := 1
	if len(line) > 1 && line[1] == '$' {
		mark = 2
	}
	rest := line[mark:min(len(line), maxInlineFormula)]
	if len(rest) == 0 || mark == 1 && unicode.IsSpace(rune(rest[0])) {
		return 0
	}
	for at := 0; ; {
		n := bytes.IndexByte(rest[at:], '$')
		if n < 0 {
			return 0
		}
		end := at + n
		at = end + 1
		switch {
		case end == 0, rest[end-1] == '\\':
		case mark == 2:
			if end+1 < len(rest) && rest[end+1] == '$' {
				return mark + end + 2
			}
		case unicode.IsSpace(rune(rest[end-1])):
			return 0
		case end+1 < len(rest) && rest[end+1] >= '0' && rest[end+1] <= '9':
			return 0
		default:
			return mark + end + 1
		}
	}
}

// markdownTables reads the tables of GitHub-flavoured Markdown. The extension of the library fills
// up short rows, so that a file of 40 KB makes 25 million cells; here a row has the cells it is
// written with, and a row without marks is one node.
type markdownTables struct{}

// Extend implements goldmark.Extender.
func (t markdownTables) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithParagraphTransformers(util.Prioritized(t, 200)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(extension.NewTableHTMLRenderer(), 500)))
}

// A plainRow is a row whose cells contain no markup.
type plainRow struct {
	ast.BaseBlock
	row     text.Segment
	columns int
}

var plainRowKind = ast.NewNodeKind("PlainRow")

// Kind implements ast.Node.
func (*plainRow) Kind() ast.NodeKind { return plainRowKind }

// Dump implements ast.Node.
func (r *plainRow) Dump(source []byte, level int) { ast.DumpHelper(r, source, level, nil, nil) }

var delimiterCell = regexp.MustCompile(`^\s*:?-+:?\s*$`)

// Transform implements parser.ParagraphTransformer. A table begins with the line above a row of
// dashes that has as many cells, and takes the rest of the paragraph.
func (t markdownTables) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := node.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		delimiter := lines.At(i)
		if !isDelimiterRow(delimiter, source) {
			continue
		}
		columns := len(cellsOf(delimiter, source))
		head := cellsOf(lines.At(i-1), source)
		if len(head) != columns {
			return
		}
		table := xast.NewTable()
		table.AppendChild(table, xast.NewTableHeader(rowOf(head)))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, tableRowOf(lines.At(j), source, columns))
		}
		t.replace(node, i-1, table)
		return
	}
}

// replace puts a table in the place of a paragraph's lines from the nth on.
func (markdownTables) replace(node *ast.Paragraph, n int, table ast.Node) {
	parent := node.Parent()
	parent.InsertAfter(parent, node, table)
	if n == 0 {
		parent.RemoveChild(parent, node)
		return
	}
	node.Lines().SetSliced(0, n)
	last := node.Lines().At(n - 1)
	last.Stop-- // the line feed
	node.Lines().Set(n-1, last)
}

func isDelimiterRow(line text.Segment, source []byte) bool {
	value := line.Value(source)
	if len(bytes.Trim(value, "|:- \t\r\n")) > 0 || !bytes.Contains(value, []byte("-")) {
		return false
	}
	for _, cell := range cellsOf(line, source) {
		if !delimiterCell.Match(cell.Value(source)) {
			return false
		}
	}
	return true
}

// tableRowOf returns the row of a line, with at most columns cells.
func tableRowOf(line text.Segment, source []byte, columns int) ast.Node {
	if !bytes.ContainsAny(line.Value(source), "\\`*_[]<>&!~") {
		return &plainRow{row: line, columns: columns}
	}
	cells := cellsOf(line, source)
	return rowOf(cells[:min(len(cells), columns)])
}

func rowOf(cells []text.Segment) *xast.TableRow {
	row := xast.NewTableRow(nil)
	for _, cell := range cells {
		c := xast.NewTableCell()
		c.Lines().Append(cell)
		row.AppendChild(row, c)
	}
	return row
}

// cellsOf returns the cells of a line, without white space around them.
func cellsOf(line text.Segment, source []byte) []text.Segment {
	line = line.TrimLeftSpace(source)
	line = line.TrimRightSpace(source)
	value := line.Value(source)
	from, to := 0, len(value)
	if to > 0 && value[0] == '|' {
		from++
	}
	if to > from && value[to-1] == '|' && !escaped(value, to-1) {
		to--
	}
	var cells []text.Segment
	for from < to || len(cells) == 0 {
		end := from
		for end < to && (value[end] != '|' || escaped(value, end)) {
			end++
		}
		cell := text.NewSegment(line.Start+from, line.Start+end)
		cell = cell.TrimLeftSpace(source)
		cells = append(cells, cell.TrimRightSpace(source))
		from = end + 1
	}
	return cells
}

// escaped reports whether the pipe at i follows a backslash.
func escaped(value []byte, i int) bool { return i > 0 && value[i-1] == '\\' }

// renderCode returns the HTML of code in a line. In a table, pipes are escaped with a backslash, which elsewhere is an
// ordinary character.
func renderCode(source []byte, n ast.Node) string {
	var b bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		}
	}
	code := bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(" "))
	for parent := n.Parent(); parent != nil; parent = parent.Parent() {
		if parent.Kind() == xast.KindTableCell {
			code = bytes.ReplaceAll(code, []byte(`\|`), []byte("|"))
		}
	}
	return string(util.EscapeHTML(code))
}

// renderPlainRow returns the HTML of a row without marks.
func renderPlainRow(source []byte, n ast.Node) string {
	r := n.(*plainRow)
	cells := cellsOf(r.row, source)
	cells = cells[:min(len(cells), r.columns)]
	separator := "</td><td>"
	if !slices.ContainsFunc(cells, func(s text.Segment) bool { return s.IsEmpty() }) {
		separator = " | " // as in the text: one cell instead of hundreds
	}
	var b bytes.Buffer
	b.WriteString("<tr><td>")
	for i, cell := range cells {
		if i > 0 {
			b.WriteString(separator)
		}
		b.Write(util.EscapeHTML(cell.Value(source)))
	}
	b.WriteString("</td></tr>\n")
	return b.String()
}
