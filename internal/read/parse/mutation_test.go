package parse_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/race"
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
		"Markdown":              {domain.FormatMarkdown, "---\ntitle: T\n---\n# H *e*\n\n> - a\n>   1. b\n\n| a | b |\n|---|---|\n| 1 | [2](x) |\n\n```\ncode\n```\n<b>x</b>[^1]\n\n[^1]: `note`", nil},
		"graph, CSV":            {domain.FormatGraph, "kind,id,name,label,aliases,properties,source,target,type\nentity,1,Ada,Person,'=x,\"{\"\"born\"\":\"\"1815\"\"}\",,,\nrelation,2,,,,,1,b,KNEW\n", nil},
		"graph, JSON":           {domain.FormatGraph, `{"entities":[{"id":"1","name":"Ada | b","label":"Person","properties":[{"key":"k","value":"v"}]}],"relations":[{"source":"1","target":"c","type":"KNEW"}]}`, nil},
		"GraphML":               {domain.FormatGraph, `<?xml version="1.0"?><graphml><key id="d" attr.name="name"/><graph><node id="1"><data key="d">Ada &amp; b</data></node><edge source="1" target="2"><data key="type">KNEW</data></edge></graph></graphml>`, nil},
		"CSV":                   {domain.FormatTable, "Item;Price\n\"a;\n\"\"b\";1\n\n;;\nc;2;3\n", nil},
		"workbook":              {domain.FormatSheets, workbook(t), nil},
		"workbook, its XML":     {domain.FormatSheets, `<row r="1"><c r="A1" t="inlineStr"><is><t>Item</t></is></c><c r="B1"><v>1</v></c></row><row r="3"><c r="C3"><f>SUM(A1:B1)</f></c><c r="D3" t="s"><v>7</v></c></row><mergeCell ref="A1:B2"/>`, sheetOf},
		"slides":                {domain.FormatSlides, slides(t), nil},
		"slides, their XML":     {domain.FormatSlides, `<p:sp><p:ph type="title"/><a:p><a:r><a:t>T</a:t></a:r></a:p></p:sp><p:sp><p:ph/><a:p><a:pPr lvl="1"/><a:r><a:t>b</a:t></a:r><a:br/></a:p></p:sp><a:tbl><a:tr><a:tc><a:p><a:r><a:t>c</a:t></a:r></a:p></a:tc></a:tr></a:tbl>`, slideOf},
		"JSON":                  {domain.FormatRecords, `{"data":[{"id":1,"text":"Some text of a record.","by":{"name":["a",null,2.5e3]}},{"q":"\ud83d\ude00"}],"n":true}`, nil},
		"JSON Lines":            {domain.FormatRecords, "{\"text\":\"a b\"}\n[1,[2,{\"c\":null}]]\n\"d\"\n", nil},
		"mail":                  {domain.FormatMail, "From: a\r\nSubject: =?utf-8?q?b=C3=BC?=\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=utf-16\r\n\r\n<p>c\r\n--x\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=d.txt\r\n\r\nZQ==\r\n--x--\r\n", nil},
		"mailbox":               {domain.FormatMailbox, "From a\nSubject: b\n\nc\n\nFrom d\nContent-Type: text/plain; charset=koi8-r\n\n\xC1\n", nil},
		"e-book":                {domain.FormatBook, book(t), nil},
		"e-book, its list":      {domain.FormatBook, `<package><metadata><title>T</title></metadata><manifest><item id="a" href="a.xhtml"/><item id="b" href="../a%20.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`, bookOf},
		"OpenDocument":          {domain.FormatODT, odt(t), nil},
		"OpenDocument, its XML": {domain.FormatODT, `<text:h text:outline-level="2">H</text:h><text:list><text:list-item><text:p>a<text:s text:c="3"/><text:note><text:p>b</text:p></text:note></text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>`, odtOf},
		"rich text":             {domain.FormatRTF, `{\rtf1\ansi\ansicpg1251{\info{\title T}}\outlinelevel1 H\par\pard a\'e4\u8364?\uc2\u55357??\u56832??{\*\x y}{\v z}\par\intbl b\cell c\cell\row\bin3 abc\pard d}`, nil},
		"notebook":              {domain.FormatNotebook, `{"cells":[{"cell_type":"markdown","source":["# T\n","a *b*"]},{"cell_type":"code","source":"c","outputs":[{"text":"d"},{"data":{"text/plain":["e"]}},{"ename":"E","evalue":"f"}]}]}`, nil},
		"subtitles":             {domain.FormatTranscript, "1\n00:00:01,000 --> 00:00:02,000\n<i>a</i>\n\n2\n00:00:02,000 --> 00:01:03,000\nb. {\\an8}\n\n01:02.000 --> 99:99:99.000\n<v C>d\n", nil},
		"code":                  {domain.FormatCode, "package a\n\n// b\nfunc c() {\n\td()\n}\r\n\x0c\n", nil},
		"text":                  {domain.FormatText, "Title\n\nSome text… \xEF\xBB\xBF\r\n- item\n\nZürich\x0c", nil},
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
	"{", "}", "\\par ", "\\cell ", "\\u-1?", "\\bin9 ", "From a\n", "--x\r\n", ";", "\"", ",", "[[", "{\"a\":", "<c r=\"A1\">", "<f>A1</f>", "<a:t>", "<text:p>", "00:00:01,000 --> ",
	"| a ", "|---", "\n", "\n\n", "> ", "- ", "    ", "*", "_", "`", "[", "](", "\\", "<", "\u0301", "\u200d",
}

// seeded returns a source of chance.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// TestMutations runs alone, as it measures the heap. A failure names its seed.
func TestMutations(t *testing.T) {
	race.Skip(t)
	for name, v := range valids(t) {
		t.Run(name, func(t *testing.T) {
			peak := watchHeap(t)
			for seed := range uint64(long.Or(100, 2000)) {
				data := mutate(seeded(seed), v.data)
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
