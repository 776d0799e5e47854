package builtin

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
)

// TestATableIsDrawn draws the column that a task names, in whatever form of the word, and nothing where no table has it.
func TestATableIsDrawn(t *testing.T) {
	t.Parallel()
	const (
		museum = "Counted by hand.\n\nMonth | Visitors | Income | Weather\nJanuary | 1200 | 3400 | rain\nFebruary | 980 | 2700 | 3 storms in all\nMarch | 1450 | | sun\n"
		budget = "Item | Planned (£) | Spent (£)\nHeating | 900 | 1130\nLighting | 400 | 385\nRoof | 2500 | 2790\n"
		crops  = "| Field | Grown | Sold (t) | Share sold |\n| --- | --- | --- | --- |\n| Long Acre | 41 t | 38 | 93 % |\n| Mill Piece | 27 t | 11 | 41 % |\n"
		rain   = "Station | Year | Rainfall (mm)\nCarrow | 2021 | 812\nCarrow | 2022 | 640\nWithen | 2021 | 1044\n"
		lifts  = "Lift | Height (m) | Top speed (m/s) | Price (€)\nNorth | 31 | 1.6 | 88000\nSouth | 44 | 2.5 | 132000\n"
	)
	for _, tt := range []struct {
		title, text, task string
		want              []string
	}{
		{"The museum", museum, "Draw a chart of the visitors per month", []string{"January 1200", "February 980", "March 1450"}},
		{"The museum", museum, "Pie chart of the income", []string{"January 3400", "February 2700"}},
		{"The museum", museum, "Chart the weather", nil},
		{"The museum", museum, "Chart the weather of the museum per month", nil},
		{"The museum", museum, "Chart the rents", nil},
		{"Heating and light", budget, "Draw a chart of the spending on heating", []string{"Heating 1130", "Lighting 385", "Roof 2790"}},
		{"Heating and light", budget, "Chart of what was planned for each item", []string{"Heating 900", "Lighting 400", "Roof 2500"}},
		{"Heating and light", budget, "Bar chart of plans and spending per item", []string{
			"Planned (£): Heating 900", "Planned (£): Lighting 400", "Planned (£): Roof 2500", "Spent (£): Heating 1130", "Spent (£): Lighting 385", "Spent (£): Roof 2790",
		}},
		{"The harvest", crops, "Diagram of the growing by field", []string{"Long Acre 41 t", "Mill Piece 27 t"}},
		{"The harvest", crops, "Chart of what we sell per field", []string{"Long Acre 38", "Mill Piece 11"}},
		{"The harvest", crops, "Chart the share that was sold", []string{"Long Acre 93 %", "Mill Piece 41 %"}},
		{"Weather", rain, "Chart of the rainfall", []string{"Carrow, 2021 812", "Carrow, 2022 640", "Withen, 2021 1044"}},
		{"Lifts", lifts, "Chart of how tall the lifts are", []string{"North 31", "South 44"}},
		{"Lifts", lifts, "Chart of how expensive the lifts are", []string{"North 88000", "South 132000"}},
		{"Lifts", lifts, "Chart of the speeds", []string{"North 1.6", "South 2.5"}},
	} {
		passages := []domain.Passage{{Title: "Ferries", Chunk: domain.Chunk{Text: "No table."}}, {Title: tt.title, Chunk: domain.Chunk{Text: tt.text, Span: domain.Span{End: domain.Runes(tt.text)}}}}
		s, ok := specifyTable(tt.task, passages)
		var got []string
		for _, p := range s.Points {
			said := p.Category + " " + p.Value
			if p.Series != "" {
				said = p.Series + ": " + said
			}
			if got = append(got, said); p.Passage != 2 {
				t.Errorf("%s: from passage %d", tt.task, p.Passage)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || ok != (tt.want != nil) {
			t.Errorf("%s: %t (-want +got):\n%s", tt.task, ok, diff)
		}
		if !ok {
			continue
		}
		if _, mistakes := chart.Validate(s, chart.Evidence{Passages: passages}); len(mistakes) > 0 {
			t.Errorf("%s: %v", tt.task, mistakes)
		}
	}
}

// TestATableToDrawIsRelevant takes the passage whose table has the column that is to be drawn, and none that lacks a name.
func TestATableToDrawIsRelevant(t *testing.T) {
	t.Parallel()
	passages := []domain.Passage{{Chunk: domain.Chunk{Text: "The visitors came in May."}}, {Chunk: domain.Chunk{Text: "Month | Visitors | Cost\nMay | 120 | 7\nJune | 98 | 9\n"}}}
	for question, want := range map[string]int{
		"Bar chart of the visitors, please": 1, "Chart of the visitors in June": 1, "Who were the visitors?": -1, "Chart of the visitors to Atlantis": -1, "Chart of the rents": -1, "Draw a chart": -1,
	} {
		if got := drawnFrom(question, passages); got != want {
			t.Errorf("%s: passage %d, want %d", question, got, want)
		}
	}
}
