package pdf

import (
	"testing"

	corefont "github.com/pdfcpu/pdfcpu/pkg/font"
)

// TestStandardWidths compares the table with a library's, which would be two thirds of what a build downloads.
func TestStandardWidths(t *testing.T) {
	t.Parallel()
	for _, name := range corefont.CoreFontNames() {
		widths := standardFont(name)
		if widths == nil {
			t.Errorf("there are no widths of %s", name)
		}
		for r := range rune(0x3000) {
			want, err := corefont.CharWidth(name, r)
			got, known := widths[r]
			if !known {
				got = widest
			}
			if err != nil || got != float64(want) {
				t.Errorf("%s: %q is %v wide, want %d (%v)", name, r, got, want, err)
			}
		}
	}
	if standardFont("Garamond") != nil {
		t.Error("Garamond counts as a standard font")
	}
}
