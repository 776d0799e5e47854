package present

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// known is a graph of a few entities, of which the first is related to the last.
type known struct {
	graphstore.Reader
	entities []domain.Entity
	links    []graphstore.Entity // in each document
	err      error
}

func (k known) Entities(context.Context, domain.WorkspaceID, graphstore.EntityQuery) ([]domain.Entity, int, error) {
	return k.entities, len(k.entities), k.err
}

func (k known) Relations(context.Context, domain.WorkspaceID, domain.EntityID, int) ([]graphstore.Edge, error) {
	return []graphstore.Edge{{From: k.entities[0], To: k.entities[len(k.entities)-1]}}, nil
}

func TestSuggestionsComeFromTheGraph(t *testing.T) {
	t.Parallel()
	entity := func(name, label string, mentions int) domain.Entity {
		return domain.Entity{ID: domain.EntityID(name), Name: name, Label: label, Mentions: mentions}
	}
	ada, babbage, engine := entity("Ada", "Person", 7), entity("Babbage", "Person", 5), entity("the Engine", "Work", 1)
	whole := page.SampleQuestion{Text: "What are the main themes?", Note: "of the whole library"}
	for _, tt := range []struct {
		name  string
		graph known
		want  []page.SampleQuestion
	}{
		{"empty", known{}, nil},
		{"away", known{entities: []domain.Entity{ada}, err: errors.New("away")}, nil},
		{"alone", known{entities: []domain.Entity{ada}}, []page.SampleQuestion{{Text: "Who is Ada?", Note: "7 mentions"}, whole}},
		{"a thing that is labelled a person", known{entities: []domain.Entity{{ID: "v", Name: "The Tarn Viaduct", Label: "Person", Mentions: 7}}}, []page.SampleQuestion{{Text: "What is known about The Tarn Viaduct?", Note: "7 mentions"}, whole}},
		{"one of each label", known{entities: []domain.Entity{ada, babbage, engine}}, []page.SampleQuestion{
			{Text: "Who is Ada?", Note: "7 mentions"}, {Text: "What is known about the Engine?", Note: "1 mention"},
			{Text: "How are Ada and the Engine connected?", Note: "related in the graph"}, whole,
		}},
	} {
		if diff := cmp.Diff(tt.want, Suggested(t.Context(), tt.graph, "w1")); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

func (k known) InDocument(context.Context, domain.WorkspaceID, domain.DocumentID) ([]graphstore.Entity, error) {
	return k.links, k.err
}

// TestAMissAsksAboutWhatIsNamedNearby leaves out what another passage of the document names, and what is named
// nowhere but is its title.
func TestAMissAsksAboutWhatIsNamedNearby(t *testing.T) {
	t.Parallel()
	named := func(name, label string, mentions int, l graphstore.Link) graphstore.Entity {
		return graphstore.Entity{Entity: domain.Entity{Name: name, Label: label, Mentions: mentions}, Links: []graphstore.Link{l}}
	}
	here, there := graphstore.Link{Chunk: "c1", Spans: []domain.Span{{End: 3}}}, graphstore.Link{Chunk: "c2", Spans: []domain.Span{{End: 3}}}
	g := known{links: []graphstore.Entity{
		named("the Engine", "Work", 2, here), named("Mill", "Place", 9, there), named("Notes", "Work", 8, graphstore.Link{Chunk: "c1"}), named("Ada", "Person", 7, here),
		named("Babbage", "Person", 1, here),
	}}
	miss := func() *partial.FoundProps {
		return &partial.FoundProps{Closest: []partial.NearProps{{Chunk: "c1", Document: "d1"}, {Chunk: "c1", Document: "d1"}}}
	}
	p := miss()
	Nearby(t.Context(), g, "w1", p)
	if diff := cmp.Diff([]string{"Who is Ada?", "What is known about the Engine?"}, p.Nearby); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	p, g.err = miss(), errors.New("away")
	if Nearby(t.Context(), g, "w1", p); len(p.Nearby) > 0 {
		t.Errorf("without a graph it asks %q", p.Nearby)
	}
	Nearby(t.Context(), g, "w1", nil)
}
