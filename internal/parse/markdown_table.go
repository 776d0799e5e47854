package parse

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownTables reads the tables of GitHub-flavoured Markdown. The extension of the library fills
// up short rows, so that a file of 40 KB makes 25 million cells; here a row has the cells it is
// written with, and a row without marks is one node.
type markdownTables struct{}

// Extend implements goldmark.Extender.
func (t markdownTables) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithParagraphTransformers(util.Prioritized(t, 200)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(extension.NewTableHTMLRenderer(), 500)))
}

// A plainRow is a row whose cells hold no marks.
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

// renderCode returns the HTML of code in a line. In a table its pipes have a backslash, which
// elsewhere stands for itself.
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
		separator = " | " // which is how the text has it: one cell instead of hundreds
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
