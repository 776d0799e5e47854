package parse_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/race"
)

// A hostile file is small, or cheap to make, and would cost a careless reader
// gigabytes or minutes.
type hostile struct {
	name   string
	format domain.Format
	make   func(t *testing.T) string
	want   string // part of the error or of a warning; "" if the file is read in full
}

// limits are those of a program that reads large files; make test reads less of everything, to
// take less time.
var limits = parse.Limits{MaxBytes: 100 << 20, MaxPages: 5000, MaxChars: long.Or(1_500_000, 0), MaxExpanded: long.Or[int64](24<<20, 0), Timeout: time.Minute}

// tooMuch is what is said of more than a page may hold, or of more than make test reads.
var tooMuch = long.Or("unpacks to more than the limit", "parts of them were left out")

// The names give the numbers of make test-long.
var hostiles = []hostile{
	{"PDF: a glyph stands for 200,000 characters", domain.FormatPDF, longGlyph, ""},
	{"PDF: a glyph stands for 120 characters", domain.FormatPDF, wordyGlyph, "characters of text, which is the limit"},
	{"PDF: one stream named 60,000 times", domain.FormatPDF, repeatedContent, tooMuch},
	{"PDF: replacement text of 50,000 marks", domain.FormatPDF, replacementText, "parts of them were left out"},
	{"PDF: names that name themselves, encrypted", domain.FormatPDF, namesThemselves, ""},
	{"PDF: 1.5 million streams without an end", domain.FormatPDF, endlessStreams, "damaged"},
	{"PDF: 1.5 million strings without an end", domain.FormatPDF, endlessStrings, "damaged"},
	{"PDF: nine million entries", domain.FormatPDF, manyEntries, ""},
	{"PDF: a page tree that shares its branches", domain.FormatPDF, sharedKids, "no pages"},
	{"PDF: a page of 250 MB", domain.FormatPDF, hugePage, tooMuch},
	{"PDF: an array of 30 million numbers", domain.FormatPDF, hugeArray, ""},
	{"PDF: a string of 30 million glyphs", domain.FormatPDF, hugeString, "parts of them were left out"},
	{"PDF: 400,000 scattered glyphs", domain.FormatPDF, scatteredGlyphs, ""},
	{"PDF: 120,000 lines", domain.FormatPDF, manyLines, ""},
	{"Markdown: a table of 5,000 columns and rows", domain.FormatMarkdown, paddedTable, ""},
	{"Markdown: 60,000 pipes in code", domain.FormatMarkdown, pipesInCode, ""},
	{"Markdown: three million paragraphs", domain.FormatMarkdown, func(*testing.T) string { return strings.Repeat("a\n\n", long.Or(400_000, 3_000_000)) }, "only its words"},
	{"HTML: 450 marks reopened in each paragraph", domain.FormatHTML, reopenedMarks, ""},
	{"HTML: the same, hidden from a simple reader", domain.FormatHTML, hiddenMarks, ""},
	{"HTML: links around blocks", domain.FormatHTML, linksAroundBlocks, "only its words"},
	{"HTML: 2.5 million paragraphs", domain.FormatHTML, func(*testing.T) string { return strings.Repeat("<p>a", long.Or(600_000, 2_500_000)) }, "only its words"},
	{"HTML: 2.5 million attributes", domain.FormatHTML, func(*testing.T) string { return "<p " + strings.Repeat("a=1 ", long.Or(250_000, 2_500_000)) + ">Text" }, ""},
	{"DOCX: nested paragraphs", domain.FormatDOCX, stored(func() string { return strings.Repeat("<w:p>", long.Or(1_900_000, 19_000_000)) }), "nested"},
	{"DOCX: a row of eight million cells", domain.FormatDOCX, stored(func() string {
		return "<w:tbl><w:tr>" + strings.Repeat("<w:tc/>", long.Or(200_000, 8_000_000)) + "</w:tr></w:tbl>" + para("", "Text")
	}), ""},
	{"DOCX: one word of 90 MB", domain.FormatDOCX, stored(func() string { return para("", strings.Repeat("a", long.Or(9, 90)<<20)) }), "a word or tag"},
	{"DOCX: 80 MB of attributes", domain.FormatDOCX, stored(func() string { return "<w:p " + strings.Repeat(`a="" `, long.Or(1_600_000, 16_000_000)) + "></w:p>" }), "a word or tag"},
	{"DOCX: a million parts", domain.FormatDOCX, manyParts, "parts"},
}

