package explore_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/explore/exploretest"
)

// passages returns documents of one passage, each with the names in a line.
func passages(lines ...string) map[string][]string {
	out := map[string][]string{}
	for i, line := range lines {
		out[fmt.Sprintf("%03d", i)] = strings.Fields(line)
	}
	return out
}

// companions returns the names tied to one, with the passages that mention both.
func companions(g *explore.Graph, of domain.EntityID) []string {
	out := []string{}
	for _, c := range g.Companions(of) {
		out = append(out, fmt.Sprint(c.Name, " ", c.Together))
	}
	return out
}

func TestNamesAreTiedThatAreMentionedTogetherMoreOftenThanByChance(t *testing.T) {
	t.Parallel()
	g := small([][3]string{{"keel", "PAINTED", "bridge"}}, passages(
		"aldous bridge keel town", "aldous bridge town", "keel bridge town", "mill town", "mill town harrow", "town", "town", "once mill", "once2 town",
	))
	for name, want := range map[domain.EntityID][]string{
		"aldous": {"bridge 2"}, // and not the town, which most passages mention
		"bridge": {"aldous 2"}, // and not keel, which a relation joins to it
		"keel":   {},
		"once":   {}, // together with the mill only once
		"town":   {},
		"nobody": {},
	} {
		if got := companions(g, name); !slices.Equal(got, want) {
			t.Errorf("%s is mentioned together with %v, want %v", name, got, want)
		}
	}
}

func TestTiesDoNotGrowWithTheCorpus(t *testing.T) {
	t.Parallel()
	// A market that every passage mentions with other names, ten times as many in
	// ten times as many passages, and a name with twelve equal companions.
	count := func(n int) (market, ann, all int) {
		var lines []string
		for i := range n {
			line := fmt.Sprintf("market p%03d p%03d", i, (i+1)%n)
			if i < 24 {
				line += fmt.Sprintf(" ann friend%02d", i%12)
			}
			lines = append(lines, line)
		}
		g := small(nil, passages(lines...))
		return len(g.Companions("market")), len(g.Companions("ann")), g.Ties()
	}
	for _, n := range []int{120, 1200} {
		market, ann, all := count(n)
		if market != 0 || ann > 5 || ann == 0 || all > 5*(n+14)/2 {
			t.Errorf("%d passages: %d ties of what all mention, %d of a name with 12 companions, %d of all", n, market, ann, all)
		}
	}
}

func TestTiesAreExactUnderDeletes(t *testing.T) {
	t.Parallel()
	docs := passages("a b", "a b", "c d", "c d", "e", "f")
	if got := companions(small(nil, docs), "a"); !slices.Equal(got, []string{"b 2"}) {
		t.Fatalf("got %v", got)
	}
	delete(docs, "001")
	if got := companions(small(nil, docs), "a"); len(got) != 0 {
		t.Errorf("after a delete: %v", got)
	}
}

func TestWeakEdgesAreDrawnOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	g := small([][3]string{{"a", "KNOWS", "z"}}, passages("a b", "a b", "c", "d", "e", "z"))
	lines := func(v explore.View) (facts, weak int) {
		for _, e := range v.Edges {
			if e.Weak() {
				weak++
			} else {
				facts++
			}
		}
		return facts, weak
	}
	for _, together := range []bool{true, false} {
		f := explore.Filter{Together: together}
		want := 0
		if together {
			want = 1
		}
		around, _ := g.Around(explore.Query{At: ids("a"), Steps: 1, Filter: f})
		if facts, weak := lines(around); facts != 1 || weak != want || len(around.Nodes) != 2+want || around.Relations != 1 {
			t.Errorf("together %v: around shows %d relations, %d weak edges, %d names and counts %d relations", together, facts, weak, len(around.Nodes), around.Relations)
		}
		all := g.All(f)
		if facts, weak := lines(all); facts != 1 || weak != want {
			t.Errorf("together %v: all shows %d relations and %d weak edges", together, facts, weak)
		}
		if p := all.Part(); len(p.Relations) != 1 {
			t.Errorf("together %v: %d relations are exported", together, len(p.Relations))
		}
		if path := g.Path(f, "z", "b"); path != nil {
			t.Errorf("together %v: a path goes over a weak edge: %v", together, path)
		}
	}
	within := explore.Filter{Together: true, Documents: map[domain.DocumentID]bool{"002": true}}
	if _, weak := lines(g.All(within)); weak != 0 {
		t.Error("a document that mentions neither shows their weak edge")
	}
}

func TestMentionedGivesRelationsWithTheirPassages(t *testing.T) {
	t.Parallel()
	g := small(nil, passages("a b", "a b", "c", "d", "e"))
	want := []domain.Relation{{
		ID: domain.NewRelationID("a", explore.Tied, "b"), Source: "a", Target: "b", Type: explore.Tied,
		Evidence: []domain.Evidence{{Chunk: "c000", Document: "000"}, {Chunk: "c001", Document: "001"}},
	}}
	if got := g.TieRelations(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTiesAreTheSameForTheSameGraph(t *testing.T) {
	t.Parallel()
	one, two := explore.New(exploretest.Graph(300, 500)), explore.New(exploretest.Graph(300, 500))
	if !reflect.DeepEqual(one.TieRelations(), two.TieRelations()) {
		t.Error("the ties differ")
	}
}
