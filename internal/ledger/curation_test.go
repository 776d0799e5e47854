package ledger_test

import (
	"maps"
	"slices"
	"strings"
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
		if diff := cmp.Diff(left, got.Held); diff != "" {
			t.Errorf("%s: -want +got\n%s", when, diff)
		}
		gone := map[domain.EntityID]string{}
		for id, key := range keys {
			if left[id] == "" {
				gone[id] = domain.Hash([]byte(key))
			}
		}
		if diff := cmp.Diff(gone, got.Gone); diff != "" {
			t.Errorf("%s, gone: -want +got\n%s", when, diff)
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
	if held := got.Held; held[entityID(domain.UnknownLabel, "ada")] != "ada" || held[entityID(domain.UnknownLabel, "two")] != "two" || held[entityID(domain.UnknownLabel, "the thames")] != "" {
		t.Errorf("after one document came back: got %v", got)
	}
	seen, err := b.Ledger.ChangedBefore(ctx, ws, []domain.DocumentID{one.ID, other.ID, "d0"}, 1)
	must(t, err)
	if diff := cmp.Diff([]domain.DocumentID{one.ID}, seen); diff != "" {
		t.Errorf("changed by the first change: -want +got\n%s", diff)
	}
}

// createdByHand checks that the name of what was made from a stretch of a
// document comes and goes with it, and that one without a source stays.
func createdByHand(t *testing.T, b Bench) {
	ctx := t.Context()
	guild, err := b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationCreate, Operation: ledger.Operation{Entity: entityID("Guild", "guild"), Label: "Guild", Name: "Guild"}},
		map[domain.EntityID]string{entityID("Guild", "guild"): "guild"})
	must(t, err)
	if guild.Seq != 1 {
		t.Errorf("got change %d in an empty library, want 1", guild.Seq)
	}
	add := func() domain.Document {
		d := b.add(t, ws, "letters", "Ada met Babbage.")
		_, err := b.Ledger.Publish(ctx, ws, d.ID)
		must(t, err)
		return d
	}
	d := add()
	chunks, err := b.Ledger.Chunks(ctx, ws, d.ID)
	must(t, err)
	start := chunks[0].Span.Start
	at := ledger.Stretch{Document: d.ID, Chunk: chunks[0].ID, Span: domain.Span{Start: start + 8, End: start + 15}, Hash: domain.Hash([]byte("Babbage"))}
	babbage := ledger.Curation{Kind: ledger.CurationCreate, Operation: ledger.Operation{Entity: entityID("Person", "babbage"), Label: "Person", Stretch: at}}
	_, err = b.Ledger.Curate(ctx, ws, babbage, map[domain.EntityID]string{babbage.Entity: "babbage"})
	must(t, err)
	stored, err := b.Ledger.Curations(ctx, ws, 1<<40)
	must(t, err)
	if diff := cmp.Diff(babbage.Operation, stored[1].Operation); diff != "" {
		t.Errorf("the operation: -want +got\n%s", diff)
	}
	check := func(when string, want ...string) {
		t.Helper()
		got, err := b.Ledger.CuratedKeys(ctx, ws)
		must(t, err)
		if keys := slices.Sorted(maps.Values(got.Held)); !slices.Equal(keys, want) {
			t.Errorf("%s: got %v, want %v", when, keys, want)
		}
	}
	check("at first", "babbage", "guild")
	_, err = b.Ledger.DeleteDocument(ctx, ws, d.ID)
	must(t, err)
	check("without the document", "guild")
	again := add()
	check("with the document again", "babbage", "guild")

	// Earlier entries may know what was created without its label.
	plain := func(key string) domain.EntityID { return entityID(domain.UnknownLabel, key) }
	merge := ledger.Curation{Kind: ledger.CurationMerge, Operation: ledger.Operation{Entity: plain("babbage"), Others: []domain.EntityID{plain("mill")}}}
	_, err = b.Ledger.Curate(ctx, ws, merge, map[domain.EntityID]string{plain("babbage"): "babbage", plain("mill"): "mill"})
	must(t, err)
	_, err = b.Ledger.DeleteDocument(ctx, ws, again.ID)
	must(t, err)
	check("without the document of a merge", "guild")
	add()
	check("with what the merge names", "babbage", "babbage", "guild")
	mill := ledger.Curation{Kind: ledger.CurationCreate, Operation: ledger.Operation{Entity: entityID("Place", "mill"), Label: "Place", Name: "Mill"}}
	_, err = b.Ledger.Curate(ctx, ws, mill, map[domain.EntityID]string{mill.Entity: "mill"})
	must(t, err)
	check("after the other was created", "babbage", "babbage", "guild", "mill", "mill")
	_, err = b.Ledger.DeleteDocument(ctx, ws, add().ID)
	must(t, err)
	check("with what has no source", "guild", "mill", "mill")
}

