package parse_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/testkit/race"
)

// A part is a file in a package.
type part struct{ name, data string }

// pack returns a zip file of parts.
func pack(t testing.TB, parts ...part) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		method := zip.Deflate
		if p.name == "mimetype" {
			method = zip.Store
		}
		f, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, p.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const wordNamespace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

// body returns a document part that contains inner.
func body(inner string) part {
	return part{"word/document.xml", `<?xml version="1.0"?><w:document ` + wordNamespace +
		` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>` + inner + `</w:body></w:document>`}
}

// para returns a paragraph of plain text with properties.
func para(properties, text string) string {
	return "<w:p><w:pPr>" + properties + "</w:pPr><w:r><w:t>" + text + "</w:t></w:r></w:p>"
}

// style returns a reference to a paragraph style.
func style(id string) string { return `<w:pStyle w:val="` + id + `"/>` }

// item returns the properties of a list item.
func item(depth string) string {
	return `<w:numPr><w:ilvl w:val="` + depth + `"/><w:numId w:val="1"/></w:numPr>`
}

func TestReadDOCX(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"runs", `<w:p><w:r><w:t>One </w:t></w:r><w:hyperlink><w:r><w:t xml:space="preserve">two</w:t></w:r></w:hyperlink><w:r><w:tab/><w:t>three</w:t><w:br/><w:t>four</w:t></w:r></w:p>`, "One two three\nfour"},
		{"paragraphs", para("", "One") + para("", " ") + para("", "Two &amp; three"), "One\n\nTwo & three"},
		{"revisions", `<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText><w:t>old</w:t></w:r></w:del></w:p>`, "new"},
		{"fields", `<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>`, "7"},
		{"list", para("", "Before") + para(item("0"), "one") + para(item("1"), "deep") + para(item("0"), "two") + para("", "After"), "Before\n\n- one\n  - deep\n- two\n\nAfter"},
		{"table", `<w:tbl><w:tr><w:tc>` + para("", "City") + `</w:tc><w:tc>` + para("", "Since") + `</w:tc></w:tr><w:tr><w:tc>` + para("", "Brae") + para("", "Town") + `</w:tc><w:tc>` + para("", "1820") + `</w:tc></w:tr></w:tbl>`, "City | Since\nBrae Town | 1820"},
		{"table in a table", `<w:tbl><w:tr><w:tc>` + para("", "a") + `<w:tbl><w:tr><w:tc>` + para("", "b") + `</w:tc><w:tc>` + para("", "c") + `</w:tc></w:tr></w:tbl></w:tc><w:tc>` + para("", "d") + `</w:tc></w:tr></w:tbl>`, "a b, c | d"},
		{"text box", `<w:p><w:r><w:t>outer</w:t></w:r><mc:AlternateContent><mc:Choice>` + para("", "boxed") + `</mc:Choice><mc:Fallback>` + para("", "boxed") + `</mc:Fallback></mc:AlternateContent></w:p>`, "boxed\n\nouter"},
		{"contents", para(style("TOC1"), "Chapter 1 . . . 7") + para("", "Text"), "Text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, domain.FormatDOCX, pack(t, body(tt.in))).Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadDOCXHeadingsFromStyles(t *testing.T) {
	t.Parallel()
	styles := part{"word/styles.xml", `<w:styles ` + wordNamespace + `>
		<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
		<w:style w:type="paragraph" w:styleId="Eigen"><w:name w:val="My own"/><w:basedOn w:val="berschrift2"/></w:style>
		<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="Heading 2"/></w:style>
		<w:style w:type="paragraph" w:styleId="Deep"><w:name w:val="Deep"/><w:pPr><w:outlineLvl w:val="3"/></w:pPr></w:style>
		<w:style w:type="paragraph" w:styleId="Ring"><w:name w:val="ring"/><w:basedOn w:val="Ring"/></w:style>
		<w:style w:type="paragraph" w:styleId="Punkte"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:style>
		<w:style w:type="paragraph" w:styleId="Verz1"><w:name w:val="toc 1"/></w:style>
	</w:styles>`}
	in := body(para(style("Verz1"), "One . . . 1") + para(style("berschrift1"), "One") + para(style("Eigen"), "Two") + para(style("Deep"), "Four") +
		para(style("Ring"), "ring") + para(style("Heading3"), "Three") + para(`<w:outlineLvl w:val="4"/>`, "Five") + para(`<w:outlineLvl w:val="9"/>`, "text") + para(style("Punkte"), "point"))
	text := read(t, domain.FormatDOCX, pack(t, in, styles))
	if diff := cmp.Diff([]string{"# One", "## Two", "#### Four", "### Three", "##### Five"}, outline(text)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	if want := "One\n\nTwo\n\nFour\n\nring\n\nThree\n\nFive\n\ntext\n\n- point"; text.Content != want {
		t.Errorf("content = %q, want %q", text.Content, want)
	}
}

func TestReadDOCXTitle(t *testing.T) {
	t.Parallel()
	core := func(title string) part {
		return part{"docProps/core.xml", `<cp:p xmlns:cp="x" xmlns:dc="y"><dc:creator>No</dc:creator><dc:title>` + title + `</dc:title></cp:p>`}
	}
	titled := body(para(style("Title"), "The Log") + para(style("Heading1"), "One"))
	tests := []struct {
		name  string
		parts []part
		want  string
	}{
		{"properties", []part{core("A &amp; B"), titled}, "A & B"},
		{"properties of a program", []part{core("Microsoft Word - x.doc"), titled}, "The Log"},
		{"title style", []part{titled}, "The Log"},
		{"first heading", []part{body(para("", "x") + para(style("Heading2"), "No") + para(style("Heading1"), "One"))}, "One"},
		{"none", []part{body(para("", "x"))}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, domain.FormatDOCX, pack(t, tt.parts...)).Title; got != tt.want {
				t.Errorf("title = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadDOCXPackages(t *testing.T) {
	t.Parallel()
	elsewhere := body(para("", "Found."))
	elsewhere.name = "odd/Main.XML"
	backslashes := body(para("", "Found."))
	backslashes.name = `word\document.xml`
	prefixed := body("")
	prefixed.data = `<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"><body><p><r><t>Found.</t></r></p></body></document>`
	note := part{"word/footnotes.xml", `<w:footnotes ` + wordNamespace + `><w:footnote>` + para("", "Found.") + `</w:footnote></w:footnotes>`}
	for name, parts := range map[string][]part{
		"main part named elsewhere": {{"_rels/.rels", `<Relationships><Relationship Type="http://x/officeDocument" Target="/odd/Main.xml"/></Relationships>`}, elsewhere},
		"backslashes":               {backslashes},
		"odd names":                 {{"../../etc/passwd", "x"}, {"/abs", "x"}, {"a\x00b", "x"}, body(para("", "Found."))},
		"same name twice":           {body(para("", "Found.")), body(para("", "Second."))},
		"strict, without prefix":    {prefixed},
		"footnote":                  {body(""), note},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, domain.FormatDOCX, pack(t, parts...)).Content; got != "Found." {
				t.Errorf("content = %q", got)
			}
		})
	}
}

func TestReadDOCXRefuses(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	whole := pack(t, body(para("", strings.Repeat("word ", 1000))))
	tests := []struct {
		name, data string
		limits     parse.Limits
		kind       domain.Kind
		want       string
	}{
		{"truncated", whole[:len(whole)/2], parse.Limits{}, domain.Invalid, "damaged or incomplete"},
		{"no zip", "PK but no more", parse.Limits{}, domain.Invalid, "damaged or incomplete"},
		{"no document", pack(t, part{"photo.jpg", "x"}), parse.Limits{}, domain.Invalid, "without a Word document in it"},
		{"broken XML", pack(t, part{"word/document.xml", "<w:p><w:r>"}), parse.Limits{}, domain.Invalid, "damaged or incomplete"},
		{"a bomb", pack(t, body(strings.Repeat("<w:p></w:p>", 1<<20))), parse.Limits{}, domain.TooLarge, "unpacks to more than 200 times its size"},
		{"over the limit", whole, parse.Limits{MaxExpanded: 1000}, domain.TooLarge, "unpacks to more than the limit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := refuse(t, tt.limits, domain.FormatDOCX, tt.data, tt.kind); !strings.Contains(got, tt.want) {
				t.Errorf("refused with %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadDOCXNestedDeeply(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"elements": strings.Repeat("<w:sdt>", 5_000) + para("", "x") + strings.Repeat("</w:sdt>", 5_000),
		"tables":   strings.Repeat("<w:tbl><w:tr><w:tc>", 2_000) + strings.Repeat("</w:tc></w:tr></w:tbl>", 2_000) + para("", "x"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, domain.FormatDOCX, pack(t, body(in))).Content; got != "x" {
				t.Errorf("content = %q", got)
			}
		})
	}
}
