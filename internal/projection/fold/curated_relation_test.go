package fold

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func TestRelations(t *testing.T) {
	t.Parallel()
	ann, acme, thing := domain.Entity{ID: "e1", Label: "Person", Name: "Ann"}, domain.Entity{ID: "e2", Label: "Company", Name: "Acme"}, domain.Entity{ID: "e3", Label: "Thing", Name: "ACME"}
	names := map[string]Namesakes{
		"ann":  NewNamesakes([]domain.Entity{ann}, "Person"),
		"acme": NewNamesakes([]domain.Entity{acme, thing}, "Company"),
	}
	says := func(source, sourceLabel, target, targetLabel string, chunk domain.ChunkID, at int) ledger.StatementRow {
		return ledger.StatementRow{SourceKey: source, SourceLabel: sourceLabel, Type: "RUNS", TargetKey: target, TargetLabel: targetLabel,
			Chunk: chunk, Document: "d", Spans: []domain.Span{{Start: at, End: at + 1}}}
	}
	s := NewCurated(Folder{Workspace: "w", Key: strings.ToLower})
	s.AddStatements([]ledger.StatementRow{
		says("ann", "Person", "acme", "Company", "c2", 5),
		says("ann", domain.UnknownLabel, "acme", domain.UnknownLabel, "c1", 1), // joins the best labels of both ends
		says("ann", "Person", "acme", "Company", "c2", 3),
		says("ann", "Person", "acme", "Company", "c2", 5), // said twice
		says("ann", "Person", "acme", "Thing", "c1", 1),
		says("ann", "Person", "ann", domain.UnknownLabel, "c1", 1), // about itself
		says("ann", "Person", "nobody", "Person", "c1", 1),
		says("ann", "Place", "acme", "Company", "c1", 1), // no such entity
	})
	got := s.Relations(names, nil, nil)
	if len(got) != 2 {
		t.Fatalf("got %d relations, want 2: %+v", len(got), got)
	}
	for _, r := range got {
		if r.Target != "e2" {
			continue
		}
		want := []domain.Evidence{
			{Chunk: "c1", Document: "d", Spans: []domain.Span{{Start: 1, End: 2}}},
			{Chunk: "c2", Document: "d", Spans: []domain.Span{{Start: 3, End: 4}, {Start: 5, End: 6}}},
		}
		if diff := cmp.Diff(want, r.Evidence); diff != "" {
			t.Errorf("evidence (-want +got):\n%s", diff)
		}
	}
}
