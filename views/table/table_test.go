package table_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/table"
)

// wages has two series with a hole, a deleted source and a count.
func wages() domain.Chart {
	return domain.Chart{
		Type: domain.ChartGrouped, Title: "Wages", Unit: "pence", X: "Year", Categories: []string{"1909", "=1+1"},
		Series: []domain.Series{
			{Name: "Foundry", Points: []domain.Point{{Category: 1, Value: -12.5, Citation: 1}, {Category: 0, Value: 11, Citation: 2}, {Category: 7, Value: 1}}},
			{Name: `Toll, "old"`, Points: []domain.Point{{Category: 0, Value: 3, Count: &domain.Count{Of: domain.CountEntities, Key: "Person"}}}},
		},
		Citations: []domain.Citation{{N: 1, Document: "roll.pdf", Page: 4, Text: "twelve and a half"}, {N: 2, Document: "gone.txt"}},
	}
}

func TestATableHasARowForEachCategory(t *testing.T) {
	t.Parallel()
	got := table.Of(t.Context(), wages())
	if diff := cmp.Diff([]string{"Year", "Foundry", `Toll, "old"`}, got.Columns); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}
	var lines []string
	for _, r := range got.Rows {
		line := r.Head
		for _, c := range r.Cells {
			if c.Point == nil {
				line += " –"
			} else {
				line += " " + table.Number(c.Value)
			}
		}
		lines = append(lines, line)
	}
	if diff := cmp.Diff([]string{"1909 11 3", "=1+1 −12.5 –"}, lines); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
}

func TestAScatterHasARowForEachPoint(t *testing.T) {
	t.Parallel()
	c := domain.Chart{Type: domain.ChartScatter, X: "Span", Series: []domain.Series{
		{Name: "Iron", Points: []domain.Point{{X: 12, Value: 3}, {X: 40, Value: 9}}}, {Points: []domain.Point{{X: 1, Value: 2}}},
	}}
	got := table.Of(t.Context(), c)
	if diff := cmp.Diff([]string{"Series", "Span", "Y"}, got.Columns); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}
	if len(got.Rows) != 3 || got.Rows[1].Head != "Iron" || got.Rows[1].Cells[0].Value != 40 || got.Rows[1].Cells[1].Value != 9 || got.Rows[2].Head != "–" {
		t.Errorf("rows %+v", got.Rows)
	}
}

func TestCSVQuotesAndHoldsNoFormula(t *testing.T) {
	t.Parallel()
	text, err := table.CSV(t.Context(), wages())
	if err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"Year", "Foundry (pence)", "Foundry, source", `Toll, "old" (pence)`, `Toll, "old", source`},
		{"1909", "11", "source deleted", "3", "counted in the graph: entities of Person"},
		{"'=1+1", "-12.5", "roll.pdf, page 4", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, begin := range []string{"=", "+", "-", "@", "\t", "\r"} {
		c := domain.Chart{Type: domain.ChartBar, Categories: []string{begin + "cmd"}, Series: []domain.Series{{Name: begin + "x"}}, X: begin + "y"}
		text, err := table.CSV(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			for _, field := range r {
				if strings.HasPrefix(field, begin) {
					t.Errorf("a field that begins with %q is written as %q: a spreadsheet computes it", begin, field)
				}
			}
		}
	}
}

func TestNumbersAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 1909: "1909", 9999.5: "9999.5", 10000: "10,000", -1234567.25: "−1,234,567.25", 0.1: "0.1", -3: "−3"} {
		if got := table.Number(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}
