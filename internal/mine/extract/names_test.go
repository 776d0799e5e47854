package extract

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func TestNamesByRuleAreNoDoubles(t *testing.T) {
	t.Parallel()
	g := WithNames(domain.GraphDocument{Nodes: []domain.GraphNode{{Name: "Marie Curie", Label: "Person"}, {Name: "Nobel Prize", Label: "Award"}, {Name: "Vik Harbour", Label: "Organization"}}},
		[]domain.GraphNode{{Name: "Curie"}, {Name: "Nobel Prizes"}, {Name: "Vik"}, {Name: "Harbour"}, {Name: "Pierre Curie"}})
	var got []string
	for _, n := range g.Names {
		got = append(got, n.Name)
	}
	if len(g.Nodes) != 3 || len(got) != 3 || got[0] != "Vik" || got[1] != "Harbour" || got[2] != "Pierre Curie" {
		t.Errorf("added %q", got)
	}
}
