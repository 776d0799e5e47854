package parse_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// places returns the place of each line of a text that has one.
func places(text domain.Text) []string {
	var out []string
	at := 0
	for line := range strings.SplitSeq(text.Content, "\n") {
		span := domain.Span{Start: at, End: at + domain.Runes(line)}
		if at = span.End + 1; line != "" {
			out = append(out, text.Place(span)+": "+line)
		}
	}
	return out
}

// TestPlaces reads a small file of each format and asks where its lines stand.
func TestPlaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		format domain.Format
		data   string
		want   []string
	}{
		{"CSV", domain.FormatTable, "Item,Price\nScrews,\"3.50\"\n\n\"Nails,\nlong\",4\n,\nBolts,5\n", []string{
			"Row 1: Item | Price", "Row 2: Screws | 3.50", "Row 4: Nails, long | 4", "Row 6: Bolts | 5",
		}},
		{"CSV with semicolons", domain.FormatTable, "\uFEFFOrt;Preis\nZürich;3,50\nBern;4,00\n", []string{"Row 1: Ort | Preis", "Row 2: Zürich | 3,50", "Row 3: Bern | 4,00"}},
		{"TSV", domain.FormatTable, "a\tb\n1\t2, 3", []string{"Row 1: a | b", "Row 2: 1 | 2, 3"}},
		{"slides", domain.FormatSlides, slides(t), []string{
			"Slide 1: Costs of 2024", "Slide 1: - Rent rose", "Slide 1:   - by a tenth", "Slide 1: Item | Price", "Slide 1: Rent | 900", "Slide 1: Notes: Ask Ann.",
			"Slide 3: Thanks",
		}},
		{"JSON Lines", domain.FormatRecords, `{"id":1,"text":"The harbour was built of stone.","tags":["a","b"]}` + "\n" + `{"id":2,"text":"It burned down.","by":{"name":"Ann"}}` + "\n", []string{
			"Record 1: The harbour was built of stone.", "Record 1: id: 1", "Record 1: tags: a", "Record 1: tags: b",
			"Record 2: It burned down.", "Record 2: id: 2", "Record 2: by.name: Ann",
		}},
		{"JSON", domain.FormatRecords, `{"source":"x","data":[{"q":"Who?"},{"q":"When?"}]}`, []string{"Record 1: q: Who?", "Record 2: q: When?", "Record 3: source: x"}},
		{"mailbox", domain.FormatMailbox, "From a Mon\nSubject: One\nFrom: Ann <a@x>\n\nHello\n>From here\n\nFrom b Tue\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n\nBye\n", []string{
			"Message 1: One", "Message 1: From: Ann <a@x>", "Message 1: Hello", "Message 1: >From here", "Message 2: Grüße", "Message 2: Bye",
		}},
		{"SubRip", domain.FormatTranscript, "1\n00:00:01,000 --> 00:00:03,500\n<i>The harbour</i> was\n\n2\n00:00:03,500 --> 00:00:05,000\nbuilt of stone.\n\n3\n01:02:03,000 --> 01:02:05,000\nLater.\n", []string{
			"00:00:01–00:00:03: The harbour was built of stone.", "01:02:03: Later.",
		}},
		{"WebVTT", domain.FormatTranscript, "WEBVTT\n\nNOTE x\n\n00:12.000 --> 00:14.000 align:start\n<v Ann>Hello <c>there</c>\n\n00:14.000 --> 00:15.000\n<v Bob>Hi\n", []string{"00:00:12: Ann: Hello there", "00:00:14: Bob: Hi"}},
		{"code", domain.FormatCode, "package a\n\n\n// B does.\nfunc B() {\n\treturn\n}\n", []string{"Line 1: package a", "Line 4: // B does.", "Line 5: func B() {", "Line 6:     return", "Line 7: }"}},
		{"notebook", domain.FormatNotebook, `{"cells":[{"cell_type":"markdown","source":["# Title\n","Some *text*."]},{"cell_type":"code","source":"print(1)","outputs":[{"text":["1\n"]},{"data":{"text/plain":"2","image/png":"x"}}]}],"nbformat":4}`, []string{
			"Cell 1: Title", "Cell 1: Some text.", "Cell 2: print(1)", "Cell 2: 1", "Cell 2: 2",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, places(read(t, tt.format, tt.data))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFormatsByHeadings reads files whose headings say where a passage stands.
func TestFormatsByHeadings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		format   domain.Format
		data     string
		title    string
		headings []string
		want     string
	}{
		{"e-book", domain.FormatBook, book(t), "The Harbour", []string{"# One", "# Two"}, "One\n\nIt was built.\n\nTwo\n\nIt burned."},
		{"OpenDocument", domain.FormatODT, odt(t), "Report", []string{"# Report", "## Costs"}, "Report\n\nA paragraph with a note [^1] in it.\n\nCosts\n\n- one\n  - two\n\nItem | Price\nRent | 900\n\n[^1] Really."},
		{"rich text", domain.FormatRTF, `{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title Report}{\author Ann}}{\header Page}\pard\outlinelevel0 Costs\par\pard Caf\'e9 \u8364?5 {\b bold}{\v secret}{\*\bkmkstart x}\par` +
			`\trowd\pard\intbl Item\cell Price\cell\row\trowd\pard\intbl Rent\cell 900\cell\row\pard\u55357?\u56832? end\par}`, "Report", []string{"# Costs"}, "Costs\n\nCafé €5 bold\n\nItem | Price\nRent | 900\n\n😀 end"},
		{"mail", domain.FormatMail, "From: Ann <ann@x.org>\r\nTo: Bob <bob@x.org>\r\nSubject: =?iso-8859-1?Q?Caf=E9?=\r\nDate: Mon, 02 Jan 2006 15:04:05 -0700\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" +
			"Content-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nThe caf=E9 is open.\r\n--c\r\nContent-Type: text/html\r\n\r\n<p>The <b>caf&eacute;</b>\r\n--c--\r\n" +
			"--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--b--\r\n", "Café", []string{"# Café"},
			"Café\n\nFrom: Ann <ann@x.org>\nTo: Bob <bob@x.org>\nDate: 2 January 2006, 15:04 -0700\nAttached: a.pdf\n\nThe café is open."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := read(t, tt.format, tt.data)
			if text.Title != tt.title {
				t.Errorf("title %q, want %q", text.Title, tt.title)
			}
			if diff := cmp.Diff(tt.headings, outline(text)); diff != "" {
				t.Errorf("headings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, text.Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

// slides returns a presentation of three slides, the second hidden.
func slides(t testing.TB) string {
	const names = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	relation := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + target + `"/>`
	}
	relations := func(name string, list ...string) part {
		return part{name, `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + strings.Join(list, "") + `</Relationships>`}
	}
	shape := func(kind string, paragraphs ...string) string {
		return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="` + kind + `"/></p:nvPr></p:nvSpPr><p:txBody>` + strings.Join(paragraphs, "") + `</p:txBody></p:sp>`
	}
	line := func(level, text string) string {
		return `<a:p><a:pPr lvl="` + level + `"/><a:r><a:t>` + text + `</a:t></a:r></a:p>`
	}
	cell := func(text string) string { return "<a:tc><a:txBody>" + line("0", text) + "</a:txBody></a:tc>" }
	table := "<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>" + cell("Item") + cell("Price") + "</a:tr><a:tr>" + cell("Rent") + cell("900") + "</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
	slide := func(n, attributes, shapes string) part {
		return part{"ppt/slides/slide" + n + ".xml", `<p:sld` + names + attributes + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`}
	}
	return pack(t,
		relations("_rels/.rels", relation("r1", "officeDocument", "ppt/presentation.xml")),
		part{"ppt/presentation.xml", `<p:presentation` + names + `><p:sldIdLst><p:sldId id="256" r:id="r7"/><p:sldId id="257" r:id="r3"/><p:sldId id="258" r:id="r2"/></p:sldIdLst></p:presentation>`},
		relations("ppt/_rels/presentation.xml.rels", relation("r7", "slide", "slides/slide1.xml"), relation("r3", "slide", "slides/slide2.xml"), relation("r2", "slide", "/ppt/slides/slide3.xml")),
		slide("1", "", shape("body", line("0", "Rent rose"), line("1", "by a tenth"))+shape("title", line("0", "Costs of 2024"))+shape("sldNum", line("0", "1"))+table),
		relations("ppt/slides/_rels/slide1.xml.rels", relation("r1", "notesSlide", "../notesSlides/notesSlide1.xml")),
		part{"ppt/notesSlides/notesSlide1.xml", `<p:notes` + names + `>` + shape("body", line("0", "Ask Ann.")) + shape("sldNum", line("0", "1")) + `</p:notes>`},
		slide("2", ` show="0"`, shape("title", line("0", "Hidden"))),
		slide("3", "", shape("ctrTitle", line("0", "Thanks"))))
}

// book returns an e-book of two chapters, listed before they are read.
func book(t testing.TB) string {
	chapter := func(title, text string) string {
		return `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><h1>` + title + `</h1><p>` + text + `</p></body></html>`
	}
	return pack(t, part{"mimetype", "application/epub+zip"},
		part{"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`},
		part{"OEBPS/book.opf", `<package><metadata><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">The Harbour</dc:title><dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Maud Ferring</dc:creator><dc:date xmlns:dc="http://purl.org/dc/elements/1.1/">1897</dc:date><dc:language xmlns:dc="http://purl.org/dc/elements/1.1/">en-GB</dc:language></metadata><manifest><item id="b" href="two.xhtml"/><item id="a" href="text/one%201.xhtml"/><item id="n" href="nav.xhtml" properties="nav"/></manifest>` +
			`<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/></spine></package>`},
		part{"OEBPS/nav.xhtml", chapter("Contents", "One, two")}, part{"OEBPS/text/one 1.xhtml", chapter("One", "It was built.")}, part{"OEBPS/two.xhtml", chapter("Two", "It burned.")})
}

// odt returns an OpenDocument text.
func odt(t testing.TB) string {
	return pack(t, part{"mimetype", "application/vnd.oasis.opendocument.text"}, part{"content.xml", `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text>` +
		`<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:h text:outline-level="1">Report</text:h><text:p>A<text:s text:c="2"/>paragraph with a note<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p> Really.</text:p></text:note-body></text:note> in it.</text:p>` +
		`<text:h text:outline-level="2">Costs</text:h><text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item></text:list></text:list-item></text:list>` +
		`<table:table><table:table-row><table:table-cell><text:p>Item</text:p></table:table-cell><table:table-cell><text:p>Price</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Rent</text:p></table:table-cell><table:table-cell><text:p>900</text:p></table:table-cell></table:table-row></table:table>` +
		`</office:text></office:body></office:document-content>`})
}

// workbook returns a workbook with two tables in a sheet, a formula without a
// value, and a hidden sheet.
func workbook(t testing.TB) string {
	t.Helper()
	book := excelize.NewFile()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(book.SetSheetName("Sheet1", "Costs"))
	for cell, value := range map[string]any{"A1": "Item", "B1": "Price", "A2": "Rent", "B2": 900, "A3": "Power", "B3": 100.5, "A4": "Sum", "A7": "Year", "B7": "Month", "A8": 2024, "B8": "May"} {
		must(book.SetCellValue("Costs", cell, value))
	}
	must(book.SetCellFormula("Costs", "B4", "SUM(B2:B3)"))
	for _, name := range []string{"Empty", "Secret"} {
		_, err := book.NewSheet(name)
		must(err)
	}
	must(book.SetCellValue("Secret", "A1", "hidden"))
	must(book.SetSheetVisible("Secret", false))
	var b bytes.Buffer
	must(book.Write(&b))
	return b.String()
}

func TestSheets(t *testing.T) {
	t.Parallel()
	text := read(t, domain.FormatSheets, workbook(t))
	want := []string{
		"Sheet Costs: Costs", "Sheet Costs, row 1: Item | Price", "Sheet Costs, row 2: Rent | 900", "Sheet Costs, row 3: Power | 100.5", "Sheet Costs, row 4: Sum | 1000.5",
		"Sheet Costs, row 7: Year | Month", "Sheet Costs, row 8: 2024 | May", "Sheet Empty: Empty",
	}
	if diff := cmp.Diff(want, places(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1 sheet is hidden and left out."}, text.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if got := text.Place(domain.Span{Start: 0, End: 30}); got != "Sheet Costs, rows 1–2" {
		t.Errorf("from the name of the sheet on: %q", got)
	}
}

func TestTheTextOfRecordsIsChosen(t *testing.T) {
	t.Parallel()
	records := `{"note":"A long note that nobody wants to have as the text of this record at all, ever, whatever happens.","by":{"said":"Short."}}`
	for field, want := range map[string]string{
		"":        "A long note",
		"said":    "Short.\n\nnote: A long",
		"by.said": "Short.\n\nnote: A long",
		"missing": "A long note",
	} {
		text, err := parse.New(parse.Limits{}).TextIn(field).Parse(t.Context(), "file", domain.FormatRecords, []byte(records))
		if err != nil || !strings.HasPrefix(text.Content, want) || (len(text.Warnings) > 0) != (field == "missing") {
			t.Errorf("%q: %q, warnings %q, error %v", field, text.Content, text.Warnings, err)
		}
	}
}
