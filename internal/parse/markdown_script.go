package parse

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownScripts reads formulas between dollars, which stay as they are written,
// and 10^6^ as a power.
type markdownScripts struct{}

// Extend implements goldmark.Extender.
func (s markdownScripts) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(s, 150)))
}

// Trigger implements parser.InlineParser.
func (markdownScripts) Trigger() []byte { return []byte{'$', '^'} }

// The most bytes of a formula in a line, and of a power.
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
	high.SetCode(true) // written as it is
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
