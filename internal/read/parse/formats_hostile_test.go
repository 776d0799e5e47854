package parse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/race"
)

const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`

// related returns the parts that lead to the main part of a package and from
// there to another.
func related(main, kind, target string) []part {
	at := strings.LastIndex(main, "/") + 1
	of := func(id, kind, target string) string {
		return relationships + `<Relationship Id="` + id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	return []part{{"_rels/.rels", of("r1", "officeDocument", main)}, {main[:at] + "_rels/" + main[at:] + ".rels", of("r1", kind, target)}}
}

// sheetOf returns a workbook whose only sheet holds inner.
func sheetOf(t testing.TB, inner string) string {
	const names = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	return pack(t, append(related("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml"),
		part{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`},
		part{"xl/workbook.xml", `<workbook` + names + `><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`},
		part{"xl/worksheets/sheet1.xml", `<worksheet` + names + `><sheetData>` + inner + `</sheetData></worksheet>`})...)
}

// slideOf returns a presentation whose only slide holds inner.
func slideOf(t testing.TB, inner string) string {
	const names = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	return pack(t, append(related("ppt/presentation.xml", "slide", "slide1.xml"),
		part{"ppt/presentation.xml", `<p:presentation` + names + `><p:sldIdLst><p:sldId r:id="r1"/><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`},
		part{"ppt/slide1.xml", `<p:sld` + names + `>` + inner + `</p:sld>`})...)
}

// bookOf returns an e-book with a list of its parts.
func bookOf(t testing.TB, list string) string {
	return pack(t, part{"META-INF/container.xml", `<container><rootfile full-path="a.opf"/></container>`}, part{"a.opf", list}, part{"a.xhtml", "<html><p>Text"})
}

// odtOf returns an OpenDocument text that holds inner.
func odtOf(t testing.TB, inner string) string {
	return pack(t, part{"content.xml", `<office:text xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0">` + inner + `</office:text>`})
}

func repeated(before, s string, short, full int, after string) func(*testing.T) string {
	return func(*testing.T) string { return before + strings.Repeat(s, long.Or(short, full)) + after }
}

func packedBy(pack func(testing.TB, string) string, inner func(*testing.T) string) func(*testing.T) string {
	return func(t *testing.T) string { return pack(t, inner(t)) }
}

// manyHostiles are files of the other formats that grow without bound. The names
// give the numbers of make test-long.
var manyHostiles = []hostile{
	{"CSV: a row of five million cells", domain.FormatTable, repeated("a,b\n", "x,", 300_000, 5_000_000, ""), ""},
	{"CSV: a quote without an end", domain.FormatTable, repeated("a,b\n\"", "word ", 200_000, 4_000_000, ""), ""},
	{"CSV: blank rows between all rows", domain.FormatTable, repeated("", "a,b\n\n", 210_000, 1_000_000, ""), "which is the limit"},
	{"workbook: a bomb", domain.FormatSheets, packedBy(sheetOf, repeated("<row>", "<c><v>1111111111111111</v></c>", 400_000, 3_000_000, "</row>")), "unpacks to more than"},
	{"workbook: formulas in a circle", domain.FormatSheets, packedBy(sheetOf, func(*testing.T) string {
		return `<row r="1"><c r="A1"><f>B1+1</f></c><c r="B1"><f>A1+1</f></c><c r="C1"><v>1</v></c></row>`
	}), ""},
	{"workbook: a chain of formulas", domain.FormatSheets, packedBy(sheetOf, func(*testing.T) string {
		var b strings.Builder
		for i := 1; i <= long.Or(200, 20_000); i++ {
			fmt.Fprintf(&b, `<row r="%d"><c r="A%d"><f>A%d+1</f></c></row>`, i, i, i+1)
		}
		return b.String()
	}), ""},
	{"workbook: a row at the end of the sheet", domain.FormatSheets, packedBy(sheetOf, func(*testing.T) string {
		return `<row r="1048576"><c r="XFD1048576"><v>1</v></c></row><row r="5"><c r="XFD5"><v>1</v></c></row>`
	}), ""},
	{"slides: shapes without end", domain.FormatSlides, packedBy(slideOf, repeated("", "<p:sp>", 200_000, 2_000_000, "")), "nested"},
	{"slides: a million paragraphs", domain.FormatSlides, packedBy(slideOf, repeated("<p:sp>", "<a:p><a:r><a:t>a</a:t></a:r></a:p>", 20_000, 1_000_000, "</p:sp>")), ""},
	{"JSON: ten million levels", domain.FormatRecords, repeated("", "[", 1_000_000, 10_000_000, ""), "nested"},
	{"JSON: a million records", domain.FormatRecords, repeated("", "{\"a\":1}\n", 210_000, 1_000_000, ""), "records"},
	{"JSON: a record of a million fields", domain.FormatRecords, repeated("[{\"a\":[", "1,", 100_000, 1_000_000, "1]}]"), "truncated"},
	{"mail: parts within parts", domain.FormatMail, repeated("Content-Type: multipart/mixed; boundary=b\n\n", "--b\nContent-Type: multipart/mixed; boundary=b\n\n", 1000, 100_000, ""), "parts"},
	{"mail: a hundred thousand parts", domain.FormatMail, repeated("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\na\n", 2000, 100_000, "--b--"), "parts"},
	{"mail: headers without end", domain.FormatMail, repeated("", "Subject: a\n", 50_000, 2_000_000, "\na"), ""},
	{"mailbox: a million messages", domain.FormatMailbox, repeated("", "From a\nSubject: b\n\n", 20_000, 1_000_000, ""), ""},
	{"e-book: one page named again and again", domain.FormatBook, packedBy(bookOf, repeated(`<package><item id="a" href="a.xhtml"/>`, `<itemref idref="a"/>`, 50_000, 1_000_000, "</package>")), ""},
	{"OpenDocument: nested lists", domain.FormatODT, packedBy(odtOf, repeated("", "<text:list>", 20_000, 1_000_000, "")), "nested"},
	{"OpenDocument: spaces", domain.FormatODT, packedBy(odtOf, repeated("<text:p>", `<text:s text:c="9999999"/>`, 20_000, 200_000, "a</text:p>")), ""},
	{"rich text: groups without end", domain.FormatRTF, repeated(`{\rtf1 a\par`, "{", 2_000_000, 50_000_000, ""), ""},
	{"rich text: cells without end", domain.FormatRTF, repeated(`{\rtf1 a\par`, `\cell `, 200_000, 8_000_000, ""), ""},
	{"rich text: pictures", domain.FormatRTF, repeated(`{\rtf1 a{\pict `, "00FF", 1_000_000, 20_000_000, `}b\par}`), ""},
	{"notebook: levels", domain.FormatNotebook, repeated(`{"cells":`, "[", 100_000, 10_000_000, ""), "damaged"},
	{"subtitles: a million cues", domain.FormatTranscript, repeated("", "00:00:01,000 --> 00:00:02,000\na b\n\n00:00:09,000 --> 00:00:09,000\nc\n\n", 101_000, 1_000_000, ""), "which is the limit"},
	{"code: a million paragraphs", domain.FormatCode, repeated("", "a\n\n", 201_000, 1_000_000, ""), "which is the limit"},
}

// TestManyHostileFiles runs alone, as it measures the heap.
func TestManyHostileFiles(t *testing.T) { readEach(t, manyHostiles) }

// unpacked returns the names of the files within a file, with those left out in
// parentheses.
func unpacked(t *testing.T, format domain.Format, data string) ([]string, error) {
	t.Helper()
	var names []string
	others, err := parse.New(parse.Limits{MaxBytes: 24 << 20, MaxExpanded: 48 << 20, Timeout: time.Minute}).Unpack(context.Background(), format, []byte(data), func(f parse.File) error {
		names = append(names, f.Name+" "+fmt.Sprint(len(f.Data)))
		return nil
	})
	for _, name := range others {
		names = append(names, "("+name+")")
	}
	return names, err
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	inner := pack(t, part{"deep/b.md", "# B"})
	archive := pack(t, part{"a.txt", "Hello"}, part{"../../etc/c.csv", "a,b"}, part{"photo.psd", "x"}, part{"__MACOSX/a.txt", "x"}, part{".hidden.txt", "x"}, part{"folder/", ""}, part{"more.zip", inner})
	mail := "From: a\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nHello\n--x\nContent-Disposition: attachment; filename=\"=?utf-8?q?Gr=C3=BC=C3=9Fe.txt?=\"\nContent-Transfer-Encoding: base64\n\nSGVs\nbG8=\n" +
		"--x\nContent-Type: message/rfc822\n\nSubject: inner\n\nHi\n--x\nContent-Type: image/png; name=logo.png\n\nx\n--x--\n"
	for name, tt := range map[string]struct {
		format domain.Format
		data   string
		want   []string
	}{
		"archive": {domain.FormatArchive, archive, []string{"a.txt 5", "c.csv 3", "b.md 3", "(photo.psd)"}},
		"mail":    {domain.FormatMail, mail, []string{"Grüße.txt 5", "message.eml 18"}},
		"mailbox": {domain.FormatMailbox, "From a\n" + mail + "\nFrom b\nSubject: c\n\nd\n", []string{"Grüße.txt 5", "message.eml 18"}},
	} {
		got, err := unpacked(t, tt.format, tt.data)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", name, diff, err)
		}
	}
}

// TestHostileArchives unpacks archives that were made to do harm.
func TestHostileArchives(t *testing.T) {
	race.Skip(t)
	nested := "x"
	for range 5 {
		nested = pack(t, part{"a.zip", nested})
	}
	var many []part
	for i := range 2100 {
		many = append(many, part{fmt.Sprint(i, ".txt"), "a"})
	}
	bomb := pack(t, part{"a.txt", strings.Repeat("a", 20<<20)})
	sealed := []byte(pack(t, part{"a.txt", "secret"}))
	sealed[bytes.Index(sealed, []byte("PK\x01\x02"))+8] |= 1
	for name, tt := range map[string]struct{ data, want string }{
		"a bomb":              {bomb, "times its size"},
		"archives in it":      {nested, "levels deep"},
		"too many files":      {pack(t, many...), "more than 2000 files"},
		"a password":          {string(sealed), "protected with a password"},
		"a file too large":    {stored(func() string { return strings.Repeat("a", 25<<20) })(t), "larger than"},
		"one that is cut":     {bomb[:len(bomb)/2], "damaged"},
		"no archive":          {"PK\x03\x04 and no more", "damaged"},
		"shared by all":       {strings.Repeat("PK\x01\x02", 70_000), "more than 2000 files"},
		"three, side by side": {pack(t, part{"a.zip", pack(t, part{"b.zip", pack(t, part{"c.txt", "x"})})}), ""},
	} {
		peak := watchHeap(t)
		_, err := unpacked(t, domain.FormatArchive, tt.data)
		if mb := peak() >> 20; mb > 300 {
			t.Errorf("%s: held %d MB", name, mb)
		}
		said := ""
		if err != nil {
			if message, ok := domain.MessageOf(err); ok {
				said = message
			} else {
				t.Errorf("%s: error %v is no sentence", name, err)
			}
		}
		if !strings.Contains(said, tt.want) || tt.want == "" && err != nil {
			t.Errorf("%s: said %q, want %q", name, said, tt.want)
		}
	}
}

// TestMutatedArchives damages an archive again and again. A failure names its
// seed.
func TestMutatedArchives(t *testing.T) {
	t.Parallel()
	whole := pack(t, part{"a.txt", "Hello"}, part{"b.zip", pack(t, part{"c.md", "# C"})})
	for seed := range uint64(long.Or(100, 2000)) {
		_, err := unpacked(t, domain.FormatArchive, mutate(seeded(seed), whole))
		if _, ok := domain.MessageOf(err); err != nil && !ok {
			t.Fatalf("seed %d: error %v", seed, err)
		}
	}
}

// TestMutatedScans damages a PDF of images again and again. A failure names its
// seed.
func TestMutatedScans(t *testing.T) {
	t.Parallel()
	image := pdftest.Stream("/Subtype /Image /Width 8 /Height 4 /BitsPerComponent 8 /ColorSpace [/Indexed /DeviceRGB 2 <000000FFFFFF808080>]", strings.Repeat("\x00\x01\x02\x01", 8))
	fax := pdftest.Stream("/Subtype /Image /Width 8 /Height 4 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 8 >>", "\xf0\x01\x00\x10")
	whole := pdftest.Pages([]string{"q 400 0 0 500 9 9 cm /X Do Q", "0 400 -400 0 0 0 cm /Y Do /X Do"}, "/XObject << /X 4 0 R /Y 5 0 R >>", image, fax)
	if names, err := unpacked(t, domain.FormatPDF, whole); err != nil || len(names) != 2 || !strings.HasPrefix(names[0], "1 ") {
		t.Fatalf("the whole file: %q, %v", names, err)
	}
	for seed := range uint64(long.Or(100, 2000)) {
		_, err := unpacked(t, domain.FormatPDF, mutate(seeded(seed), whole))
		if _, ok := domain.MessageOf(err); err != nil && !ok {
			t.Fatalf("seed %d: error %v", seed, err)
		}
	}
}

// TestUnpackEndsWithItsReader gives up when nobody wants more.
func TestUnpackEndsWithItsReader(t *testing.T) {
	t.Parallel()
	full := errors.New("enough")
	_, err := parse.New(parse.Limits{}).Unpack(context.Background(), domain.FormatArchive, []byte(pack(t, part{"a.txt", "x"}, part{"b.txt", "y"})), func(parse.File) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}
