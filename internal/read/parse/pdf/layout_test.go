package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

func TestParagraphs(t *testing.T) {
	t.Parallel()
	long := "This line of text is long enough to fill the column it stands in"
	tests := []struct{ name, content, want string }{
		{"lines of a column are joined", pdftest.Lines(50, 700, 10, long, "and this one goes on."), long + " and this one goes on."},
		{"a wide gap ends it", pdftest.Lines(50, 700, 10, long, long+".") + pdftest.Lines(50, 650, 10, long), long + " " + long + ". / " + long},
		{"another size ends it", pdftest.Lines(50, 712, 14, "Heading") + pdftest.Lines(50, 698, 10, long), "Heading / " + long},
		{"an indent ends it", pdftest.Lines(50, 700, 10, long+" a.") + pdftest.Lines(62, 688, 10, long) + pdftest.Lines(50, 676, 10, long), long + " a. / " + long + " " + long},
		{"a hyphen is removed", pdftest.Lines(50, 700, 10, long+" har-", "bour wall."), long + " harbour wall."},
		{"the hyphen of two words stays", pdftest.Lines(50, 700, 10, long+" well-", "known wall."), long + " well-known wall."},
		{"a hyphen before a name stays", pdftest.Lines(50, 700, 10, long+" Anglo-", "Saxon."), long + " Anglo-Saxon."},
		{"a hyphen that is written elsewhere stays", pdftest.Lines(50, 700, 10, "The north-west wind. "+long+" north-", "west wind."), "The north-west wind. " + long + " north-west wind."},
		{"short lines stay lines", pdftest.Lines(50, 700, 10, long, "Ada Brae", "12 Quay Street", "Lim"), long + " Ada Brae\n12 Quay Street\nLim"},
		{"lines in any order", pdftest.Lines(50, 688, 10, "second line of it.") + pdftest.Lines(50, 700, 10, long), long + " second line of it."},
		{"upside down", "-1 0 0 -1 600 800 cm " + pdftest.Lines(50, 700, 10, "Turned"), "Turned"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, page(t, tt.content, "")); diff != "" {
				t.Errorf("paragraphs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	var left, right []string
	for i := range 20 {
		left = append(left, fmt.Sprintf("left%02d words that fill the line", i))
		right = append(right, fmt.Sprintf("right%02d words that fill it too", i))
	}
	content := pdftest.Lines(150, 750, 16, "A title across both of the columns")
	for i := range left { // as a table would be shown, line by line
		content += pdftest.Lines(50, 700-12*i, 10, left[i]) + pdftest.Lines(320, 700-12*i, 10, right[i])
	}
	content += pdftest.Lines(290, 40, 10, "7")
	got := domain.OneLine(page(t, content, ""))
	want := "A title across both of the columns / " + strings.Join(left, " ") + " / " + strings.Join(right, " ") + " / 7"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestShortColumns reads columns of three lines beside each other, above a paragraph across both, and cells set likewise.
func TestShortColumns(t *testing.T) {
	t.Parallel()
	across := "This paragraph is set across the whole page, and says that the market moves to the quay in May."
	for _, tt := range []struct {
		name, want  string
		left, right []string
	}{
		{
			"prose", "The ferry sails again from Monday in spring. Its engine was mended by Ada Brae and her men. / The old mill was sold to Tom Rook for nine hundred crowns, which were spent on its new roof.",
			[]string{"The ferry sails again from Monday", "in spring. Its engine was mended", "by Ada Brae and her men."},
			[]string{"The old mill was sold to Tom Rook", "for nine hundred crowns, which", "were spent on its new roof."},
		},
		{
			"addresses", "Ada Brae the elder of the mill Bo Moen the younger of the quay 12 Quay Street near the harbour 3 Hill Road above the harbour The Old Town of Lim in Velm The New Town of Vik in Velm",
			[]string{"Ada Brae the elder of the mill", "12 Quay Street near the harbour", "The Old Town of Lim in Velm"},
			[]string{"Bo Moen the younger of the quay", "3 Hill Road above the harbour", "The New Town of Vik in Velm"},
		},
		{
			"cells", "apples of the green kind from the south of the land pears of the yellow kind from the north of the land plums of the blue kind from the west of the land",
			[]string{"apples of the green kind", "pears of the yellow kind", "plums of the blue kind"},
			[]string{"from the south of the land", "from the north of the land", "from the west of the land"},
		},
	} {
		content := pdftest.Lines(50, 600, 10, across)
		for i := range tt.left {
			content += pdftest.Lines(50, 700-12*i, 10, tt.left[i]) + pdftest.Lines(320, 700-12*i, 10, tt.right[i])
		}
		if got := domain.OneLine(page(t, content, "")); got != tt.want+" / "+across {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	content := ""
	for i, row := range [][2]string{{"City", "Since"}, {"Brae", "1820"}, {"Lim", "1700"}, {"Old Town", "900"}, {"Quay", "1911"}} {
		content += pdftest.Lines(50, 700-12*i, 10, row[0]) + pdftest.Lines(200, 700-12*i, 10, row[1])
	}
	if got, want := page(t, content, ""), "City Since\nBrae 1820\nLim 1700\nOld Town 900\nQuay 1911"; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
}
