package chart

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// TestSpecifyTable draws the column that a task names, and nothing where no table has it.
func TestSpecifyTable(t *testing.T) {
	t.Parallel()
	text := "Counted by hand.\n\nMonth | Visitors | Income | Weather\nJanuary | 1200 | 3400 | rain\nFebruary | 980 | 2700 | 3 storms in all\nMarch | 1450 | | sun\n"
	passages := []domain.Passage{{Title: "Ferries", Chunk: domain.Chunk{Text: "No table."}}, {Title: "The museum", Chunk: domain.Chunk{Text: text, Span: domain.Span{End: domain.Runes(text)}}}}
	for task, want := range map[string][]string{
		"Draw a chart of the visitors per month": {"January 1200", "February 980", "March 1450"},
		"Pie chart of the income":                {"January 3400", "February 2700"},
		"Chart the weather":                      nil,
		"Chart the rents":                        nil,
	} {
		s, ok := SpecifyTable(task, passages)
		var got []string
		for _, p := range s.Points {
			if got = append(got, p.Category+" "+p.Value); p.Passage != 2 {
				t.Errorf("%s: from passage %d", task, p.Passage)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || ok != (want != nil) {
			t.Errorf("%s: %t (-want +got):\n%s", task, ok, diff)
		}
		if !ok {
			continue
		}
		if _, mistakes := Validate(s, Evidence{Passages: passages}); len(mistakes) > 0 {
			t.Errorf("%s: %v", task, mistakes)
		}
	}
}
