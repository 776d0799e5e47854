package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// cells shows the cells of a table, each at the x of its column.
func cells(top int, xs []int, rows ...[]string) string {
	var b strings.Builder
	for i, row := range rows {
		for j, cell := range row {
			if cell != "" {
				b.WriteString(pdftest.Lines(xs[j], top-14*i, 10, cell))
			}
		}
	}
	return b.String()
}

func TestTablesWithoutLines(t *testing.T) {
	t.Parallel()
	statement := [][]string{
		{"Crowns", "1930", "1931"}, {"Sale of fish", "1,200", "1,300"}, {"Harbour fees", "1,237", "1,353"}, {"Rent of the quay", "1,274", "1,406"},
		{"Ice and salt", "1,311", "1,459"}, {"Repairs", "1,348", "(1,512)"}, {"Wages of the crew", "-", "1,565"}, {"Insurance", "1,422", "1,618"},
	}
	invoice := [][]string{
		{"Description", "Quantity", "Price", "Amount"}, {"Rope of hemp, tarred, 20 m", "3 pcs", "12.00", "36.00"}, {"Sailcloth, grade two", "14 m", "2.50", "35.00"},
		{"Lantern of brass with glass", "2 pcs", "18.00", "36.00"}, {"Pitch, in barrels of 40 l", "4 pcs", "9.00", "36.00"}, {"Oars of ash", "6 pcs", "4.00", "24.00"},
	}
	offices := [][]string{
		{"Master of the harbour", "Ada Moen, Vik"}, {"Pilot of the first class", "Karl Ness, Orsen"}, {"Keeper of the light", "Rosa Kern, Vik"},
		{"Clerk of the customs", "Bo Moen, Osterby"}, {"Warden of the guild", "Jon Kvist, Lim"},
	}
	diary := [][]string{
		{"12 March 1931", "The quay was sold to the guild of millers for"}, {"14 March 1931", "Ice closed the harbour until the end of the"},
		{"2 April 1931", "The first boat of the year came in from Lim"}, {"19 May 1931", "A storm took the roof off the old mill at"}, {"3 June 1931", "The roof was made new by the two carpenters"},
	}
	for name, tt := range map[string]struct {
		xs   []int
		rows [][]string
	}{
		"statement": {[]int{60, 397, 497}, statement}, "invoice": {[]int{50, 300, 400, 480}, invoice}, "names": {[]int{60, 320}, offices}, "dates": {[]int{60, 190}, diary},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []string
			for _, row := range tt.rows {
				want = append(want, strings.Join(row, " "))
			}
			if diff := cmp.Diff(strings.Join(want, "\n"), page(t, cells(780, tt.xs, tt.rows...), "")); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			var down string // drawn column by column
			for j, x := range tt.xs {
				for i, row := range tt.rows {
					down += pdftest.Lines(x, 780-14*i, 10, row[j])
				}
			}
			if diff := cmp.Diff(strings.Join(want, "\n"), page(t, down, "")); diff != "" {
				t.Errorf("text drawn by columns (-want +got):\n%s", diff)
			}
		})
	}
}

func TestColumnsOfProseWithFigures(t *testing.T) {
	t.Parallel()
	var left, right []string
	for i := range 12 {
		left = append(left, fmt.Sprintf("in %d the mill made %d sacks", 1900+i, 40*i))
		right = append(right, fmt.Sprintf("and of the %d boats only %d came", 20+i, i))
	}
	content := ""
	for i := range left {
		content += pdftest.Lines(50, 700-12*i, 10, left[i]) + pdftest.Lines(320, 700-12*i, 10, right[i])
	}
	want := strings.Join(left, " ") + " / " + strings.Join(right, " ")
	if diff := cmp.Diff(want, strings.ReplaceAll(page(t, content, ""), "\n", " ")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
