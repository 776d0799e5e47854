package parse_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
	"github.com/clewhq/clew/internal/parse/pdf/pdftest"
	"github.com/clewhq/clew/internal/testkit/long"
)

// A valid file is damaged again and again. Files that are packed are damaged
// before they are packed, too.
type valid struct {
	format domain.Format
	data   string
	pack   func(t testing.TB, data string) string // nil if the data are the file
}

func valids(t testing.TB) map[string]valid {
	xml := para(style("Heading1"), "H") + para(item("1"), "i") + "<w:tbl><w:tr><w:tc>" + para("", "c") + "</w:tc></w:tr></w:tbl>"
	docx := func(t testing.TB, inner string) string { return pack(t, body(inner)) }
	font := "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /W [1 [600] 2 4 300] >>] /ToUnicode 5 0 R >>"
	cmap := pdftest.Stream("", "1 beginbfrange <0002> <0004> <0061> endbfrange 1 beginbfchar <0001> <00660069> endbfchar")
	return map[string]valid{
		"PDF":           {domain.FormatPDF, pdftest.Pages([]string{pdftest.Lines(50, 700, 10, "One", "two.") + "q BT /F2 9 Tf <00010002> Tj ET Q", "/Span << /ActualText (x) >> BDC EMC"}, "", font, cmap), nil},
		"PDF, packed":   {domain.FormatPDF, fixture(t, "columns.pdf"), nil},
		"PDF, sealed":   {domain.FormatPDF, fixture(t, "encrypted_aes_open.pdf"), nil},
		"DOCX":          {domain.FormatDOCX, docx(t, xml), nil},
		"DOCX, its XML": {domain.FormatDOCX, xml, docx},
		"HTML": {domain.FormatHTML, "<!doctype html><title>T</title><nav>n</nav><main><h1>T</h1><p>a<b>b<br>c<ul><li>c<ol><li>d</ol></ul><table><tr><td>e<td>f</table>" +
			"<a href=x><div>g</div></a><svg><style>h</style></svg><pre> i</pre></main>", nil},
		"Markdown":    {domain.FormatMarkdown, "---\ntitle: T\n---\n# H *e*\n\n> - a\n>   1. b\n\n| a | b |\n|---|---|\n| 1 | [2](x) |\n\n```\ncode\n```\n<b>x</b>[^1]\n\n[^1]: `note`", nil},
		"graph, CSV":  {domain.FormatGraph, "kind,id,name,label,aliases,properties,source,target,type\nentity,1,Ada,Person,'=x,\"{\"\"born\"\":\"\"1815\"\"}\",,,\nrelation,2,,,,,1,b,KNEW\n", nil},
		"graph, JSON": {domain.FormatGraph, `{"entities":[{"id":"1","name":"Ada | b","label":"Person","properties":[{"key":"k","value":"v"}]}],"relations":[{"source":"1","target":"c","type":"KNEW"}]}`, nil},
		"GraphML":     {domain.FormatGraph, `<?xml version="1.0"?><graphml><key id="d" attr.name="name"/><graph><node id="1"><data key="d">Ada &amp; b</data></node><edge source="1" target="2"><data key="type">KNEW</data></edge></graph></graphml>`, nil},
		"text":        {domain.FormatText, "Title\n\nSome text… \xEF\xBB\xBF\r\n- item\n\nZürich\x0c", nil},
	}
}

// mutate damages data in up to eight places: it flips, drops, moves and repeats
// bytes, and puts in what formats trip over.
func mutate(r *rand.Rand, data string) string {
	for range 1 + r.IntN(8) {
		from := r.IntN(len(data) + 1)
		to := min(len(data), from+1+r.IntN(1+len(data)/4))
		switch r.IntN(6) {
		case 0:
			if from < to {
				data = data[:from] + string(data[from]^byte(1<<r.IntN(8))) + data[from+1:]
			}
		case 1:
			data = data[:from] + data[to:]
		case 2:
			at := r.IntN(from + 1)
			data = data[:at] + data[from:to] + data[at:from] + data[to:]
		case 3:
			data = data[:from] + strings.Repeat(data[from:min(to, from+40)], 1+r.IntN(200)) + data[from:]
		case 4:
			data = data[:from] + strings.Repeat(tripwires[r.IntN(len(tripwires))], 1+r.IntN(50)) + data[from:]
		default:
			data = data[:from] + fmt.Sprint(r.Uint64()>>r.IntN(64)) + data[to:]
		}
	}
	return data
}

var tripwires = []string{
	"\x00", "\xFF\xFE", "\xC3", "(", "<<", "[", "endobj ", "endstream ", "stream\n", "obj ", " 3 0 R ", "-1 ", "99999999999 ", "/Filter /FlateDecode ", "/Kids [2 0 R] ",
	"<w:p>", "</w:p>", "<w:tbl>", "<!--", "]]>", "<![CDATA[", "&amp;", "<table>", "<td>", "<a>", "</a>", "<b>", "</p>", "<div>", "<svg>", "<plaintext>",
	"| a ", "|---", "\n", "\n\n", "> ", "- ", "    ", "*", "_", "`", "[", "](", "\\", "<", "\u0301", "\u200d",
}

// TestMutations runs alone, as it measures the heap. A failure names its seed.
func TestMutations(t *testing.T) {
	for name, v := range valids(t) {
		t.Run(name, func(t *testing.T) {
			peak := watchHeap(t)
			for seed := range uint64(long.Or(100, 2000)) {
				data := mutate(rand.New(rand.NewPCG(seed, 0)), v.data)
				if v.pack != nil {
					data = v.pack(t, data)
				}
				text, err := parse.New(parse.Limits{Timeout: time.Minute}).Parse(context.Background(), "file", v.format, []byte(data))
				if message, ok := domain.MessageOf(err); err == nil {
					checkText(t, text)
				} else if !ok || isDefect(message) {
					t.Errorf("error %v", err)
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			if mb := peak() >> 20; mb > 300 {
				t.Errorf("held %d MB", mb)
			}
		})
	}
}

// isDefect reports whether a sentence stands for a reader that panicked, or
// didn't end.
func isDefect(message string) bool {
	return message == "This file is damaged and could not be read." || strings.Contains(message, "longer than")
}