// ordinary files are large, and read in full.
var ordinary = []hostile{
	{"Markdown: a table of 200 columns", domain.FormatMarkdown, func(*testing.T) string { return table(200, long.Or(250, 2500), "cell 1.5") }, ""},
	{"Markdown: a table of 200 columns with marks", domain.FormatMarkdown, func(*testing.T) string { return table(200, long.Or(90, 900), "*cell*") }, ""},
	{"Markdown: a book", domain.FormatMarkdown, func(*testing.T) string {
		return strings.Repeat("## A chapter\n\n"+strings.Repeat("The *harbour* was built of `stone` by the [guild](x).\n", 40)+"\n", long.Or(100, 2000))
	}, ""},
	{"HTML: a table of 200 columns", domain.FormatHTML, func(*testing.T) string {
		return "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>cell", 200), long.Or(100, 2000)) + "</table>"
	}, ""},
	{"HTML: pictures in addresses", domain.FormatHTML, func(*testing.T) string {
		return strings.Repeat("<p>Before<img src='data:image/png;base64,"+strings.Repeat("QUJD", 1<<20)+"'><p>After", long.Or(2, 20))
	}, ""},
	{"text: 9 million characters", domain.FormatText, func(*testing.T) string {
		return strings.Repeat("The harbour was built of stone.\n\n", long.Or(27_000, 270_000))
	}, ""},
	{"PDF: 5,000 pages", domain.FormatPDF, func(*testing.T) string {
		return pdftest.Pages(slices.Repeat([]string{pdftest.Lines(50, 750, 10, slices.Repeat([]string{"The harbour was built of stone."}, 50)...)}, long.Or(100, 5000)), "")
	}, ""},
	{"DOCX: 200,000 paragraphs", domain.FormatDOCX, stored(func() string {
		return strings.Repeat(para("", "The harbour was built of stone."), long.Or(4_000, 200_000))
	}), ""},
}

func table(columns, rows int, cell string) string {
	return strings.Repeat("| Head ", columns) + "|\n" + strings.Repeat("|---", columns) + "|\n" + strings.Repeat(strings.Repeat("| "+cell+" ", columns)+"|\n", rows)
}

// TestHostileFiles runs alone, as it measures the heap: it is no parallel test.
func TestHostileFiles(t *testing.T) { readEach(t, hostiles) }

// TestLargeFiles runs alone, too.
func TestLargeFiles(t *testing.T) { readEach(t, ordinary) }

func readEach(t *testing.T, files []hostile) {
	t.Helper()
	race.Skip(t)
	for _, h := range files {
		t.Run(h.name, func(t *testing.T) {
			data := []byte(h.make(t))
			size, began := len(data), time.Now()
			peak := watchHeap(t)
			text, err := parse.New(limits).Parse(context.Background(), "file", h.format, data)
			read := time.Since(began)
			chunks := 0
			if err == nil {
				checkText(t, text)
				cut, err := chunk.Split(context.Background(), "d", text, chunk.Options{Counter: quarter{}})
				if chunks = len(cut); err != nil {
					t.Error(err)
				}
			}
			mb := peak() >> 20
			t.Logf("%d KB: %d characters, %d chunks, %v; read in %v, in all %v; %d MB", size>>10, len(text.Content), chunks, text.Warnings, read, time.Since(began), mb)
			if limit := uint64(300); mb > limit {
				t.Errorf("held %d MB, want at most %d", mb, limit)
			}
			checkSaid(t, h.want, text, err)
		})
	}
}

// checkSaid fails unless an error or a warning says what is wanted.
func checkSaid(t *testing.T, want string, text domain.Text, err error) {
	t.Helper()
	said := strings.Join(text.Warnings, " ")
	if err != nil {
		message, ok := domain.MessageOf(err)
		if said = message; !ok {
			t.Errorf("error %v is no sentence", err)
		}
	}
	if !strings.Contains(said, want) || want == "" && err != nil {
		t.Errorf("said %q, want %q", said, want)
	}
}

// watchHeap measures the heap until the function it returns is called, which
// returns the peak: everything allocated and not yet freed.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	runtime.GC()
	done, result := make(chan struct{}), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var peak uint64
		for {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			select {
			case <-done:
				result <- peak
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(done)
		return <-result
	}
}

