package pdf_test

import (
	"encoding/binary"
	"testing"

	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// numbers writes numbers of two bytes each.
func numbers(n ...int) string {
	var b []byte
	for _, v := range n {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return string(b)
}

// fontFile returns a TrueType font with nothing but a table that maps characters.
func fontFile(platform, kind int, table string) string {
	cmap := numbers(0, 1, platform, kind, 0, 12) + table
	return numbers(0, 1, 1, 0, 0, 0) + "cmap" + numbers(0, 0, 0, 28, 0, len(cmap)) + cmap
}

func TestCharactersOfAnEmbeddedFont(t *testing.T) {
	t.Parallel()
	// Two segments: A to C are glyphs 5 to 7, and the end; é has its number in a list.
	segments := numbers(4, 0, 0, 6, 0, 0, 0, 'C', 0xE9, 0xFFFF, 0, 'A', 0xE9, 0xFFFF, 5-'A', 0, 1, 0, 4, 0, 9)
	groups := numbers(12, 0, 0, 0, 0, 0, 0, 1, 1, 0xF600, 1, 0xF601, 0, 3)
	tests := []struct{ name, file, entries, shown, want string }{
		{"segments", fontFile(3, 1, segments), "", "<0005000600070009>", "ABCé"},
		{"groups", fontFile(3, 10, groups), "", "<00030004>", "\U0001F600\U0001F601"},
		{"glyphs by a list", fontFile(3, 1, segments), "/CIDToGIDMap 6 0 R", "<0001>", "B"},
		{"a cut table", fontFile(3, 1, segments[:20]), "", "<0005>", ""},
		{"no table", "nothing", "", "<0005>", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			font := "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< " + tt.entries + " /FontDescriptor << /FontFile2 5 0 R >> >>] >>"
			got := page(t, "BT /F2 10 Tf 50 700 Td "+tt.shown+" Tj ET", "", font, pdftest.Stream("", tt.file), pdftest.Stream("", numbers(0, 6)))
			if got != tt.want {
				t.Errorf("text %q, want %q", got, tt.want)
			}
		})
	}
}
