package pdf_test

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"context"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/parse/pdf"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// pages returns the paragraphs of each page of a file.
func pages(t *testing.T, data string) [][]string {
	t.Helper()
	f, err := pdf.Open([]byte(data), 1<<24)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	var out [][]string
	for _, p := range f.Pages(100) {
		var texts []string
		for _, paragraph := range f.Compose(f.Draw(context.Background(), p)).Paragraphs {
			texts = append(texts, paragraph.Text)
		}
		out = append(out, texts)
	}
	return out
}

// page returns the paragraphs of a page with the given content.
func page(t *testing.T, content, resources string, extra ...string) string {
	t.Helper()
	all := pages(t, pdftest.Pages([]string{content}, resources, extra...))
	if len(all) != 1 {
		t.Fatalf("%d pages, want 1", len(all))
	}
	return strings.Join(all[0], " / ")
}

func TestTextOperators(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content, want string }{
		{"Tj", "BT /F1 10 Tf 50 700 Td (Hello world) Tj ET", "Hello world"},
		{"TJ with kerning", "BT /F1 10 Tf 50 700 Td [(Wo) 30 (rd)] TJ ET", "Word"},
		{"TJ with a gap for a space", "BT /F1 10 Tf 50 700 Td [(two) -280 (words)] TJ ET", "two words"},
		{"T* and TL", "BT /F1 10 Tf 12 TL 50 700 Td (One.) Tj T* (Two.) Tj ET", "One.\nTwo."},
		{"TD sets the leading", "BT /F1 10 Tf 50 700 Td (One.) Tj 0 -12 TD (Two.) Tj T* (Three.) Tj ET", "One.\nTwo.\nThree."},
		{"quote", "BT /F1 10 Tf 12 TL 50 700 Td (One.) Tj (Two.) ' ET", "One.\nTwo."},
		{"double quote", "BT /F1 10 Tf 12 TL 50 700 Td (One.) Tj 0 0 (Two.) \" ET", "One.\nTwo."},
		{"Tm", "BT /F1 1 Tf 10 0 0 10 50 700 Tm (One) Tj 10 0 0 10 90 700 Tm (two) Tj ET", "One two"},
		{"word and character spacing", "BT /F1 10 Tf 1 Tc 5 Tw 50 700 Td (ab cd) Tj ET", "ab cd"},
		{"horizontal scale", "BT /F1 10 Tf 50 Tz 50 700 Td (ab) Tj 5.56 0 Td (cd) Tj ET", "abcd"},
		{"a negative size", "BT /F1 -10 Tf 500 700 Td (Turned) Tj ET", "Turned"},
		{"cm, q and Q", "q 2 0 0 2 0 0 cm BT /F1 5 Tf 25 350 Td (One) Tj ET Q BT /F1 10 Tf 50 688 Td (Two) Tj ET", "One\nTwo"},
		{"a space that the next glyph covers", "BT /F1 10 Tf 50 700 Td [(Con) ( ) 278 (tent)] TJ ET", "Content"},
		{"rise", "BT /F1 10 Tf 50 700 Td (x) Tj /F1 6 Tf 4 Ts (2) Tj ET", "x²"},
		{"inline image", "BI /W 1 /H 1 ID \x00(Tj EI BT /F1 10 Tf 50 700 Td (After) Tj ET", "After"},
		{"actual text", "BT /F1 10 Tf 50 700 Td /Span << /ActualText (real) >> BDC (fake) Tj EMC ( end) Tj ET", "real end"},
		{"escapes", `BT /F1 10 Tf 50 700 Td (\(a\)\040b\\\
c \374) Tj <64 65> Tj ET`, `(a) b\c üde`},
		{"no font", "BT (lost) Tj ET", ""},
		{"operands that make no sense", "BT /F1 10 Tf 50 700 Td Tj 1 TJ (x) Td [(ok)] TJ Q Q EMC ] >> ET", "ok"},
		{"numbers beyond reason", "BT /F1 10 Tf 99999999999 0 Td (far) Tj 1 0 0 1 50 700 Tm (near) Tj ET", "near"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, page(t, tt.content, "")); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	form := pdftest.Stream("/Subtype /Form /Matrix [1 0 0 1 50 700]", "BT /F1 10 Tf (In a form) Tj ET")
	if got := page(t, "/X1 Do", "/XObject << /X1 4 0 R >>", form); got != "In a form" {
		t.Errorf("form shows %q", got)
	}
	loop := pdftest.Stream("/Subtype /Form /Resources << /Font << /F1 3 0 R >> /XObject << /X1 4 0 R >> >>", "BT /F1 10 Tf 50 700 Td (x) Tj ET /X1 Do /X1 Do")
	page(t, "/X1 Do", "/XObject << /X1 4 0 R >>", loop) // ends
}