// overtaken checks which decisions are refused because of one that whoever
// decides has not seen.
func overtaken(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "letters", "Ada met Babbage.")
	seen, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	about := func(kind ledger.CurationKind, id domain.EntityID, others ...domain.EntityID) ledger.Curation {
		return ledger.Curation{Kind: kind, Who: "eve", Operation: ledger.Operation{Entity: id, Others: others}}
	}
	born, died := about(ledger.CurationSet, "a"), about(ledger.CurationSet, "a")
	born.Property, died.Property = ledger.Word{Text: "born"}, ledger.Word{Text: "died"}
	hashed := born
	hashed.Property = ledger.Word{Hash: domain.Hash([]byte("born"))}
	of := born
	of.Relation, of.Target = "r", "b"
	for name, c := range map[string]struct {
		before, decision ledger.Curation
		refused          bool
	}{
		"a merge after a merge of one of them": {about(ledger.CurationMerge, "a", "b"), about(ledger.CurationMerge, "c", "b"), true},
		"a merge of others":                    {about(ledger.CurationMerge, "a", "b"), about(ledger.CurationMerge, "c", "d"), false},
		"a name after a deletion":              {about(ledger.CurationHide, "a"), about(ledger.CurationRename, "a"), true},
		"a name after a name":                  {about(ledger.CurationRename, "a"), about(ledger.CurationRename, "a"), true},
		"a label after a name":                 {about(ledger.CurationRename, "a"), about(ledger.CurationRelabel, "a"), false},
		"a value after a value":                {born, born, true},
		"a value after a value, by its hash":   {hashed, born, true},
		"a value of another property":          {died, born, false},
		"a value of a relation":                {of, born, false},
		"a merge of what was kept apart":       {about(ledger.CurationApart, "a", "b"), about(ledger.CurationMerge, "a", "b"), true},
		"a merge with another":                 {about(ledger.CurationApart, "a", "b"), about(ledger.CurationMerge, "a", "c"), false},
	} {
		first, err := b.Ledger.Curate(ctx, ws, c.before, nil)
		must(t, err)
		decision := c.decision
		decision.Seen = first.Seq - 1
		if _, err = b.Ledger.Curate(ctx, ws, decision, nil); (domain.KindOf(err) == domain.Conflict) != c.refused {
			t.Errorf("%s: got %v, want it refused: %v", name, err, c.refused)
		}
		decision.Seen = b.undo(t, first.Seq).Seq - 1
		if _, err = b.Ledger.Curate(ctx, ws, decision, nil); (domain.KindOf(err) == domain.Conflict) != c.refused {
			t.Errorf("%s, when that is undone: got %v, want it refused: %v", name, err, c.refused)
		}
		decision.Seen = 0
		_, err = b.Ledger.Curate(ctx, ws, decision, nil)
		must(t, err)
	}
	knows := born
	knows.Seen = seen
	_, err = b.Ledger.Curate(ctx, ws, knows, nil)
	if domain.KindOf(err) != domain.Conflict || !strings.HasPrefix(err.Error(), "eve has ") {
		t.Errorf("got %v, want who it was", err)
	}
}
