package parse_test

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// parts of Office files that tests put together.
const (
	chartXML = `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>` +
		`<c:title><c:tx><c:rich><a:p><a:r><a:t>Barrels </a:t></a:r><a:r><a:t>sold</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>` +
		`<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Herring</c:v></c:pt></c:strCache></c:strRef></c:tx>` +
		`<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>Spring</c:v></c:pt><c:pt idx="1"><c:v>Autumn</c:v></c:pt></c:strCache></c:strRef></c:cat>` +
		`<c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode><c:pt idx="0"><c:v>120</c:v></c:pt><c:pt idx="1"><c:v>340</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>` +
		`<c:ser><c:tx><c:v>Cod</c:v></c:tx><c:val><c:numRef><c:numCache><c:pt idx="1"><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart>` +
		`<c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>axis</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>`
	chartText  = "Chart: Barrels sold\n\nCategory | Herring | Cod\nSpring | 120 |\nAutumn | 340 | 7"
	diagramXML = `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="0" type="doc"/>` +
		`<dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Harbour master</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="3"><dgm:t><a:p><a:r><a:t>Warden</a:t></a:r></a:p></dgm:t></dgm:pt>` +
		`<dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Pilots</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>` +
		`<dgm:cxnLst><dgm:cxn modelId="9" srcId="0" destId="1"/><dgm:cxn modelId="8" srcId="1" destId="2"/><dgm:cxn modelId="7" srcId="0" destId="3"/></dgm:cxnLst></dgm:dataModel>`
	rels    = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	relKind = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
)

func rel(id, kind, target string) string {
	return fmt.Sprintf(`<Relationship Id="%s" Type="%s%s" Target="%s"/>`, id, relKind, kind, target)
}