// quarter counts four bytes as a token.
type quarter struct{}

func (quarter) Count(text string) int { return (len(text) + 3) / 4 }

// deflated returns a stream that unpacks to data.
func deflated(t *testing.T, entries, data string) string {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return pdftest.Stream("/Filter /FlateDecode "+entries, b.String())
}

const onePage = "<< /Type /Catalog /Pages 2 0 R >>"

// withContents returns a PDF of one page with the given contents. Its font /F1
// is object 5, and the other objects follow.
func withContents(contents string, objects ...string) string {
	head := []string{
		onePage, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Contents " + contents + " /Resources << /Font << /F1 5 0 R >> /Properties << /P 6 0 R >> >> >>",
	}
	return pdftest.File("", append(head, objects...)...)
}

// glyphOf returns a PDF that shows a glyph, which stands for n characters, again and again.
func glyphOf(t *testing.T, n, times int) string {
	t.Helper()
	return withContents("4 0 R", deflated(t, "", "BT /F1 9 Tf 50 50 Td ("+strings.Repeat("A", times)+") Tj ET"),
		"<< /Subtype /Type1 /BaseFont /X /ToUnicode 6 0 R >>", deflated(t, "", "1 beginbfchar <41> <"+strings.Repeat("0042", n)+"> endbfchar"))
}

func longGlyph(t *testing.T) string  { return glyphOf(t, 200_000, long.Or(40_000, 400_000)) }
func wordyGlyph(t *testing.T) string { return manyPages(glyphOf(t, 120, 4_000), 5000) }

// manyPages shows the page of withContents n times.
func manyPages(data string, n int) string {
	kids := strings.Repeat("<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >> ", n)
	return strings.Replace(strings.Replace(data, "/Kids [3 0 R]", "/Kids ["+kids+"]", 1), "startxref\n", "startxref\n9", 1)
}

func repeatedContent(*testing.T) string {
	return withContents("["+strings.Repeat("4 0 R ", 60_000)+"]", pdftest.Stream("", strings.Repeat("BT /F1 9 Tf 50 50 Td (word ) Tj ET ", 30_000)), "<< /Subtype /Type1 /BaseFont /X >>")
}

func replacementText(*testing.T) string {
	return withContents("4 0 R", pdftest.Stream("", "BT /F1 9 Tf 50 50 Td "+strings.Repeat("/Span /P BDC EMC ", 50_000)+strings.Repeat("/Span /P BDC (a) Tj EMC ", 1000)),
		"<< /Subtype /Type1 /BaseFont /X >>", "<< /ActualText ("+strings.Repeat("long ", 170_000)+") >>")
}

// namesThemselves is a file encrypted with an empty password, whose tree of
// names has ten branches at each level and no end.
func namesThemselves(t *testing.T) string {
	whole := fixture(t, "encrypted_rc4_open.pdf")
	names := "<< /Names [] /Kids [" + strings.Repeat("9 0 R ", 10) + "] /Limits [(a) (b)] >>"
	whole = strings.Replace(whole, "/Type /Catalog", "/Names << /Dests 9 0 R >> /Type /Catalog", 1)
	whole = strings.Replace(whole, "xref\n", "9 0 obj\n"+names+"\nendobj\nxref\n", 1)
	return whole
}

func endless(start string) string {
	var b strings.Builder
	b.WriteString(withContents("4 0 R", pdftest.Stream("", pdftest.Lines(50, 700, 10, "Still here.")), "<< /Subtype /Type1 /BaseFont /X >>"))
	cut := strings.LastIndex(b.String(), "xref\n0 ")
	whole := b.String()[:cut]
	b.Reset()
	b.WriteString(whole)
	for i := range long.Or(100_000, 1_500_000) {
		fmt.Fprintf(&b, "%d 0 obj%s\n", i+10, start)
	}
	b.WriteString("trailer << /Root 1 0 R >>\n%%EOF")
	return b.String()
}

func endlessStreams(*testing.T) string { return endless("<<>>stream") }
func endlessStrings(*testing.T) string { return endless("(ab") }

