package explore_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
)

// TestTurnsAreWhatBeginsAndEnds counts by year, whatever time is asked about, and leaves the rest of the filter to count.
func TestTurnsAreWhatBeginsAndEnds(t *testing.T) {
	t.Parallel()
	a := &graphstore.Adjacency{Cursor: 1}
	for _, name := range []string{"a", "b", "c"} {
		a.Entities = append(a.Entities, graphstore.AdjacentEntity{ID: domain.EntityID(name), Label: "Person", Key: name, Name: name})
	}
	a.Relations = []graphstore.AdjacentRelation{
		{Source: 0, Target: 1, Type: "FOUNDED", Evidence: 1, Periods: "1890..1902"}, // is done, and never ends
		{Source: 0, Target: 1, Type: "LED", Evidence: 1, Periods: "1890-05..1902 1910.."},
		{Source: 0, Target: 2, Type: "MET_IN", Evidence: 1, Periods: "1921"},
		{Source: 1, Target: 2, Type: "KNEW", Evidence: 1},
		{Source: 1, Target: 2, Type: "LIVED_IN", Evidence: 1, Periods: "..-0044"},
	}
	g := explore.New(a)
	want := []explore.Turn{{Year: -44, End: 1}, {Year: 1890, Begin: 2}, {Year: 1902, End: 1}, {Year: 1910, Begin: 1}, {Year: 1921, Begin: 1}}
	for _, asOf := range []domain.Day{{}, {Year: 1895}} {
		f := explore.Filter{AsOf: asOf}
		around, _ := g.Around(explore.Query{Filter: f, At: []domain.EntityID{"a", "b", "c"}})
		for name, v := range map[string]explore.View{"around": around, "all": g.All(f), "overview": g.Overview(f)} {
			if diff := cmp.Diff(want, v.Turns); diff != "" {
				t.Errorf("%s as of %q (-want +got):\n%s", name, asOf, diff)
			}
		}
	}
	if v := g.All(explore.Filter{Types: []string{"KNEW"}}); len(v.Turns) > 0 {
		t.Errorf("a relation without a time turns in %v", v.Turns)
	}
	if f := (explore.Filter{Together: true, AsOf: domain.Day{Year: 1895}}); f.Plain() {
		t.Error("a filter with a time is taken for none, so the overview shows what does not hold")
	}
}
