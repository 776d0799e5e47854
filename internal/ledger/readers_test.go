package ledger_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// reads checks which documents the viewer of ctx reads, in lists and by their sight.
func (b Bench) reads(t *testing.T, ctx context.Context, when string, want ...string) { //nolint:revive // the test comes first
	t.Helper()
	docs, err := b.Ledger.ListDocuments(ctx, ws, ledger.DocumentQuery{Sort: domain.SortName})
	must(t, err)
	var names []string
	for _, d := range docs {
		names = append(names, d.Title)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("%s: reads (-want +got):\n%s", when, diff)
	}
	all, err := b.Ledger.ListDocuments(t.Context(), ws, ledger.DocumentQuery{Sort: domain.SortName})
	must(t, err)
	hides, err := b.Ledger.Hides(ctx, ws)
	if err != nil || hides != (len(names) < len(all)) {
		t.Errorf("%s: hides %v, %v", when, hides, err)
	}
	sight, err := b.Ledger.SightOf(ctx, ws)
	must(t, err)
	ids := make([]domain.DocumentID, len(all))
	for i, d := range all {
		ids[i] = d.ID
	}
	left, err := b.Ledger.HiddenFrom(ctx, ws, sight, ids)
	must(t, err)
	withheld, err := b.Ledger.Withheld(ctx, ws, "minutes", "payroll", "school")
	must(t, err)
	for _, d := range all {
		hidden, err := b.Ledger.Hidden(ctx, ws, d.ID)
		if seen := slices.Contains(want, d.Title); err != nil || left[d.ID] == seen || hidden == seen || withheld[domain.RunID(d.Title)] == seen {
			t.Errorf("%s: %s is hidden: %v, from the stores: %v, what read it: %v, %v", when, d.Title, hidden, left[d.ID], withheld[domain.RunID(d.Title)], err)
		}
	}
}

// rightsOfReaders limits documents to a group and an account, whose members come and go, and reads them with the rights of before.
func rightsOfReaders(t *testing.T, b Bench) {
	l := b.Ledger
	must(t, l.AddAccount(t.Context(), ws, "ada", "hash", domain.Owner))
	for _, name := range []string{"iris", "owen"} {
		must(t, l.AddAccount(t.Context(), ws, name, "hash", domain.Reader))
	}
	minutes, payroll, school := b.add(t, ws, "minutes", "Minutes."), b.add(t, ws, "payroll", "Payroll."), b.add(t, ws, "school", "School.")
	for _, d := range []domain.Document{minutes, payroll, school} { // each was read by a run of its name
		b.run(t, domain.RunID(d.Title), "answer", d.Title)
		b.event(t, domain.RunID(d.Title), 1, `{"found":"`+string(domain.NewChunkID(d.ID, domain.Hash([]byte(strings.ToUpper(d.Title[:1])+d.Title[1:]+".")), 0))+`"}`)
	}
	iris, owen := domain.WithPerson(t.Context(), "iris"), domain.WithPerson(t.Context(), "owen")
	board := ledger.Reader{Kind: ledger.ReaderGroup, Name: "board"}
	b.reads(t, iris, "open to all", "minutes", "payroll", "school")
	open := domain.WithRightsAt(iris, b.Clock.Now())

	b.Clock.Advance(time.Minute)
	must(t, l.Limit(t.Context(), ws, []domain.DocumentID{minutes.ID}, true, []ledger.Reader{board}))
	must(t, l.Limit(t.Context(), ws, []domain.DocumentID{payroll.ID}, true, []ledger.Reader{{Kind: ledger.ReaderAccount, Name: "ada"}}))
	b.reads(t, iris, "limited to a group nobody is in", "school")
	b.reads(t, open, "taken away at once", "school")
	before := domain.WithRightsAt(iris, b.Clock.Now())

	b.Clock.Advance(time.Minute)
	must(t, l.SetGroups(t.Context(), "iris", []string{"board", "choir"}))
	b.reads(t, iris, "joins", "minutes", "school")
	b.reads(t, before, "joined since", "school")
	b.reads(t, owen, "another joins", "school")
	within := domain.WithRightsAt(iris, b.Clock.Now())

	b.Clock.Advance(time.Minute)
	must(t, l.SetGroups(t.Context(), "iris", []string{"board"}))
	must(t, l.Limit(t.Context(), ws, []domain.DocumentID{minutes.ID}, true, []ledger.Reader{board, {Kind: ledger.ReaderAccount, Name: "owen"}}))
	b.reads(t, within, "stays, and others come", "minutes", "school")
	must(t, l.Limit(t.Context(), ws, []domain.DocumentID{payroll.ID}, false, nil))
	b.reads(t, iris, "opened", "minutes", "payroll", "school")
	b.reads(t, within, "opened since", "minutes", "school")
	must(t, l.Limit(t.Context(), ws, []domain.DocumentID{payroll.ID, school.ID}, true, []ledger.Reader{board}))
	b.reads(t, within, "narrowed to those who could read it", "minutes", "school")

	must(t, l.SetGroups(t.Context(), "iris", []string{"directors"})) // as the board is called elsewhere
	b.reads(t, iris, "leaves")
	b.reads(t, within, "left since")
	b.reads(t, owen, "named beside the group", "minutes")
	heads := func() int64 {
		head, err := l.Head(t.Context(), ws)
		must(t, err)
		return head
	}
	_, err := l.Publish(t.Context(), ws, minutes.ID)
	must(t, err)
	at := heads()
	must(t, l.RemoveAccount(t.Context(), "owen"))
	if now := heads(); now == at {
		t.Error("the stores still show a removed account what it read")
	}
	must(t, l.AddAccount(t.Context(), ws, "owen", "hash", domain.Reader))
	b.reads(t, owen, "another owen")
}
