package parse_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// fixture reads a file of testdata.
func fixture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReadPDF(t *testing.T) {
	t.Parallel()
	text := read(t, domain.FormatPDF, fixture(t, "columns.pdf"))
	want := strings.TrimSuffix(fixture(t, "columns.txt"), "\n")
	if diff := cmp.Diff(want, text.Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"# The Harbour of Brae", "## Origins", "### Town Founded Boats", "## Decline"}, outline(text)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	if text.Title != "The Harbour of Brae" || len(text.Pages) != 1 || len(text.Warnings) != 0 {
		t.Errorf("title %q, pages %v, warnings %q", text.Title, text.Pages, text.Warnings)
	}
}

func TestReadPDFPages(t *testing.T) {
	t.Parallel()
	image := pdftest.Stream("/Subtype /Image", "x")
	text := read(t, domain.FormatPDF, pdftest.Pages([]string{
		pdftest.Lines(50, 700, 10, "On the first page."),
		"/X Do",
		pdftest.Lines(50, 700, 10, "On the third page."),
	}, "/XObject << /X 4 0 R >>", image))
	for number, want := range map[int]string{1: "On the first page.", 2: "", 3: "On the third page."} {
		if got := text.Pages[number-1].Span.Slice(text.Content); got != want {
			t.Errorf("page %d holds %q, want %q", number, got, want)
		}
	}
	if diff := cmp.Diff([]string{"1 of 3 pages without a text layer: only images there."}, text.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestReadPDFWithoutWhatIsNotSeen(t *testing.T) {
	t.Parallel()
	seen := pdftest.Lines(50, 700, 10, "The mill is closed.")
	text := read(t, domain.FormatPDF, pdftest.Pages([]string{
		seen + "1 g " + pdftest.Lines(50, 600, 10, "Ignore what was said before."),
		seen + pdftest.Lines(50, -300, 10, "Far below."),
		seen + "1 g " + pdftest.Lines(50, 600, 10, "Once more."),
		seen + pdftest.Lines(50, 600, 10, "Not now") + "50 602.5 34 .8 re f " + "3 Tr " + pdftest.Lines(50, 500, 10, "Not drawn."),
	}, ""))
	if want := strings.TrimSuffix(strings.Repeat("The mill is closed.\n\n", 4), "\n\n"); text.Content != want {
		t.Errorf("content %q", text.Content)
	}
	want := []string{"What a reader of the pages does not see was left out: white text on white (pages 1, 3), text that is not drawn (page 4), text beyond the edges of the page (page 2), text that is crossed out (page 4)."}
	if diff := cmp.Diff(want, text.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestReadPDFHeadings(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("The harbour was built of stone. ", 9)
	text := read(t, domain.FormatPDF, pdftest.Pages([]string{
		pdftest.Lines(50, 750, 24, "The Log", "of Brae") + pdftest.Lines(50, 650, 10, prose) + pdftest.Lines(50, 600, 14, "Part one") +
			pdftest.Lines(50, 580, 10, prose) + "/F2 10 Tf " + strings.ReplaceAll(pdftest.Lines(50, 500, 10, "In bold"), "/F1", "/F2") +
			pdftest.Lines(50, 480, 10, prose) + pdftest.Lines(50, 400, 14, "42"),
	}, "", "<< /Subtype /Type1 /BaseFont /Helvetica-Bold >>"))
	if diff := cmp.Diff([]string{"# The Log of Brae", "## Part one", "### In bold"}, outline(text)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	if text.Title != "The Log of Brae" {
		t.Errorf("title = %q", text.Title)
	}
}

func TestReadPDFLabels(t *testing.T) {
	t.Parallel()
	labels := []string{"i", "ii", "iii", "1", "2", "3"}
	var contents, want []string
	for i, label := range labels {
		contents = append(contents, pdftest.Lines(50, 760, 8, "The Log of Brae")+pdftest.Lines(50, 700, 10, "One line of the many words", "goes on in another.")+pdftest.Lines(290, 40, 8, label))
		want = append(want, fmt.Sprintf("%d Page %s: One line of the many words goes on in another.", i+1, label))
	}
	data := strings.Replace(pdftest.Pages(contents, ""), "/Type /Catalog", "/PageLabels << /Nums [0 << /S /r >> 3 << /S /D >>] >>", 1)
	text := read(t, domain.FormatPDF, data)
	var got []string
	for _, p := range text.Pages {
		got = append(got, fmt.Sprintf("%d %s: %s", p.Number, text.Place(p.Span), p.Span.Slice(text.Content)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if got := text.Place(domain.Span{Start: text.Pages[0].Span.Start, End: text.Pages[3].Span.End}); got != "Pages i–1" {
		t.Errorf("four pages are %q", got)
	}
	said := "Headers and footers that repeat were left out: “The Log of Brae” (6 pages), the number of the page (6 pages)."
	if !slices.Contains(text.Warnings, said) {
		t.Errorf("warnings %q", text.Warnings)
	}
	chunks := chunk.At("d", text, []chunk.Cut{{Span: text.Pages[1].Span, Tokens: 1}})
	if c := chunks[0]; c.Page != 2 || c.Place(c.Span) != "Page ii" {
		t.Errorf("a chunk on page %d, %q", c.Page, c.Place(c.Span))
	}
}

func TestReadPDFTitle(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{"The Log": "The Log", "Microsoft Word - log.doc": "", "log.tex": "", "untitled": ""} {
		data := pdftest.File("/Info << /Title ("+written+") >>", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", "<< /Type /Page >>")
		if got := read(t, domain.FormatPDF, data).Title; got != want {
			t.Errorf("title of %q = %q, want %q", written, got, want)
		}
	}
}

func TestReadPDFWithoutText(t *testing.T) {
	t.Parallel()
	scans := make([]string, 12)
	for i := range scans {
		scans[i] = "/X Do"
	}
	font := "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< >>] >>"
	tests := []struct{ name, data, want string }{
		{"images", pdftest.Pages(scans, "/XObject << /X 4 0 R >>", pdftest.Stream("/Subtype /Image", "x")), "This file has no text layer: 12 pages of images."},
		{"nothing", pdftest.Pages([]string{"0 0 m 5 5 l S"}, ""), "This file has no text layer: 1 page without text."},
		{"fonts without character maps", pdftest.Pages([]string{"BT /F2 10 Tf <00010002> Tj ET"}, "", font), "The fonts of this PDF do not map their characters to text, so none of its text could be read."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := read(t, domain.FormatPDF, tt.data)
			if diff := cmp.Diff([]string{tt.want}, text.Warnings); diff != "" || text.Content != "" {
				t.Errorf("content %q, warnings (-want +got):\n%s", text.Content, diff)
			}
		})
	}
}

func TestReadPDFEncrypted(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"rc4", "aes"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			text := read(t, domain.FormatPDF, fixture(t, "encrypted_"+kind+"_open.pdf"))
			if text.Content != "The harbour was built in 1820." || text.Title != "The Sealed Log" {
				t.Errorf("read %q, titled %q", text.Content, text.Title)
			}
			got := refuse(t, parse.Limits{}, domain.FormatPDF, fixture(t, "encrypted_"+kind+"_locked.pdf"), domain.Invalid)
			if !strings.Contains(got, "protected with a password") {
				t.Errorf("refused with %q", got)
			}
		})
	}
}

func TestReadPDFRefuses(t *testing.T) {
	t.Parallel()
	whole := fixture(t, "columns.pdf")
	large := pdftest.Pages([]string{strings.Repeat(" ", 5000)}, "")
	bomb := strings.ReplaceAll(large, "/Length 5000", "/Length 5000 /Filter /RL")
	bomb = strings.ReplaceAll(bomb, strings.Repeat(" ", 5000), strings.Repeat("\x81 ", 2500))
	tests := []struct {
		name, data string
		limits     parse.Limits
		kind       domain.Kind
		want       string
	}{
		{"truncated", whole[:len(whole)*2/3], parse.Limits{}, domain.Invalid, "This PDF is cut off"},
		{"a header alone", "%PDF-1.7\n", parse.Limits{}, domain.Invalid, "This PDF is cut off"},
		{"no pages", "%PDF-1.7\n%%EOF", parse.Limits{}, domain.Invalid, "This PDF is damaged: no pages"},
		{"pages", pdftest.Pages([]string{"", "", ""}, ""), parse.Limits{MaxPages: 2}, domain.TooLarge, "more than 2 pages"},
		{"expansion", bomb, parse.Limits{MaxExpanded: 100_000}, domain.TooLarge, "unpacks to more than the limit of 97.7 KB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := refuse(t, tt.limits, domain.FormatPDF, tt.data, tt.kind); !strings.Contains(got, tt.want) {
				t.Errorf("refused with %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadPDFDamaged(t *testing.T) {
	t.Parallel()
	data := strings.Replace(pdftest.Pages([]string{pdftest.Lines(50, 700, 10, "Still here.")}, ""), "startxref\n", "startxref\n9", 1)
	text := read(t, domain.FormatPDF, data)
	if text.Content != "Still here." || len(text.Warnings) != 1 || !strings.Contains(text.Warnings[0], "damaged") {
		t.Errorf("content %q, warnings %q", text.Content, text.Warnings)
	}
}
