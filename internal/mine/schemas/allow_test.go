package schemas_test

import (
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
)

// TestWhatIsAllowedComesBackOfItself drops an item of every kind, allows one after
// the other as they are dropped, and expects the graph to be whole.
func TestWhatIsAllowedComesBackOfItself(t *testing.T) {
	t.Parallel()
	mined := extract.Mined{Graph: domain.GraphDocument{
		Nodes: []domain.GraphNode{
			{Name: "Pell", Label: "Foundry", Properties: domain.Properties{{Key: "founded", Value: "long ago"}, {Key: "no. of men", Value: "9"}}},
			{Name: "Big Tom", Label: "Bell"}, {Name: "Anna Quill", Label: "Person"}, {Name: "Thing", Label: domain.UnknownLabel},
		},
		Relationships: []domain.GraphRelationship{
			{Source: 1, Target: 0, Type: "WAS_CAST_BY"},
			{Source: 1, Target: 0, Type: "CAST", Properties: domain.Properties{{Key: "price", Value: "12"}}},
			{Source: 2, Target: 1, Type: "RANG"},
		},
	}}
	g := bells()
	var allowed []string
	for range 9 {
		said := ""
		for _, d := range g.Conform(mined).Dropped {
			if g, said = schemas.Allow(g, d); said != "" {
				allowed = append(allowed, said)
				break
			}
		}
		if said == "" {
			break
		}
	}
	want := []string{
		"any value of the property founded of Foundry", "the property no. of men of Foundry", "the label Person", "the triple (Bell) CAST (Foundry)",
		"the property price of CAST", "the type RANG",
	}
	if !slices.Equal(allowed, want) {
		t.Errorf("allowed %q, want %q", allowed, want)
	}
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
	if r := g.Conform(mined); len(r.Graph.Nodes) != 3 || len(r.Graph.Relationships) != 3 || len(r.Dropped) != 1 || r.Dropped[0].Name != "Thing" {
		t.Errorf("in the end there are %+v, dropped %+v", r.Graph, r.Dropped)
	}
	if !slices.Equal(bells().Schema.Triples, []extract.Triple{{Source: "Foundry", Type: "CAST", Target: "Bell"}}) {
		t.Error("the schema that was allowed more has changed itself")
	}
	for _, d := range []domain.Dropped{
		{Code: domain.DropLoop}, {Code: domain.DropEnd}, {Code: domain.DropTriple, Type: "CAST"}, {Code: domain.DropLabel, Label: "Bell"}, {Code: domain.DropType, Type: "cast"},
		{Code: domain.DropProperty, Label: "Town", Property: domain.Property{Key: "mayor"}}, {Code: domain.DropProperty, Label: "Bell"},
		{Code: domain.DropTriple, Lacks: [3]string{"Bell", "SANK", "Bell"}},
	} {
		if _, said := schemas.Allow(bells(), d); said != "" {
			t.Errorf("%+v: allowed %s", d, said)
		}
	}
}
