package pdf_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// wide is a font whose codes are UTF-16 and whose glyphs are 500 wide, and tall the
// same for vertical lines.
const (
	wide = "<< /Subtype /Type0 /Encoding /UniJIS-UTF16-H /DescendantFonts [<< /DW 500 >>] >>"
	tall = "<< /Subtype /Type0 /Encoding /UniJIS-UTF16-V /DescendantFonts [<< >>] >>"
)

// codes returns a string of the font wide or tall.
func codes(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	return "<" + b.String() + ">"
}

// at shows text at a place.
func at(x, y float64, s string) string {
	return fmt.Sprintf("BT /F2 10 Tf %g %g Td %s Tj ET\n", x, y, codes(s))
}

func TestRightToLeft(t *testing.T) {
	t.Parallel()
	const harbour = "הנמל נבנה בשנת 1880 על ידי דוד כהן"
	var oneByOne strings.Builder // from the right, as it is read, with the year from the left
	for i, r := range []rune("הנמל נבנה בשנת ") {
		oneByOne.WriteString(at(500-5*float64(i), 700, string(r)))
	}
	oneByOne.WriteString(at(410, 700, "1880"))
	for i, r := range []rune(" על ידי דוד כהן") {
		oneByOne.WriteString(at(405-5*float64(i), 700, string(r)))
	}
	tests := []struct{ name, content, want string }{
		{"as it looks", at(50, 700, "ןהכ דוד ידי לע 1880 תנשב הנבנ למנה"), harbour},
		{"one by one", oneByOne.String(), harbour},
		{"as it is read, from left to right", at(50, 700, harbour), harbour},
		{"Arabic forms", at(50, 700, "1880 ﻡﺎﻋ ﻲﻨﺑ ﺀﺎﻨﻴﻤﻟﺍ"), "الميناء بني عام 1880"},
		{"a ligature", at(50, 700, "ﻞﺤﺎﺴﻟﺍ ﻡﻼﺳ"), "سلام الساحل"},
		{"Latin words", at(50, 700, ".הנבנ Ada Moen הניפסה"), "הספינה Ada Moen נבנה."},
		{"figures with marks", at(50, 700, "ףסכ 12.5% ,1,200.50 ,3/4/1931"), "3/4/1931, 1,200.50, 12.5% כסף"},
		{"brackets as they look", at(50, 700, "םולש (למנה) ריעה"), "העיר (הנמל) שלום"},
		{"brackets by name", at(50, 700, "םולש )למנה( ריעה"), "העיר (הנמל) שלום"},
		{"a word in Latin text", at(50, 700, "The word םולש means peace."), "The word שלום means peace."},
		{"two columns", column(50, "הרוש תיטמש הב שי הברה םילימ") + column(300, "הרוש תינמי הב שי הברה םילימ"),
			strings.TrimSuffix(strings.Repeat("מילים הרבה יש בה ימנית שורה ", 6), " ") + " / " + strings.TrimSuffix(strings.Repeat("מילים הרבה יש בה שמטית שורה ", 6), " ")},
		{"a table", at(50, 700, "1931") + at(150, 700, "1930") + at(300, 700, "םירתכ") + at(50, 686, "1,300") + at(150, 686, "1,200") + at(300, 686, "םיגד"), "כתרים 1930 1931\nדגים 1,200 1,300"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, page(t, tt.content, "", wide)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

// column shows six lines of the same words.
func column(x float64, line string) string {
	var b strings.Builder
	for i := range 6 {
		b.WriteString(at(x, 700-12*float64(i), line))
	}
	return b.String()
}

func TestVerticalLines(t *testing.T) {
	t.Parallel()
	const first, second = "港は千八百八十年に", "ケルンが建てた。"
	stackedLine := func(x float64, s string) string {
		var b strings.Builder
		for i, r := range []rune(s) {
			b.WriteString(at(x, 700-10*float64(i), string(r)))
		}
		return b.String()
	}
	want := first + second
	for name, tt := range map[string]struct{ content, font string }{
		"a vertical font":                     {at(500, 700, first) + at(483, 700, second), tall},
		"lines in any order":                  {at(483, 700, second) + at(500, 700, first), tall},
		"a vertical font, moved sign by sign": {"BT /F2 10 Tf 500 700 Td [" + codes("港は") + " 0 " + codes("千八百八十年に") + "] TJ ET " + at(483, 700, second), tall},
		"signs one below the other":           {stackedLine(500, first) + stackedLine(483, second), wide},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, strings.ReplaceAll(page(t, tt.content, "", tt.font), "\n", "")); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
	across := at(50, 700, first) + at(50, 688, second)
	if got := page(t, across, "", strings.Replace(wide, "500", "1000", 1)); strings.ReplaceAll(got, "\n", "") != want {
		t.Errorf("horizontal lines: %q", got)
	}
}
