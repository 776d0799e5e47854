package pdf_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/parse/pdf"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// composed returns the text of each page without its running lines, and those.
func composed(t *testing.T, data string) (texts []string, dropped []pdf.Repeat) {
	t.Helper()
	f, err := pdf.Open([]byte(data), 1<<24)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	var drafts []pdf.Draft
	for _, p := range f.Pages(100) {
		drafts = append(drafts, f.Draw(context.Background(), p))
	}
	dropped = pdf.DropRunning(drafts)
	for _, d := range drafts {
		var all []string
		for _, p := range f.Compose(d).Paragraphs {
			all = append(all, p.Text)
		}
		texts = append(texts, strings.Join(all, " / "))
	}
	return texts, dropped
}

func TestRunningLines(t *testing.T) {
	t.Parallel()
	body := func(n int) string {
		return pdftest.Lines(50, 700, 10, fmt.Sprintf("Page %d begins in the middle of a sentence about harbours,", n), "and goes on with what was said of boats.")
	}
	tests := []struct {
		name    string
		page    func(n int) string
		pages   int
		want    string // of the second page
		dropped []pdf.Repeat
	}{
		{"a header and the number", func(n int) string {
			return pdftest.Lines(50, 760, 8, "The Harbour of Brae") + body(n) + pdftest.Lines(290, 40, 8, fmt.Sprint(n))
		}, 4, "", []pdf.Repeat{{Text: "The Harbour of Brae", Pages: 4}, {Text: "1", Number: true, Pages: 4}}},
		{"a number of all, counted otherwise", func(n int) string { return body(n) + pdftest.Lines(290, 40, 8, fmt.Sprintf("Sheet %d of 9", n+4)) }, 4,
			"", []pdf.Repeat{{Text: "Sheet 5 of 9", Pages: 4}}},
		{"Roman numbers", func(n int) string {
			return body(n) + pdftest.Lines(290, 40, 8, "- "+strings.Repeat("i", n)+" -")
		}, 3, "", []pdf.Repeat{{Text: "- i -", Number: true, Pages: 3}}},
		{"left and right pages", func(n int) string {
			return pdftest.Lines(50, 760, 8, []string{"Brae", "Origins"}[n%2]) + body(n)
		}, 6, "", []pdf.Repeat{{Text: "Origins", Pages: 3}, {Text: "Brae", Pages: 3}}},
		{"one part of a line", func(n int) string {
			return pdftest.Lines(50, 760, 8, "Brae") + pdftest.Lines(300, 760, 8, []string{"", "Boats", "Stones", "Nets"}[n]) + body(n)
		}, 3, "Stones / ", []pdf.Repeat{{Text: "Brae", Pages: 3}}},
		{"only twice", func(n int) string { return pdftest.Lines(50, 760, 8, "Brae") + body(n) }, 2, "Brae / ", nil},
		{"without a gap", func(n int) string { return pdftest.Lines(50, 712, 10, "Brae") + body(n) }, 3, "Brae\n", nil},
		{"numbers that do not count pages", func(n int) string { return pdftest.Lines(50, 760, 8, fmt.Sprint(7*n)) + body(n) }, 4, "14 / ", nil},
		{"titles of slides", func(n int) string { return pdftest.Lines(50, 760, 24, "Results") + body(n) }, 3, "Results / ", nil},
		{"nothing but a line", func(int) string { return pdftest.Lines(50, 760, 8, "Brae") }, 3, "Brae", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var contents []string
			for n := range tt.pages {
				contents = append(contents, tt.page(n+1))
			}
			texts, dropped := composed(t, pdftest.Pages(contents, ""))
			want := tt.want
			if want != "Brae" {
				want += "Page 2 begins in the middle of a sentence about harbours, and goes on with what was said of boats."
			}
			if texts[1] != want {
				t.Errorf("second page %q, want %q", texts[1], want)
			}
			if diff := cmp.Diff(tt.dropped, dropped); diff != "" {
				t.Errorf("dropped (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for labels, want := range map[string]string{
		"": "",
		"/PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >>":                                               "i ii 1 2 3 4",
		"/PageLabels << /Kids [<< /Nums [3 << /P (A-) /S /D /St 7 >>] >> << /Nums [0 << /S /A >>] >>] >>":     "A B C A-7 A-8 A-9",
		"/PageLabels << /Nums [1 << /P (Cover) >> 2 << /S /R /St 3999 >> 4 << /S /a /St 26 >>] >>":            "1 Cover MMMCMXCIX 4000 z aa",
		"/PageLabels << /Nums [0 << /S /D /St -5 >> (x) (y) 3] >>":                                            "-5 -4 -3 -2 -1 0",
		"/PageLabels << /Kids [1 0 R 1 0 R] /Nums [0 << /S /r /St 99999999 >> 1 << /S /a /St 99999999 >>] >>": "99999999 99999999 100000000 100000001 100000002 100000003",
	} {
		data := pdftest.File("", "<< /Type /Catalog /Pages 2 0 R "+labels+" >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page >>")
		f, err := pdf.Open([]byte(data), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Labels(6), " "); got != want {
			t.Errorf("%s: labels %q, want %q", labels, got, want)
		}
	}
}