func TestFonts(t *testing.T) {
	t.Parallel()
	toUnicode := pdftest.Stream("", "1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0001> <00660069> endbfchar 2 beginbfrange <0002> <0004> <0061> <0010> <0011> [<D83D DE00> <0078>] endbfrange")
	tests := []struct {
		name, font, shown, want string
		extra                   []string
	}{
		{"differences", "<< /Subtype /Type1 /BaseFont /X /Encoding << /Differences [65 /eacute /f_i.alt /uni0416 /u1F600 /Zcaron 90 /alpha] >> >>", "(ABCDEZ)", "éfiЖ😀Žα", nil},
		{"minus signs of options", "<< /Subtype /Type1 /BaseFont /X /Encoding << /Differences [65 /minus] >> >>", "(AAall, [Av] 3 A x AA1 aAb)", "--all, [-v] 3 − x −−1 a−b", nil},
		{"Mac Roman", "<< /Subtype /TrueType /Encoding /MacRomanEncoding >>", "<8A>", "ä", nil},
		{"Windows bullet", "<< /Subtype /TrueType /Encoding /WinAnsiEncoding >>", "<7F80>", "•€", nil},
		{"standard encoding", "<< /Subtype /Type1 /BaseFont /Times-Roman >>", "(`a' \\256)", "‘a’ fi", nil},
		{"to Unicode", "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /DW 500 /W [1 [600] 2 4 300] >>] /ToUnicode 5 0 R >>", "<000100020003000400100011>", "fiabc😀x", []string{toUnicode}},
		{"Unicode codes", "<< /Subtype /Type0 /Encoding /UniGB-UCS2-H /DescendantFonts [<< >>] >>", "<4E2D6587>", "中文", nil},
		{"Shift-JIS codes", "<< /Subtype /Type0 /Encoding /90ms-RKSJ-H /DescendantFonts [<< >>] >>", "<8D608182CD41B1>", "港≠ﾍAｱ", nil},
		{"GBK codes", "<< /Subtype /Type0 /Encoding /GBK-EUC-H /DescendantFonts [<< >>] >>", "<D6D0CEC4>", "中文", nil},
		{"Big 5 codes", "<< /Subtype /Type0 /Encoding /ETen-B5-H /DescendantFonts [<< >>] >>", "<A4A4A4E5>", "中文", nil},
		{"Korean codes", "<< /Subtype /Type0 /Encoding /KSCms-UHC-H /DescendantFonts [<< >>] >>", "<C7D1B1DB>", "한글", nil},
		{"Symbol", "<< /Subtype /Type1 /BaseFont /Symbol >>", "(a \\245 b)", "α ∞ β", nil},
		{"ZapfDingbats", "<< /Subtype /Type1 /BaseFont /ZapfDingbats >>", "(4)", "✔", nil},
		{"private characters of Wingdings", "<< /Subtype /Type0 /BaseFont /ABCDEF+Wingdings-Regular /Encoding /Identity-H /DescendantFonts [<< >>] /ToUnicode 5 0 R >>", "<0001>", "✓", []string{pdftest.Stream("", "1 beginbfchar <0001> <F0FC> endbfchar")}},
		{"built-in encoding", "<< /Subtype /Type1 /FontDescriptor << /FontFile 5 0 R >> >>", "(A)", "ff", []string{pdftest.Stream("", "%!PS /Encoding 256 array dup 65 /ff put readonly def eexec dup 65 /x put")}},
		{"type 3", "<< /Subtype /Type3 /FontMatrix [.01 0 0 .01 0 0] /FirstChar 65 /Widths [50 50] /Encoding << /Differences [65 /h /i] >> >>", "(AB)", "hi", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			content := "BT /F2 10 Tf 50 700 Td " + tt.shown + " Tj ET"
			extra := append([]string{tt.font}, tt.extra...)
			got := page(t, content, "", extra...)
			if got != tt.want {
				t.Errorf("text = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFontWithoutCharacterMap(t *testing.T) {
	t.Parallel()
	data := pdftest.Pages([]string{"BT /F2 10 Tf 50 700 Td <00010002> Tj ET"}, "",
		"<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< >>] >>")
	f, err := pdf.Open([]byte(data), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Compose(f.Draw(context.Background(), f.Pages(1)[0]))
	if c.Glyphs != 2 || c.Unknown != 2 || len(c.Paragraphs) != 0 {
		t.Errorf("content = %+v", c)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	plain := "BT /F1 10 Tf 50 700 Td (Packed) Tj ET"
	var flate bytes.Buffer
	z := zlib.NewWriter(&flate)
	if _, err := z.Write([]byte(plain)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var up bytes.Buffer
	z = zlib.NewWriter(&up)
	rows := "\x02" + plain + "\x01" + strings.Repeat("\x00", len(plain)) // up on nothing, then a row of NULs
	if _, err := z.Write([]byte(rows)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	hexadecimal := "42542F4631203130205466203530203730302054642028" + "5061636B6564" + "2920546A204554>"
	var lzwData bytes.Buffer
	lz := lzw.NewWriter(&lzwData, lzw.MSB, 8)
	if _, err := lz.Write([]byte(plain)); err != nil {
		t.Fatal(err)
	}
	if err := lz.Close(); err != nil {
		t.Fatal(err)
	}
	run := string(rune(len(plain)-1)) + plain + "\x80"
	for name, stream := range map[string]string{
		"flate":        pdftest.Stream("/Filter /FlateDecode", flate.String()),
		"cut flate":    pdftest.Stream("/Filter [/Fl]", flate.String()[:flate.Len()-5]),
		"predicted":    pdftest.Stream("/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 37 >>", up.String()),
		"hexadecimal":  pdftest.Stream("/Filter /ASCIIHexDecode", hexadecimal),
		"late LZW":     pdftest.Stream("/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>", lzwData.String()),
		"LZW":          pdftest.Stream("/Filter /LZWDecode", lzwData.String()), // too short for the codes to grow
		"run length":   pdftest.Stream("/Filter /RunLengthDecode", run),
		"two filters":  pdftest.Stream("/Filter [/AHx /RL]", strings.ToUpper(hex.EncodeToString([]byte(run)))+">"),
		"false length": strings.Replace(pdftest.Stream("", plain), "/Length 37", "/Length 9999", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
				"<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>", stream)
			if diff := cmp.Diff([][]string{{"Packed"}}, pages(t, data)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	data := pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Annots [<< /Subtype /Widget /Rect [50 700 200 720] /AP << /N 4 0 R >> >> << /Subtype /Widget /F 2 /Rect [50 600 200 620] /AP << /N 4 0 R >> >> << /Subtype /Popup >>] >>",
		pdftest.Stream("/Subtype /Form /BBox [0 0 150 20] /Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >>", "BT /F1 10 Tf 2 4 Td (Filled in) Tj ET"))
	if diff := cmp.Diff([][]string{{"Filled in"}}, pages(t, data)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestFieldsWithoutAppearances reads forms that were filled in by programs that leave the drawing to the viewer.
func TestFieldsWithoutAppearances(t *testing.T) {
	t.Parallel()
	data := pdftest.File("", "<< /Type /Catalog /Pages 2 0 R /AcroForm << /NeedAppearances true >> >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >> /Annots ["+
			"<< /Subtype /Widget /FT /Tx /V (Ada Moen) /Rect [130 695 300 715] >> << /Subtype /Widget /Parent << /FT /Ch /V <FEFF0056006900670051> >> /Rect [130 665 300 685] >> "+
			"<< /Subtype /Widget /FT /Btn /V /Yes /Rect [130 635 120 645] >> << /Subtype /Widget /FT /Tx /Ff 8192 /V (secret) /Rect [130 605 300 625] >> "+
			"<< /Subtype /Widget /FT /Tx /V (She sails\\nthe Lark.) /Rect [130 580 300 600] >>] >>",
		pdftest.Stream("", "BT /F1 10 Tf 72 700 Td (Name:) Tj 0 -30 Td (Harbour:) Tj ET"))
	if diff := cmp.Diff([][]string{{"Name: Ada Moen", "Harbour: VigQ", "She sails the Lark."}}, pages(t, data)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
