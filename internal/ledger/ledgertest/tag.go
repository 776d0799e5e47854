package ledgertest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func tags(t *testing.T, b Bench) {
	const other = domain.WorkspaceID("other")
	ctx := t.Context()
	one, two := b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage built an engine.")
	elsewhere := b.add(t, other, "one", "Ada met Babbage.")
	must(t, b.Ledger.SetTags(ctx, ws, one.ID, []string{"gone"}))
	must(t, b.Ledger.SetTags(ctx, ws, one.ID, []string{"people", "engines", "people"}))
	must(t, b.Ledger.SetTags(ctx, ws, two.ID, []string{"engines"}))
	must(t, b.Ledger.SetTags(ctx, other, elsewhere.ID, []string{"secret"}))
	wantKind(t, b.Ledger.SetTags(ctx, ws, "nobody", []string{"engines"}), domain.NotFound)

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
	}
	_, err = b.Ledger.DeleteDocument(ctx, ws, one.ID)
	must(t, err)
	all(ledger.TagCount{Tag: "engines", Count: 1})
	must(t, b.Ledger.SetTags(ctx, ws, two.ID, nil))
	all()
}
