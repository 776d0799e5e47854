package ledger_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// retag gives a document tags in place of those that it has.
func retag(t *testing.T, b Bench, w domain.WorkspaceID, id domain.DocumentID, tags []string) {
	t.Helper()
	remove, err := b.Ledger.TagsOf(t.Context(), w, id)
	must(t, err)
	remove = slices.DeleteFunc(remove, func(tag string) bool { return slices.Contains(tags, tag) })
	_, err = b.Ledger.TagDocuments(t.Context(), w, "", ledger.DocumentQuery{IDs: []domain.DocumentID{id}}, tags, remove)
	must(t, err)
}

func tags(t *testing.T, b Bench) {
	const other = domain.WorkspaceID("other")
	ctx := t.Context()
	one, two := b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage built an engine.")
	elsewhere := b.add(t, other, "one", "Ada met Babbage.")
	retag(t, b, ws, one.ID, []string{"gone"})
	retag(t, b, ws, one.ID, []string{"people", "engines"})
	retag(t, b, ws, two.ID, []string{"engines"})
	retag(t, b, other, elsewhere.ID, []string{"secret"})

	all := func(want ...ledger.TagCount) {
		t.Helper()
		got, err := b.Ledger.Tags(ctx, ws)
		must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("tags: -want +got\n%s", diff)
		}
	}
	all(ledger.TagCount{Tag: "engines", Count: 2}, ledger.TagCount{Tag: "people", Count: 1})
	of, err := b.Ledger.TagsOf(ctx, ws, one.ID)
	must(t, err)
	if diff := cmp.Diff([]string{"engines", "people"}, of); diff != "" {
		t.Errorf("of the first: -want +got\n%s", diff)
	}
	for tag, want := range map[string]int{"engines": 2, "people": 1, "secret": 0, "": 2} {
		if found, total, err := b.Ledger.Documents(ctx, ws, ledger.DocumentQuery{Tag: tag}); err != nil || len(found) != want || total != want {
			t.Errorf("tag %q: got %d of %d documents, want %d; error %v", tag, len(found), total, want, err)
		}
	}
	today := one.CreatedAt.UTC().Format(time.DateOnly)
	tomorrow := one.CreatedAt.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	both := slices.Sorted(slices.Values([]domain.DocumentID{one.ID, two.ID}))
	for i, tt := range []struct {
		scope domain.Scope
		want  []domain.DocumentID
	}{
		{domain.Scope{}, both},
		{domain.Scope{Tags: []string{"people"}}, []domain.DocumentID{one.ID}},
		{domain.Scope{Tags: []string{"engines", "people"}}, both},
		{domain.Scope{Tags: []string{"secret"}}, nil},
		{domain.Scope{Documents: []domain.DocumentID{two.ID, "gone"}}, []domain.DocumentID{two.ID}},
		{domain.Scope{Tags: []string{"people"}, Documents: []domain.DocumentID{two.ID}}, both},
		{domain.Scope{From: today, To: today}, both},
		{domain.Scope{From: tomorrow}, nil},
		{domain.Scope{Tags: []string{"people"}, To: "2000-01-01"}, nil},
	} {
		got, err := b.Ledger.Within(ctx, ws, tt.scope)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("scope %d: %v, -want +got\n%s", i, err, diff)
		}
		if n, _, err := b.Ledger.CountWithin(ctx, ws, tt.scope); err != nil || n != len(tt.want) {
			t.Errorf("scope %d: counted %d documents, %v, want %d", i, n, err, len(tt.want))
		}
	}
	_, err = b.Ledger.DeleteDocument(ctx, ws, one.ID)
	must(t, err)
	all(ledger.TagCount{Tag: "engines", Count: 1})
	retag(t, b, ws, two.ID, nil)
	all()
}

// tagsOfMany changes the tags of several documents at once, takes that back and brings it back.
func tagsOfMany(t *testing.T, b Bench) {
	ctx := t.Context()
	if c, err := b.Ledger.TagDocuments(ctx, "nowhere", "eve", ledger.DocumentQuery{}, []string{"new"}, nil); err != nil || c.Seq != 0 {
		t.Errorf("an empty library: entry %+v, error %v", c, err)
	}
	one, two, three := b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage built an engine."), b.add(t, ws, "three", "Ada wrote a note.")
	retag(t, b, ws, one.ID, []string{"inbox", "people"})
	retag(t, b, ws, two.ID, []string{"inbox"})
	docs := []domain.Document{one, two, three}
	wants := func(when string, want ...string) {
		t.Helper()
		got, err := b.Ledger.TagsOfAll(ctx, ws, docs)
		must(t, err)
		for i, d := range docs {
			if said := strings.Join(got[d.ID], " "); said != want[i] {
				t.Errorf("%s: document %d has the tags %q, want %q", when, i+1, said, want[i])
			}
		}
	}
	inbox := ledger.DocumentQuery{Tag: "inbox"}
	c, err := b.Ledger.TagDocuments(ctx, ws, "eve", inbox, []string{"read", "people"}, []string{"inbox", "gone"})
	must(t, err)
	if c.Documents != 2 || c.Kind != ledger.CurationTag || c.Who != "eve" || c.Seq == 0 {
		t.Errorf("got the entry %+v", c)
	}
	wants("tagged", "people read", "people read", "")
	if again, err := b.Ledger.TagDocuments(ctx, ws, "eve", ledger.DocumentQuery{IDs: []domain.DocumentID{one.ID}}, []string{"read"}, []string{"inbox"}); err != nil || again.Seq != 0 {
		t.Errorf("what changes nothing is the entry %+v, error %v", again, err)
	}
	retag(t, b, ws, three.ID, []string{"read"})
	undo := func(seq int64) int64 {
		t.Helper()
		u, err := b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationUndo, Undoes: seq}, nil)
		must(t, err)
		return u.Seq
	}
	first := undo(c.Seq)
	wants("taken back", "inbox people", "inbox", "read")
	second := undo(first)
	wants("brought back", "people read", "people read", "read")
	_, err = b.Ledger.DeleteDocument(ctx, ws, one.ID)
	must(t, err)
	docs = docs[1:]
	undo(second)
	wants("taken back without the first", "inbox", "read")
	log, err := b.Ledger.Curations(ctx, ws, 1<<40)
	must(t, err)
	log = slices.DeleteFunc(log, func(c ledger.Curation) bool { return c.Kind == ledger.CurationTag && c.Who == "" }) // by retag
	if len(log) != 4 || log[0].Documents != 2 || strings.Join(log[0].Tags, " ") != "read people" || strings.Join(log[0].Untags, " ") != "inbox gone" {
		t.Errorf("the log is %+v", log)
	}
}
