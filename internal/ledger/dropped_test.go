package ledger_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// droppedItem returns an entity that a schema dropped from a chunk.
func droppedItem(c domain.Chunk, name string) domain.Dropped {
	return domain.Dropped{
		Kind: domain.DroppedEntity, Name: name, Label: "Mood", Spans: []domain.Span{c.Span}, Code: domain.DropLabel, Reason: "The schema has no label Mood.",
	}
}

func droppedItems(t *testing.T, b Bench) {
	ctx := t.Context()
	d, other := b.add(t, ws, "one", "first", "second"), b.add(t, ws, "two", "third")
	chunks, others := split(d.ID, []string{"first", "second"}), split(other.ID, []string{"third"})
	record := func(c domain.Chunk, mined string, names ...string) ledger.Contribution {
		with := ledgerContribution(c, "Ada", "Babbage")
		with.Schema, with.Mined = 3, mined
		for _, name := range names {
			with.Dropped = append(with.Dropped, droppedItem(c, name))
		}
		must(t, b.Ledger.RecordContribution(ctx, ws, with))
		return with
	}
	record(chunks[1], `{"graph":{},"left":[1]}`, "joy")
	record(chunks[0], "", "replaced")
	first := record(chunks[0], "", "calm", "rage")
	record(others[0], "", "of another document")

	want := []ledger.DroppedItem{
		{Chunk: chunks[0].ID, Dropped: droppedItem(chunks[0], "calm")},
		{Chunk: chunks[0].ID, Dropped: droppedItem(chunks[0], "rage")},
		{Chunk: chunks[1].ID, Ordinal: 1, Dropped: droppedItem(chunks[1], "joy")},
	}
	for most, of := range map[int]int{0: 3, 2: 2} {
		got, err := b.Ledger.Dropped(ctx, ws, d.ID, most)
		must(t, err)
		if diff := cmp.Diff(want[:of], got); diff != "" {
			t.Errorf("at most %d: -want +got\n%s", most, diff)
		}
	}
	if n, err := b.Ledger.CountDropped(ctx, ws, d.ID); err != nil || n != 3 {
		t.Errorf("%d dropped items, error %v", n, err)
	}

	read, err := b.Ledger.ReadChunks(ctx, ws, d.ID, 0, 0)
	must(t, err)
	if len(read) != 2 || !cmp.Equal(read[0].Chunk, chunks[0]) || read[0].Reader != "test/1" || read[0].Schema != 3 || !cmp.Equal(read[0].Graph, first.Graph) ||
		!cmp.Equal(read[0].Dropped, []domain.Dropped{want[0].Dropped, want[1].Dropped}) || len(read[1].Dropped) != 1 {
		t.Errorf("the chunks with what was mined: %+v", read)
	}
	for from, most := range map[int]int{1: 5, 0: 1} {
		if part, err := b.Ledger.ReadChunks(ctx, ws, d.ID, from, most); err != nil || len(part) != 1 || !cmp.Equal(part[0], read[from]) {
			t.Errorf("at most %d chunks from %d on: %+v, error %v", most, from, part, err)
		}
	}
	if none, err := b.Ledger.ReadChunks(ctx, "other", d.ID, 0, 0); err != nil || len(none) > 0 {
		t.Errorf("in another workspace: %+v, error %v", none, err)
	}

	changed := first
	changed.Graph = ledgerContribution(chunks[0], "Ada Lovelace").Graph
	must(t, b.Ledger.ReplaceGraph(ctx, ws, changed))
	again := changed
	again.Graph = ledgerContribution(chunks[0], "Lady Lovelace").Graph
	must(t, b.Ledger.ReplaceGraph(ctx, ws, again))
	mined, err := b.Ledger.Mined(ctx, ws, d.ID)
	must(t, err)
	if len(mined) != 2 || mined[1] != (ledger.MinedChunk{Chunk: chunks[1].ID, Reader: "test/1", Schema: 3, Mined: `{"graph":{},"left":[1]}`}) {
		t.Fatalf("mined %+v", mined)
	}
	in, err := b.Ledger.MinedIn(ctx, ws, chunks[0].ID, "gone")
	if one := in[chunks[0].ID]; err != nil || len(in) != 1 || one != mined[0] || !cmp.Equal(minedGraph(t, one), first.Graph) {
		t.Errorf("what was mined before the graph was replaced: %+v, error %v", in, err)
	}
	got, err := b.Ledger.Contributions(ctx, ws, d.ID)
	must(t, err)
	if !cmp.Equal(got[0].Graph, again.Graph) {
		t.Errorf("graph %+v", got[0].Graph)
	}
	_, err = b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	for key, n := range map[string]int{"ada": 1, "ada lovelace": 0, "lady lovelace": 1} {
		if found, err := b.Ledger.Mentions(ctx, ws, []string{key}); err != nil || len(found) != n {
			t.Errorf("%d mentions of %s, want %d, error %v", len(found), key, n, err)
		}
	}
	gone := again
	gone.Chunk = "gone"
	wantKind(t, b.Ledger.ReplaceGraph(ctx, ws, gone), domain.NotFound)
	again.Graph.Relationships = []domain.GraphRelationship{{Target: 1}}
	wantKind(t, b.Ledger.ReplaceGraph(ctx, ws, again), domain.Invalid)

	must(t, b.Ledger.SaveChunks(ctx, ws, d.ID, chunks[:1]))
	if n, err := b.Ledger.CountDropped(ctx, ws, d.ID); err != nil || n != 2 {
		t.Errorf("%d dropped items after their chunk is gone, error %v", n, err)
	}
}

func minedGraph(t *testing.T, m ledger.MinedChunk) domain.GraphDocument {
	t.Helper()
	var of struct{ Graph domain.GraphDocument }
	must(t, json.Unmarshal([]byte(m.Mined), &of))
	return of.Graph
}
