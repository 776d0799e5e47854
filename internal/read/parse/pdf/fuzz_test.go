package pdf_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/clewhq/clew/internal/read/parse/pdf"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// readAll reads every page of a file, within small limits.
func readAll(t *testing.T, data string) {
	t.Helper()
	f, err := pdf.Open([]byte(data), 1<<20)
	if err != nil {
		return
	}
	for _, p := range f.Pages(20) {
		f.Compose(f.Draw(context.Background(), p))
	}
}

// FuzzContent runs damaged content streams.
func FuzzContent(f *testing.F) {
	f.Add("q 2 0 0 2 0 0 cm BT /F1 5 Tf 25 350 Td [(One) -300 (two)] TJ (x) ' 1 2 (y) \" ET Q /X1 Do")
	f.Add("BT /F2 10 Tf 12 TL 50 700 Td <0001> Tj T* /Span << /ActualText (z) >> BDC (a) Tj EMC BI /W 1 ID x EI ET")
	form := pdftest.Stream("/Subtype /Form /Matrix [1 0 0 1 5 7]", "BT /F1 10 Tf (In a form) Tj ET /X1 Do")
	font := "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /DW 500 /W [1 [600] 2 4 300] >>] >>"
	f.Fuzz(func(t *testing.T, content string) {
		readAll(t, pdftest.Pages([]string{content}, "/XObject << /X1 5 0 R >>", font, form))
	})
}

// FuzzCMap reads damaged CMaps, to characters and of codes.
func FuzzCMap(f *testing.F) {
	f.Add("1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0001> <0066> endbfchar 2 beginbfrange <0002> <0004> <0061> <0010> <0011> [<D83DDE00> <0078>] endbfrange")
	f.Add("1 begincidrange <00> <7F> 1 endcidrange 1 begincidchar <8140> 633 endcidchar")
	f.Fuzz(func(t *testing.T, cmap string) {
		for _, entry := range []string{"/Encoding /Identity-H /ToUnicode", "/Encoding"} {
			font := "<< /Subtype /Type0 /DescendantFonts [<< >>] " + entry + " 5 0 R >>"
			readAll(t, pdftest.Pages([]string{"BT /F2 10 Tf 50 700 Td <0001000200100011417F8140> Tj ET"}, "", font, pdftest.Stream("", cmap)))
		}
	})
}

// FuzzFilters decodes damaged streams by one filter and a predictor.
func FuzzFilters(f *testing.F) {
	f.Add(0, 12, 4, "x\x9c\x01\x05\x00\xfa\xff\x02BT ET")
	f.Add(1, 1, 1, "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01")
	f.Add(2, 1, 1, "4254 4554>")
	f.Add(3, 1, 1, "<~6<~>")
	f.Add(4, 1, 1, "\x01BT\xff \x80")
	filters := []string{"FlateDecode", "LZWDecode", "ASCIIHexDecode", "ASCII85Decode", "RunLengthDecode"}
	f.Fuzz(func(t *testing.T, filter, predictor, columns int, data string) {
		entries := fmt.Sprintf("/Filter /%s /DecodeParms << /Predictor %d /Columns %d >>", filters[uint(filter)%5], predictor, columns)
		readAll(t, pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Contents 4 0 R >>", pdftest.Stream(entries, data)))
	})
}

// FuzzObjects reads damaged files whose offsets are right and whose objects
// are not.
func FuzzObjects(f *testing.F) {
	f.Add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Contents [4 0 R 4 0 R] /Annots [<< /Subtype /Widget /Rect [0 0 9 9] /AP << /N 4 0 R >> >>] >>", "<< /Length 3 >> stream\nq Q\nendstream")
	f.Add("<< /Kids 3 0 R >>", "[<< /Kids 3 0 R >> 2 0 R]", "<</A(\\")
	f.Fuzz(func(t *testing.T, pages, page, stream string) {
		readAll(t, pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", pages, page, stream))
	})
}
