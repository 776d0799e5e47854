package domain_test

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// TestTitledByFile tells titles that programs write from those that people do.
func TestTitledByFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, title, heading string
		want                 bool
	}{
		{"Report_2021-final(2).pdf", "Report_2021-final(2)", "", true},
		{"Report_2021-final(2).pdf", "Report 2021 final(2)", "", true},
		{"minutes/2021/May.docx", "May.docx", "", true},
		{"minutes/2021/May.docx", "may", "The harbour", true},
		{"scan.pdf", "Microsoft Word - Lease of the quay.doc", "", true},
		{"scan.pdf", "C:\\Users\\bo\\IMG_0042.JPG", "", true},
		{"a.pptx", "untitled", "", true},
		{"oslo.md", "Oslo", "Oslo", false},
		{"oslo.md", "The fjord", "", false},
		{"oslo.md", "St. Mary", "", false},
		{"oslo.md", "Node.js", "", false},
		{"oslo.md", "", "", false},
	} {
		text := domain.Text{Title: tt.title, Headings: []domain.Heading{{Level: 1, Text: tt.heading}}}
		if got := text.TitledByFile(tt.file); got != tt.want {
			t.Errorf("%q of %s: %t, want %t", tt.title, tt.file, got, tt.want)
		}
	}
}
