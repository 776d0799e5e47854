package pdf_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/parse/pdf"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// small returns a file of two pages.
func small() string {
	return pdftest.Pages([]string{pdftest.Lines(50, 700, 10, "One."), pdftest.Lines(50, 700, 10, "Two.")}, "")
}

func TestOpenFindsPages(t *testing.T) {
	t.Parallel()
	packed := "1 0 2 34 << /Type /Catalog /Pages 2 0 R >> << /Type /Pages /Kids [3 0 R 5 0 R] /Count 2 >>"
	objects := strings.Index(packed, "<<")
	font := "/Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
	var b strings.Builder
	b.WriteString("%PDF-2.0\n")
	offsets := map[int]int{}
	for _, o := range []struct {
		number int
		data   string
	}{
		{3, "<< /Type /Page /Contents 4 0 R " + font + ">>"}, {4, pdftest.Stream("", pdftest.Lines(50, 700, 10, "One."))},
		{5, "<< /Type /Page /Contents 6 0 R " + font + ">>"}, {6, pdftest.Stream("", pdftest.Lines(50, 700, 10, "Two."))},
		{7, pdftest.Stream(fmt.Sprintf("/Type /ObjStm /N 2 /First %d", objects), packed)},
	} {
		offsets[o.number] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", o.number, o.data)
	}
	offsets[8] = b.Len()
	entries := "\x00\x00\x00\x00\x02\x00\x07\x00\x02\x00\x07\x01"
	for n := 3; n <= 8; n++ {
		entries += string([]byte{1, byte(offsets[n] >> 8), byte(offsets[n]), 0})
	}
	fmt.Fprintf(&b, "8 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF", pdftest.Stream("/Type /XRef /Size 9 /W [1 2 1] /Root 1 0 R", entries), offsets[8])
	streams := b.String()

	for name, data := range map[string]string{
		"table":                   small(),
		"streams":                 streams,
		"streams, wrong start":    strings.Replace(streams, "startxref\n", "startxref\n1", 1),
		"junk before":             "junk\n" + small(),
		"offsets wrong":           strings.ReplaceAll(small(), "000000", "000001"),
		"no cross-references":     strings.Split(small(), "xref")[0],
		"carriage returns":        strings.ReplaceAll(small(), "endobj\n", "endobj\r"),
		"previous section itself": strings.Replace(small(), "/Root", fmt.Sprintf("/Prev %d /Root", strings.LastIndex(small(), "\nxref")+1), 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([][]string{{"One."}, {"Two."}}, pages(t, data)); diff != "" {
				t.Errorf("pages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpenWithoutPages(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"nothing":           "",
		"header":            "%PDF-1.4\n",
		"cut":               small()[:60],
		"cut in an escape":  "%PDF-1.4\n1 0 obj<</A(\\",
		"catalogue to self": pdftest.File("", "1 0 R"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := pdf.Open([]byte(data), 1<<20); !errors.Is(err, pdf.ErrDamaged) {
				t.Errorf("error %v, want ErrDamaged", err)
			}
		})
	}
}

func TestStatedSizesAreNotTrusted(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"table":    strings.Replace(small(), "xref\n0 ", "xref\n0 9999999999", 1),
		"stream":   "%PDF-1.5\n1 0 obj\n" + pdftest.Stream("/Type /XRef /Size 20000000000 /W [1 2 1]", "abcd") + "\nendobj\nstartxref\n9\n%%EOF",
		"columns":  "%PDF-1.5\n1 0 obj\n" + pdftest.Stream("/Type /XRef /Size 2 /W [1 2 1] /Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 99999999999 >>", "x\x9cabcd") + "\nendobj\nstartxref\n9\n%%EOF",
		"widths":   "%PDF-1.5\n1 0 obj\n" + pdftest.Stream("/Type /XRef /Size 2 /W [1 99999999999 1]", "abcd") + "\nendobj\nstartxref\n9\n%%EOF",
		"glyphs":   pdftest.Pages([]string{"BT /F2 9 Tf (ab) Tj ET"}, "", "<< /Subtype /Type0 /DescendantFonts [<< /W [0 99999999999 500] >>] >>"),
		"no break": "%PDF-1.5\n" + strings.Repeat("[", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := pdf.Open([]byte(data), 1<<20)
			if err != nil {
				return
			}
			for _, p := range f.Pages(10) {
				f.Compose(f.Draw(context.Background(), p))
			}
		})
	}
}

func TestPagesCutsCycles(t *testing.T) {
	t.Parallel()
	data := pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 3 0 R 3 0 R] >>", "<< /Type /Page >>")
	if got := pages(t, data); len(got) != 1 {
		t.Errorf("%d pages, want 1", len(got))
	}
}

func TestPagesLimit(t *testing.T) {
	t.Parallel()
	f, err := pdf.Open([]byte(small()), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(f.Pages(1)); got != 2 {
		t.Errorf("%d pages, want limit + 1", got)
	}
}

func TestExceeded(t *testing.T) {
	t.Parallel()
	f, err := pdf.Open([]byte(pdftest.Pages([]string{strings.Repeat(" ", 5000)}, "")), 4000)
	if err != nil {
		t.Fatal(err)
	}
	if f.Exceeded() {
		t.Error("exceeded before anything was decoded")
	}
	f.Compose(f.Draw(context.Background(), f.Pages(1)[0]))
	if !f.Exceeded() {
		t.Error("not exceeded past the limit")
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"(The Log)":          "The Log",
		"<FEFF004C006F0067>": "Log",
		"<EFBBBF C3BC>":      "ü",
		"(Z\\374rich's `a')": "Zürich's `a'",
		"42":                 "",
	} {
		data := pdftest.File("/Info << /Title "+written+" >>", "<< /Pages 2 0 R >>", "<< /Kids [] >>")
		f, err := pdf.Open([]byte(data), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Title(); got != want {
			t.Errorf("title of %s = %q, want %q", written, got, want)
		}
	}
}
