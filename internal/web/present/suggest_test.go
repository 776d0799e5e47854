package present

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/views/page"
)

// known is a graph of a few entities, of which the first is related to the last.
type known struct {
	graphstore.Reader
	entities []domain.Entity
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
		{"one of each label", known{entities: []domain.Entity{ada, babbage, engine}}, []page.SampleQuestion{
			{Text: "Who is Ada?", Note: "7 mentions"}, {Text: "What is said about the Engine?", Note: "1 mention"},
			{Text: "How are Ada and the Engine connected?", Note: "related in the graph"}, whole,
		}},
	} {
		if diff := cmp.Diff(tt.want, Suggested(t.Context(), tt.graph, "w1")); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}
