package ingest_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit"
)

// windowed reads the fixture's document in windows of so many tokens, and returns the
// ordinals of each request, the smallest first.
func (b *fixture) windowed(t *testing.T, tokens int, fails func(extract.Request) error) [][]int {
	t.Helper()
	var mu sync.Mutex
	var asked [][]int
	b.script.Before = func(_ context.Context, r extract.Request) error {
		var ordinals []int
		for _, c := range r.Chunks {
			ordinals = append(ordinals, c.Ordinal)
		}
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, ordinals)
		if fails != nil {
			return fails(r)
		}
		return nil
	}
	p := b.IngestParams()
	p.Window = tokens
	graph, err := ingest.Graph(p)
	testkit.Must(t, err)
	_, err = graph.Run(t.Context(), ingest.Begin(testkit.Workspace, b.doc.ID), stategraph.MaxConcurrency(1))
	testkit.Must(t, err)
	slices.SortFunc(asked, slices.Compare)
	return asked
}

func holds(r extract.Request, ordinal int) bool {
	return slices.ContainsFunc(r.Chunks, func(c domain.Chunk) bool { return c.Ordinal == ordinal })
}

func TestNeighboursShareARequest(t *testing.T) {
	t.Parallel()
	five := letters("Anna", "Berta", "Clara", "Dora", "Erna")
	alone, together := setup(t, testkit.Options{}, five), setup(t, testkit.Options{}, five)
	if diff := cmp.Diff([][]int{{0}, {1}, {2}, {3}, {4}}, alone.windowed(t, 0, nil)); diff != "" {
		t.Errorf("alone (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([][]int{{0, 1}, {2, 3, 4}}, together.windowed(t, 128, nil)); diff != "" {
		t.Errorf("in windows (-want +got)\n%s", diff)
	}
	want, err := alone.Ledger.Contributions(t.Context(), testkit.Workspace, alone.doc.ID)
	testkit.Must(t, err)
	got, err := together.Ledger.Contributions(t.Context(), testkit.Workspace, together.doc.ID)
	testkit.Must(t, err)
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 5 {
		t.Errorf("%d contributions, other than those of chunks alone (-alone +together)\n%s", len(got), diff)
	}
	if doc := together.Document(t, together.doc.ID); doc.ChunksDone != 5 || doc.Entities != alone.Document(t, alone.doc.ID).Entities {
		t.Errorf("the document counts %d chunks and %d entities", doc.ChunksDone, doc.Entities)
	}
}

func TestOnlyTheUnreadableChunkOfAWindowIsLeftOut(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara", "Dora"))
	asked := b.windowed(t, 1200, func(r extract.Request) error {
		if holds(r, 2) {
			return &llm.Error{Fault: llm.BadAnswer, Message: "The model answered with a poem."}
		}
		return nil
	})
	if diff := cmp.Diff([][]int{{0, 1}, {0, 1, 2, 3}, {2}, {2, 3}, {3}}, asked); diff != "" {
		t.Errorf("requests (-want +got)\n%s", diff)
	}
	doc := b.Document(t, b.doc.ID)
	if diff := cmp.Diff([]string{"Chunk 3 of 4 was left out: The model answered with a poem."}, doc.Warnings); diff != "" || doc.ChunksDone != 3 {
		t.Errorf("%d chunks done; warnings (-want +got)\n%s", doc.ChunksDone, diff)
	}
}

func TestOnlyWhatIsNotRecordedIsAskedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara", "Dora", "Erna"))
	b.windowed(t, 0, func(r extract.Request) error {
		if holds(r, 0) || holds(r, 3) || holds(r, 4) {
			return &llm.Error{Fault: llm.BadAnswer, Message: "The model answered with a poem."}
		}
		return nil
	})
	if diff := cmp.Diff([][]int{{0}, {3, 4}}, b.windowed(t, 1200, nil)); diff != "" {
		t.Errorf("the second time (-want +got)\n%s", diff)
	}
}
