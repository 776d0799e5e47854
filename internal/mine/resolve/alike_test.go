package resolve

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// TestUnlikeWordsAreNoPairs compares names that differ in an ending, short words that are
// nearly alike, and one name under two labels.
func TestUnlikeWordsAreNoPairs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b, labelA, labelB string
		least, most          float64
	}{
		{"Karsholma", "Karsholms", "Place", domain.UnknownLabel, 0, 0.49},
		{"Comarche", "Comarches", domain.UnknownLabel, domain.UnknownLabel, 0, 0.49},
		{"Jenna", "Jenno", domain.UnknownLabel, domain.UnknownLabel, 0, 0.49},
		{"Velmdale Heights", "Velmdale Heights", "Work", "Place", 0.95, 1},
		{"Velmdale", "Velmdale", "Person", "Place", 0, 0.8},
	} {
		pairs := Match([]Entity{
			{ID: "a", Name: tt.a, Label: tt.labelA, Mentions: 2}, {ID: "b", Name: tt.b, Label: tt.labelB, Mentions: 1},
			{ID: "c", Name: "Ulf Berg", Label: "Person"}, {ID: "d", Name: "Orsen", Label: "Place"},
		})
		score, vetoed := 0.0, true
		for _, p := range pairs {
			if p.A+p.B == 1 {
				score, vetoed = p.Score, p.Vetoed
			}
		}
		if score < tt.least || score > tt.most || tt.least > 0.9 && vetoed {
			t.Errorf("%s (%s) and %s (%s): score %.2f, vetoed %t; want %.2f to %.2f", tt.a, tt.labelA, tt.b, tt.labelB, score, vetoed, tt.least, tt.most)
		}
	}
}
