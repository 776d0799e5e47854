package ledgertest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func entityID(label, key string) domain.EntityID { return domain.NewEntityID(ws, label, key) }

func curations(t *testing.T, b Bench) {
	ctx := t.Context()
	_, err := b.Ledger.Curate(ctx, "empty", ledger.Curation{Kind: ledger.CurationHide, Operation: ledger.Operation{Entity: "e"}}, nil)
	wantKind(t, err, domain.NotFound)
	d := b.add(t, ws, "letters", "Ada met Babbage.")
	first, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)

	ada, augusta := entityID("Person", "ada"), entityID("Person", "augusta")
	merge, err := b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationMerge, Who: "eve", Operation: ledger.Operation{
		Entity: ada, Others: []domain.EntityID{augusta}, Chunks: []domain.ChunkID{"c"}, Forms: []string{"f"}, Form: "g", Name: "Ada L.",
		Label: "Person", Type: "KNOWS", Relation: "r", Target: "e2",
	}}, map[domain.EntityID]string{ada: "ada", augusta: ""})
	must(t, err)
	if merge.Seq != first+1 || !merge.At.Equal(b.Clock.Now()) {
		t.Errorf("got entry %d at %s, want %d at %s", merge.Seq, merge.At, first+1, b.Clock.Now())
	}
	changes, err := b.Ledger.Changes(ctx, ws, first, 0)
	must(t, err)
	if diff := cmp.Diff([]ledger.Change{{Seq: merge.Seq}}, changes); diff != "" {
		t.Errorf("the outbox: -want +got\n%s", diff)
	}
	undo := b.undo(t, merge.Seq)
	_, err = b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationUndo, Undoes: merge.Seq}, nil)
	wantKind(t, err, domain.Conflict)
	_, err = b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationUndo, Undoes: first}, nil)
	wantKind(t, err, domain.NotFound)
	redo := b.undo(t, undo.Seq)
	again := b.undo(t, merge.Seq) // which is in force again

	want := []ledger.Curation{merge, undo, redo, again}
	got, err := b.Ledger.Curations(ctx, ws, again.Seq)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the log: -want +got\n%s", diff)
	}
	if got, err = b.Ledger.Curations(ctx, ws, undo.Seq); err != nil || len(got) != 2 {
		t.Errorf("got %d entries up to %d, error %v, want 2", len(got), undo.Seq, err)
	}
	if got, err = b.Ledger.Curations(ctx, "elsewhere", again.Seq); err != nil || len(got) != 0 {
		t.Errorf("another workspace: got %d entries, error %v, want none", len(got), err)
	}
	if diff := cmp.Diff(map[int64]bool{merge.Seq: true, undo.Seq: true}, ledger.Undone(want)); diff != "" {
		t.Errorf("taken back: -want +got\n%s", diff)
	}
}

func (b Bench) undo(t *testing.T, seq int64) ledger.Curation {
	t.Helper()
	c, err := b.Ledger.Curate(t.Context(), ws, ledger.Curation{Kind: ledger.CurationUndo, Undoes: seq}, nil)
	must(t, err)
	return c
}

// curatedNames checks that the log's names disappear with the last document
// that has them, and come back with it.
func curatedNames(t *testing.T, b Bench) {
	ctx := t.Context()
	add := func(name string, names ...string) domain.Document {
		d := b.add(t, ws, name, "text of "+name)
		chunks, err := b.Ledger.Chunks(ctx, ws, d.ID)
		must(t, err)
		must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(chunks[0], names...)))
		_, err = b.Ledger.Publish(ctx, ws, d.ID)
		must(t, err)
		return d
	}
	remove := func(d domain.Document) {
		_, err := b.Ledger.DeleteDocument(ctx, ws, d.ID)
		must(t, err)
	}
	one, other := add("The Thames (river)", "Ada"), add("two", "Ada", "Byron B")
	keys := map[domain.EntityID]string{}
	for _, key := range []string{"ada", "byron b", "the thames", "two"} {
		keys[entityID(domain.UnknownLabel, key)], keys[entityID("Person", key)] = key, key
	}
	_, err := b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationHide, Operation: ledger.Operation{Entity: "e"}}, keys)
	must(t, err)
	check := func(when string, want ...string) {
		t.Helper()
		left := map[domain.EntityID]string{}
		for _, key := range want {
			left[entityID(domain.UnknownLabel, key)], left[entityID("Person", key)] = key, key
		}
		got, err := b.Ledger.CuratedKeys(ctx, ws)
		must(t, err)
		if diff := cmp.Diff(left, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", when, diff)
		}
	}
	check("at first", "ada", "byron b", "the thames", "two")
	remove(one)
	check("without one document", "ada", "byron b", "two")
	remove(other)
	check("without any")
	add("two", "Ada", "Byron B")
	got, err := b.Ledger.CuratedKeys(ctx, ws)
	must(t, err)
	if got[entityID(domain.UnknownLabel, "ada")] != "ada" || got[entityID(domain.UnknownLabel, "two")] != "two" || got[entityID(domain.UnknownLabel, "the thames")] != "" {
		t.Errorf("after one document came back: got %v", got)
	}
	seen, err := b.Ledger.ChangedBefore(ctx, ws, []domain.DocumentID{one.ID, other.ID, "d0"}, 1)
	must(t, err)
	if diff := cmp.Diff([]domain.DocumentID{one.ID}, seen); diff != "" {
		t.Errorf("changed by the first change: -want +got\n%s", diff)
	}
}
