package parse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// field reads a file that people had trouble with, and skips the test where the
// collection is missing.
func field(t *testing.T, name string, format domain.Format) domain.Text {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "field", name))
	if err != nil {
		t.Skip("left out: no ../shared beside the project")
	}
	return read(t, format, string(data))
}

// TestFieldOfLooks reads files in which the look of characters and cells means
// something.
func TestFieldOfLooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		format domain.Format
		want   []string
		not    []string
	}{
		{"del.html", domain.FormatHTML, []string{"The rent of the mill is 650 crowns.", "The boat costs 700 crowns.", "H2SO4 is stored on floor [^3] two.", "1 234 567 crowns"}, []string{"400", "900"}},
		{"del.md", domain.FormatMarkdown, []string{"The rent of the mill is 650 crowns. The boat costs 700 crowns."}, []string{"400", "900"}},
		{"sup.html", domain.FormatHTML, []string{"5 × 10⁶ litres", "In 1931 it cost 1200 [^3] crowns", "H2O", "40 m²."}, []string{"106", "12003"}},
		{"sup.md", domain.FormatMarkdown, []string{"5 × 10⁶ litres", "fee is 120 [^1] crowns. Energy is $E = mc^2$.", "[^1] Without the tax of 1930."}, nil},
		{"htmltable.html", domain.FormatHTML, []string{"Income\nRegion | 2023 Q1 | 2023 Q2 | 2024 Q1 | 2024 Q2\nNorth | 10 | 20 | 30 | 40\nNorth | 11 | 21 | 31 | 41\nSouth | 12 | 22 | 32 | 42", "3. Third rule: pay in May."}, nil},
		{"lists.docx", domain.FormatDOCX, []string{"1. Members pay in May.\n2. Members vote once.\n  a) by hand\n  b) by letter\n3. The warden counts.", "Region | Income 1930 Spring | Income 1930 Autumn\nNorth | 120 | 140\nNorth | 130 | 155", "Inner key | Inner value"}, nil},
		{"tracked.docx", domain.FormatDOCX, []string{"The rent is 650 crowns a year.\n\nThe tenant repairs the roof.\n\nThe lease ends in March 1931.\n\nItem | Owner\nSluice | Tove Lind"}, []string{"400", "Boat"}},
		{"textbox.docx", domain.FormatDOCX, []string{"The ferry leaves at seven.", "Timetable of Orsen before the box and after it.", "Tickets cost two crowns."}, nil},
		{"x1904.xlsx", domain.FormatSheets, []string{"2021-03-04"}, nil},
		{"xdates.xlsx", domain.FormatSheets, []string{"iso | 2021-03-04\ngerman | 04.03.2021\nlong | 4. März 2021\ntime | 18:00\nduration | 36:00\npercent | 12.5%\nmoney | 1,234.50 kr\nneg | (42)\nleading | 00123\nsci | 1.23E+05\nfrac | 0 1/2\nday1 | 1900-01-01\nday60 | 1900-02-29\nday61 | 1900-03-01\ngeneral | 0.3\nbig | 1.23456789E+16\nthousands | 1,235k\nquarter | Q3\ndt | 2021-03-04 12:00\nliteral | Year 2021\naccounting | 77.50\ntext | 5"}, nil},
		{"ol.md", domain.FormatMarkdown, []string{"1. Install the pump.\n2. Set the valve.", "3. Open the sluice.\n4. Check the gauge."}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			content := field(t, tt.name, tt.format).Content
			for _, want := range tt.want {
				if !strings.Contains(content, want) {
					t.Errorf("%q was lost in\n%s", want, content)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(content, not) {
					t.Errorf("%q stands in\n%s", not, content)
				}
			}
		})
	}
}