func manyEntries(t *testing.T) string {
	head := "%PDF-1.7\n1 0 obj\n" + onePage + "\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page >>\nendobj\n"
	entries := strings.Repeat("\x01\x00\x00\x09", long.Or(900_000, 9_000_000))
	for i, o := range []string{"1 0 obj", "2 0 obj", "3 0 obj"} {
		at := strings.Index(head, o)
		entries = entries[:4*(i+1)] + string([]byte{1, 0, byte(at), 0}) + entries[4*(i+2):]
	}
	return head + "4 0 obj\n" + deflated(t, "/Type /XRef /Size 9000000 /W [1 2 1] /Root 1 0 R", entries) + "\nendobj\nstartxref\n" + fmt.Sprint(len(head)) + "\n%%EOF"
}

func sharedKids(*testing.T) string {
	return pdftest.File("", onePage, "<< /Type /Pages /Kids 3 0 R >>", "["+strings.Repeat("<< /Kids 3 0 R >> ", 3)+"]")
}

func hugePage(t *testing.T) string {
	return withContents("4 0 R", deflated(t, "", strings.Repeat("0 0 m 9 9 l S\n", long.Or(50, 250)<<20/14)), "<< /Subtype /Type1 /BaseFont /X >>")
}

func hugeArray(t *testing.T) string {
	return withContents("4 0 R", deflated(t, "", "BT /F1 9 Tf 50 50 Td [(a) "+strings.Repeat("1 ", long.Or(2_000_000, 30_000_000))+"] TJ ET"), "<< /Subtype /Type1 /BaseFont /X >>")
}

func hugeString(t *testing.T) string {
	return withContents("4 0 R", deflated(t, "", "BT /F1 9 Tf 50 50 Td ("+strings.Repeat("a", long.Or(600_000, 30_000_000))+") Tj ET"), "<< /Subtype /Type1 /BaseFont /X >>")
}

func scatteredGlyphs(t *testing.T) string {
	var b strings.Builder
	b.WriteString("BT /F1 2 Tf ")
	for i := range long.Or(20_000, 400_000) {
		fmt.Fprintf(&b, "1 0 0 1 %d %d Tm (a) Tj ", i*7919%100_003, i*104_729%99_991)
	}
	return withContents("4 0 R", deflated(t, "", b.String()+"ET"), "<< /Subtype /Type1 /BaseFont /X >>")
}

func manyLines(t *testing.T) string {
	return withContents("4 0 R", deflated(t, "", "BT /F1 10 Tf 12 TL "+strings.Repeat("(ab-) ' ", long.Or(20_000, 120_000))+"ET"), "<< /Subtype /Type1 /BaseFont /X >>")
}

func paddedTable(*testing.T) string {
	return strings.Repeat("|a", 5000) + "|\n" + strings.Repeat("|-", 5000) + "|\n" + strings.Repeat("|b|\n", 5000)
}

func pipesInCode(*testing.T) string {
	return "| a | b |\n|---|---|\n" + strings.Repeat("| `a\\|b` | *c* |\n", long.Or(6_000, 60_000))
}

// marks opens formatting elements that are all different.
func marks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<b id=%d>", i)
	}
	return b.String()
}

func reopenedMarks(*testing.T) string {
	return "<p>" + marks(450) + strings.Repeat("<p>word", 50_000)
}

func hiddenMarks(*testing.T) string {
	return "<svg><![CDATA[><!-- ]]>" + marks(150) + "--></svg><svg><style>" + marks(150) + "</style></svg><noscript>" + marks(150) + "</noscript>" + strings.Repeat("<p>word", 50_000)
}

func linksAroundBlocks(*testing.T) string {
	return strings.Repeat("<a>"+strings.Repeat("<div>", 100)+strings.Repeat("</a>", 12)+strings.Repeat("</div>", 100), long.Or(2600, 5000))
}

// stored returns a document with an uncompressed body.
func stored(inner func() string) func(t *testing.T) string {
	return func(t *testing.T) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		f, err := z.CreateHeader(&zip.FileHeader{Name: "word/document.xml", Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(body(inner()).data)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
}

// manyParts returns a document with two million entries in its directory, all of the same name.
func manyParts(t *testing.T) string {
	one := pack(t, body(para("", "Text")))
	entry := one[strings.Index(one, "PK\x01\x02"):strings.Index(one, "PK\x05\x06")]
	return one[:strings.Index(one, "PK\x01\x02")] + strings.Repeat(entry, 1_000_000) + one[strings.Index(one, "PK\x05\x06"):]
}