// wordWith returns a Word document with a body and what it refers to.
func wordWith(t *testing.T, body, related string, parts ...part) string {
	return pack(t, append(parts, part{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"><w:body>` + body + `</w:body></w:document>`},
		part{"word/_rels/document.xml.rels", rels + related + `</Relationships>`})...)
}

// TestObjectsInWord reads what stands in a Word document beside its text.
func TestObjectsInWord(t *testing.T) {
	t.Parallel()
	p := func(s string) string { return `<w:p><w:r><w:t>` + s + `</w:t></w:r></w:p>` }
	data := wordWith(t, p("Before.")+`<w:p><w:r><w:drawing><c:chart r:id="c1"/></w:drawing></w:r></w:p>`+p("Between.")+`<w:p><w:r><w:drawing><dgm:relIds r:dm="d1" r:lo="x"/></w:drawing></w:r></w:p>`+
		`<w:altChunk r:id="a1"/><w:altChunk r:id="a2"/><w:altChunk r:id="a3"/>`+p("After."),
		rel("c1", "chart", "charts/chart1.xml")+rel("d1", "diagramData", "diagrams/data1.xml")+rel("a1", "aFChunk", "afchunk1.html")+rel("a2", "aFChunk", "afchunk2.rtf")+rel("a3", "aFChunk", "afchunk3.docx")+
			rel("e1", "package", "embeddings/Sheet1.xlsx")+rel("k1", "comments", "comments.xml"),
		part{"word/charts/chart1.xml", chartXML}, part{"word/diagrams/data1.xml", diagramXML}, part{"word/afchunk1.html", `<html><body><p>Rosa Kern founded the <b>choir</b>.</p></body></html>`},
		part{"word/afchunk2.rtf", `{\rtf1\ansi Caf\'e9 rules.\par}`}, part{"word/afchunk3.docx", wordWith(t, p("From within."), "")}, part{"word/embeddings/Sheet1.xlsx", "x"}, part{"word/comments.xml", "<x/>"})
	got := read(t, domain.FormatDOCX, data)
	want := "Before.\n\n" + chartText + "\n\nBetween.\n\n- Harbour master\n  - Pilots\n- Warden\n\nRosa Kern founded the choir.\n\nCafé rules.\n\nFrom within.\n\nAfter."
	if diff := cmp.Diff(want, got.Content); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if said := strings.Join(got.Warnings, "\n"); !strings.Contains(said, "Sheet1.xlsx") || !strings.Contains(said, "comments") {
		t.Errorf("warnings %q", said)
	}
}

// TestChartsInODT reads the chart of an OpenDocument text as its table.
func TestChartsInODT(t *testing.T) {
	t.Parallel()
	const spaces = ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`
	cell := func(s string) string { return `<table:table-cell><text:p>` + s + `</text:p></table:table-cell>` }
	got := read(t, domain.FormatODT, pack(t,
		part{"content.xml", `<office:text` + spaces + `><text:p>Before.<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p></office:text>`},
		part{"Object 1/content.xml", `<office:chart` + spaces + `><chart:chart><chart:title><text:p>Barrels</text:p></chart:title><table:table><table:table-row>` + cell("Year") + cell("Sold") + `</table:table-row><table:table-row>` + cell("1931") + cell("340") + `</table:table-row></table:table></chart:chart></office:chart>`}))
	if want := "Before.\n\nBarrels\n\nYear | Sold\n1931 | 340"; got.Content != want {
		t.Errorf("read %q, want %q", got.Content, want)
	}
}

// TestPagesOutsideTheOrderOfABook reads notes to which only links lead.
func TestPagesOutsideTheOrderOfABook(t *testing.T) {
	t.Parallel()
	page := func(s string) string { return `<html><body><p>` + s + `</p></body></html>` }
	got := read(t, domain.FormatBook, pack(t, part{"META-INF/container.xml", `<container><rootfile full-path="a.opf"/></container>`},
		part{"a.opf", `<package><manifest><item id="l" href="loose.xhtml" media-type="application/xhtml+xml"/><item id="n" href="notes.xhtml" media-type="application/xhtml+xml"/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>` +
			`<item id="t" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="n" linear="no"/><itemref idref="a"/></spine></package>`},
		part{"a.xhtml", page("The story.")}, part{"notes.xhtml", page("A note.")}, part{"loose.xhtml", page("Loose.")}, part{"nav.xhtml", page("Contents")}))
	if want := "The story.\n\nA note.\n\nLoose."; got.Content != want {
		t.Errorf("read %q, want %q", got.Content, want)
	}
}

const invitation = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Oslo:20310304T090000\r\nDTEND;TZID=Europe/Oslo:20310304T103000\r\nSUMMARY:Board meeting\\, spring\r\n" +
	"LOCATION:Harbour house\r\nORGANIZER;CN=Ada Moen:mailto:ada@x.org\r\nATTENDEE;CN=\"Bo; Lund\":mailto:bo@x.org\r\nATTENDEE:mailto:kai@x.org\r\nDESCRIPTION:The budget and\r\n  the quay.\\nBring figures.\r\nBEGIN:VALARM\r\nDESCRIPTION:Ring\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"

// TestCalendars reads an invitation by itself and in a mail.
func TestCalendars(t *testing.T) {
	t.Parallel()
	want := "Board meeting, spring\n\nWhen: 4 March 2031, 09:00 Europe/Oslo to 4 March 2031, 10:30 Europe/Oslo\nWhere: Harbour house\nOrganizer: Ada Moen\nWith: Bo; Lund, kai@x.org\n\nThe budget and the quay.\nBring figures."
	if got := read(t, domain.FormatText, invitation).Content; got != want {
		t.Errorf("read %q, want %q", got, want)
	}
	mail := "From: a@x.org\r\nSubject: Invitation\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nPlease come.\r\n--b\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\n" + invitation + "\r\n--b--\r\n"
	if got := read(t, domain.FormatMail, mail).Content; !strings.HasSuffix(got, "Please come.\n\n"+want) {
		t.Errorf("the mail: %q", got)
	}
}

// TestMailOfOutlook reads the attachments that Outlook packs.
func TestMailOfOutlook(t *testing.T) {
	t.Parallel()
	attribute := func(level byte, id uint32, data string) string {
		b := binary.LittleEndian.AppendUint32([]byte{level}, id)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
		return string(b) + data + "\x00\x00"
	}
	packed := "\x78\x9f\x3e\x22\x01\x00" + attribute(1, 0x0002800C, "See the contract.\x00") + attribute(2, 0x00069002, "render") + attribute(2, 0x00018010, "contract.txt\x00") + attribute(2, 0x0006800F, "Signed in Vik.")
	mail := "From: a@x.org\r\nSubject: Contract\r\nContent-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\n"
	got := read(t, domain.FormatMail, mail+base64.StdEncoding.EncodeToString([]byte(packed)))
	if want := "Contract\n\nFrom: a@x.org\nAttached: contract.txt\n\nSee the contract."; got.Content != want || len(got.Warnings) > 0 {
		t.Errorf("read %q, %q, want %q", got.Content, got.Warnings, want)
	}
	if cut := read(t, domain.FormatMail, mail+base64.StdEncoding.EncodeToString([]byte(packed[:len(packed)-20]))); !strings.Contains(strings.Join(cut.Warnings, ""), "winmail.dat") {
		t.Errorf("one that is cut off: %q", cut.Warnings)
	}
}

// TestRollingCaptions reads captions that say each line several times.
func TestRollingCaptions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		want []string
	}{
		"YouTube": {"WEBVTT\nKind: captions\n\n00:00:01.000 --> 00:00:03.000 align:start position:0%\n \nthe<00:00:01.200><c> harbour</c><00:00:01.600><c> master</c>\n\n00:00:03.000 --> 00:00:03.010 align:start position:0%\nthe harbour master\n \n\n" +
			"00:00:03.010 --> 00:00:05.000 align:start position:0%\nthe harbour master\nis<00:00:03.500><c> Ada</c><00:00:04.000><c> Moen</c>\n\n00:00:05.000 --> 00:00:05.010\nis Ada Moen\n \n", []string{"Time 1: the harbour master", "Time 3: is Ada Moen"}},
		"SRT":                           {"1\n00:00:01,000 --> 00:00:02,000\none two\n\n2\n00:00:02,000 --> 00:00:03,000\none two\nthree four\n\n3\n00:00:03,000 --> 00:00:04,000\nthree four\nfive six\n", []string{"Time 1: one two", "Time 2: three four", "Time 3: five six"}},
		"said twice, with time between": {"1\n00:00:01,000 --> 00:00:02,000\nNo.\n\n2\n00:00:09,000 --> 00:00:10,000\nNo.\n", []string{"Time 1: No.", "Time 9: No."}},
		"growing":                       {"1\n00:00:01,000 --> 00:00:02,000\nthe old mill\n\n2\n00:00:02,000 --> 00:00:03,000\nthe old mill burned\n", []string{"Time 1: the old mill", "Time 2: burned"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			text := read(t, domain.FormatTranscript, c.data)
			for _, p := range text.Pages {
				got = append(got, fmt.Sprintf("Time %d: %s", p.Number, p.Span.Slice(text.Content)))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDamagedRecords reads what is sound of JSON with mistakes that programs make.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data, want string
		warned     []string
	}{
		"a bad line, blank ones and NaN": {"\uFEFF{\"text\":\"One is here.\"}\n\n{'text': 'two'}\n{\"text\":\"Three is here.\",\"n\":NaN},\n{\"text\":\"Four", "One is here.\n\nThree is here.", []string{"Line 3 ", "Line 5 "}},
		"infinities and commas":          {`{"a": -Infinity, "list": [1, 2, ], "text": "NaN, he said,] loudly.", }`, "NaN, he said,] loudly.\n\nlist: 1\nlist: 2", nil},
		"a list, a record a line":        {"[\n{\"text\":\"One is here.\"},\n{\"text\":\"Two\",,},\n{\"text\":\"Three is here.\"}\n]", "One is here.\n\nThree is here.", []string{"Line 3 "}},
		"a first line that is bad":       {"oops\n{\"text\":\"One is here.\"}\n{\"text\":\"Two is here.\"}\n", "One is here.\n\nTwo is here.", []string{"Line 1 "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, domain.FormatRecords, c.data)
			if got.Content != c.want || len(got.Warnings) != len(c.warned) {
				t.Errorf("read %q, %q, want %q", got.Content, got.Warnings, c.want)
				return
			}
			for i, w := range c.warned {
				if !strings.HasPrefix(got.Warnings[i], w) {
					t.Errorf("warned %q, want %q", got.Warnings[i], w)
				}
			}
		})
	}
	many := strings.Repeat("{\"text\":\"One is here.\"}\nbad\n", 100)
	if got := read(t, domain.FormatRecords, many); len(got.Warnings) != 21 || !strings.HasPrefix(got.Warnings[20], "80 lines more") {
		t.Errorf("%d warnings: %q", len(got.Warnings), got.Warnings[len(got.Warnings)-1])
	}
}

// TestBrokenLists reads what can be read of lists and lines that programs broke.
func TestBrokenLists(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want, warning string }{
		"a list cut off":       {"[{\"t\":\"one\"},\n{\"t\":\"two\"},\n{\"t\":\"thr", "t: one\n\nt: two", "Line 3"},
		"a list in lines":      {"[{\"t\":\"one\"}\n{\"t\":\"two\"}]\n", "t: one\n\nt: two", ""},
		"two in a line":        {"{\"t\":\"one\"}\n{\"t\":\"two\"}{\"t\":\"three\"}\n", "t: one\n\nt: two\n\nt: three", ""},
		"a tab in a word":      {"{\"t\":\"one\ttwo\"}\n{\"t\":\"x\"}\n", "t: one two\n\nt: x", ""},
		"a comment":            {"{\"t\":\"one\"}\n// no\n{\"t\":\"two\"}\n", "t: one\n\nt: two", "Line 2"},
		"words beside a value": {"{\"t\":\"one\"} x\n{\"t\":\"two\"}\n{\"t\":\"three\"}\n", "t: two\n\nt: three", "Line 1"},
	} {
		got := read(t, domain.FormatRecords, c.data)
		if said := strings.Join(got.Warnings, "\n"); got.Content != c.want || !strings.Contains(said, c.warning) || c.warning == "" && said != "" {
			t.Errorf("%s: content %q, warnings %q, want %q", name, got.Content, said, c.want)
		}
	}
	table := read(t, domain.FormatTable, "sep=;\r\na;b\r\n1,5;2\r\n")
	if table.Content != "a | b\n1,5 | 2" || table.Pages[0].Number != 2 {
		t.Errorf("a table that states what parts its cells: %q, %v", table.Content, table.Pages)
	}
	calendar := read(t, domain.FormatText, "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=B6=\r\n=C3=9Fe\r\nDTSTART:20240305T140000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
	if want := "Größe\n\nWhen: 5 March 2024, 14:00"; calendar.Content != want {
		t.Errorf("a calendar of old: %q, want %q", calendar.Content, want)
	}
}
