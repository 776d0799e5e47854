package explore

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	const text = "Copper Bridge\nThe flood rose. It rained. A tree struck Copper Bridge at night. Nobody saw it."
	for _, c := range []struct {
		name  string
		marks []domain.Span
		want  string
	}{
		{"one", []domain.Span{{Start: 55, End: 68}}, "A tree struck Copper Bridge at night."},
		{"a heading and a later one", []domain.Span{{Start: 0, End: 13}, {Start: 55, End: 68}}, "Copper Bridge … A tree struck Copper Bridge at night."},
		{"none", nil, text},
	} {
		got := Quote{Text: text, Marks: c.marks}.Sentences()
		if got.Text != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got.Text, c.want)
		}
		for _, m := range got.Marks {
			if words := m.Slice(got.Text); words != "Copper Bridge" {
				t.Errorf("%s: %q is marked", c.name, words)
			}
		}
		if len(got.Marks) != len(c.marks) {
			t.Errorf("%s: got %d marks, want %d", c.name, len(got.Marks), len(c.marks))
		}
	}
}
