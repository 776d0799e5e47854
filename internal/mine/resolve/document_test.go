package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

func node(name, label string, at int) domain.GraphNode {
	return domain.GraphNode{Name: name, Label: label, Spans: []domain.Span{{Start: at, End: at + len(name)}}}
}

func TestShortNamesTakeTheFullOne(t *testing.T) {
	t.Parallel()
	graphs := []domain.GraphDocument{
		{Nodes: []domain.GraphNode{node("Ilse Brandt", "Person", 0), node("Stone Bridge", "Work", 30)},
			Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "DESIGNED"}}},
		{Nodes: []domain.GraphNode{node("Brandt", domain.UnknownLabel, 100), node("Bridge", domain.UnknownLabel, 120)},
			Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "SAW"}}},
	}
	got, changed := WithinDocument(graphs, strings.ToLower)
	want := domain.GraphDocument{
		Nodes: []domain.GraphNode{
			{Name: "Ilse Brandt", Label: "Person", Aliases: []string{"Brandt"}, Spans: []domain.Span{{Start: 100, End: 106}}},
			node("Bridge", domain.UnknownLabel, 120),
		},
		Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "SAW"}},
	}
	if diff := cmp.Diff(want, got[1]); diff != "" {
		t.Errorf("second chunk (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(graphs[0], got[0]); diff != "" {
		t.Errorf("first chunk changed (-want +got)\n%s", diff)
	}
	if changed != 1 {
		t.Errorf("changed = %d, want 1", changed)
	}
	if graphs[1].Nodes[0].Name != "Brandt" {
		t.Error("the input was changed")
	}
}

func TestShortNamesByRuleTakeTheFullOne(t *testing.T) {
	t.Parallel()
	got, changed := WithinDocument([]domain.GraphDocument{
		{Nodes: []domain.GraphNode{node("Ilse Brandt", "Person", 0)}},
		{Names: []domain.GraphNode{node("Brandt", "Person", 100), node("Oslo", "Place", 120)}},
		{Nodes: []domain.GraphNode{node("Brandt", "Person", 200)}, Names: []domain.GraphNode{node("Ilse Brandt", "Person", 220)}},
	}, strings.ToLower)
	want := []domain.GraphNode{
		{Name: "Ilse Brandt", Label: "Person", Aliases: []string{"Brandt"}, Spans: []domain.Span{{Start: 100, End: 106}}}, node("Oslo", "Place", 120),
	}
	if diff := cmp.Diff(want, got[1].Names); diff != "" || len(got[1].Nodes) > 0 {
		t.Errorf("%d nodes, names (-want +got)\n%s", len(got[1].Nodes), diff)
	}
	if len(got[2].Nodes) != 1 || got[2].Nodes[0].Name != "Ilse Brandt" || len(got[2].Names) > 0 || changed != 2 {
		t.Errorf("%d changed, the third chunk has %+v", changed, got[2])
	}
}

func TestAmbiguousShortNamesAreKept(t *testing.T) {
	t.Parallel()
	graphs := []domain.GraphDocument{{Nodes: []domain.GraphNode{
		node("Ilse Brandt", "Person", 0), node("Otto Brandt", "Person", 20), node("Brandt", domain.UnknownLabel, 40),
	}}}
	if got, _ := WithinDocument(graphs, strings.ToLower); got[0].Nodes[2].Name != "Brandt" {
		t.Errorf("Brandt became %q although two people have that name", got[0].Nodes[2].Name)
	}
}

func TestLongestNameWins(t *testing.T) {
	t.Parallel()
	graphs := []domain.GraphDocument{{Nodes: []domain.GraphNode{
		node("Brandt", domain.UnknownLabel, 0), node("Mary Brandt", "Person", 20), node("Ilse Mary Brandt", "Person", 40),
	}}}
	got, _ := WithinDocument(graphs, strings.ToLower)
	if len(got[0].Nodes) != 1 || got[0].Nodes[0].Name != "Ilse Mary Brandt" || len(got[0].Nodes[0].Spans) != 3 {
		t.Errorf("got %+v, want one node with three spans", got[0].Nodes)
	}
}

func TestRelationOfAnEntityWithItselfIsDropped(t *testing.T) {
	t.Parallel()
	graphs := []domain.GraphDocument{{
		Nodes:         []domain.GraphNode{node("Ilse Brandt", "Person", 0), node("Brandt", domain.UnknownLabel, 20)},
		Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "KNEW"}},
	}}
	if got, _ := WithinDocument(graphs, strings.ToLower); len(got[0].Relationships) != 0 {
		t.Errorf("relations %+v, want none", got[0].Relationships)
	}
}

func TestWithinDocumentIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"Ann", "Bo", "Cy", "Dee"})
		label := rapid.SampledFrom([]string{"Person", "Place", domain.UnknownLabel})
		graph := rapid.Custom(func(t *rapid.T) domain.GraphDocument {
			var g domain.GraphDocument
			for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
				words := rapid.SliceOfN(word, 1, 3).Draw(t, "name")
				g.Nodes = append(g.Nodes, node(strings.Join(words, " "), label.Draw(t, "label"), 20*i))
			}
			for range rapid.IntRange(0, 4).Draw(t, "relations") {
				at := rapid.IntRange(0, len(g.Nodes)-1)
				g.Relationships = append(g.Relationships, domain.GraphRelationship{Source: at.Draw(t, "from"), Target: at.Draw(t, "to"), Type: "R"})
			}
			return g
		})
		graphs := rapid.SliceOfN(graph, 1, 4).Draw(t, "graphs")
		once, _ := WithinDocument(graphs, strings.ToLower)
		twice, changed := WithinDocument(once, strings.ToLower)
		if diff := cmp.Diff(once, twice); diff != "" || changed != 0 {
			t.Fatalf("applied again, %d changed (-once +twice)\n%s", changed, diff)
		}
		for _, g := range once {
			for _, r := range g.Relationships {
				if r.Source >= len(g.Nodes) || r.Target >= len(g.Nodes) {
					t.Fatalf("relation %+v points beyond %d nodes", r, len(g.Nodes))
				}
			}
		}
	})
}

// TestWhereNothingIsRenamedAGraphStays compares graphs as they are read from the ledger, where a list may be empty or missing.
func TestWhereNothingIsRenamedAGraphStays(t *testing.T) {
	t.Parallel()
	graphs := []domain.GraphDocument{
		{Nodes: []domain.GraphNode{node("Ilse Brandt", "Person", 0)}, Relationships: []domain.GraphRelationship{}},
		{Nodes: []domain.GraphNode{}, Relationships: nil},
	}
	got, changed := WithinDocument(graphs, strings.ToLower)
	if diff := cmp.Diff(graphs, got); diff != "" || changed != 0 {
		t.Errorf("%d changed (-want +got)\n%s", changed, diff)
	}
}
