package ledger_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// proposal returns what a comparison says of a pair, which is named by two
// letters.
func proposal(pair string, score float64, pattern string) ledger.Proposal {
	return ledger.Proposal{
		A: domain.EntityID(pair[:1]), B: domain.EntityID(pair[1:]), Score: score, Pattern: pattern,
		Evidence: []ledger.ProposalEvidence{{Kind: "name", Words: "The names are spelt alike.", Weight: 3.5}, {Kind: "label", Words: "The labels differ.", Against: true, Weight: 1}},
	}
}

// standing returns the statuses of all proposals by their pair, those that wait
// first in turn.
func (b Bench) standing(t *testing.T) []string {
	t.Helper()
	waiting, n, err := b.Ledger.Proposals(t.Context(), ws, ledger.ProposalQuery{})
	must(t, err)
	counts, err := b.Ledger.CountProposals(t.Context(), ws)
	must(t, err)
	counted := 0
	for n := range maps.Values(counts) {
		counted += n
	}
	decided, m, err := b.Ledger.Proposals(t.Context(), ws, ledger.ProposalQuery{Decided: true})
	must(t, err)
	if n != len(waiting) || n != counted || m != len(decided) {
		t.Errorf("%d wait, the list says %d and the count %d; %d are decided, the list says %d", len(waiting), n, counted, len(decided), m)
	}
	slices.SortFunc(decided, func(x, y ledger.Proposal) int { return strings.Compare(string(x.A+x.B), string(y.A+y.B)) })
	var all []string
	for _, p := range slices.Concat(waiting, decided) {
		all = append(all, fmt.Sprintf("%s%s %s", p.A, p.B, p.Status))
		if one, err := b.Ledger.Proposal(t.Context(), ws, p.ID); err != nil || cmp.Diff(p, one) != "" {
			t.Errorf("the proposal by itself is %+v, error %v, in the list %+v", one, err, p)
		}
	}
	return all
}

func proposals(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "letters", "Ada met Babbage.")
	_, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	curate := func(who string, kind ledger.CurationKind, undoes int64, entity domain.EntityID, others ...domain.EntityID) int64 {
		t.Helper()
		b.Clock.Advance(time.Second)
		c, err := b.Ledger.Curate(ctx, ws, ledger.Curation{Who: who, Kind: kind, Undoes: undoes, Operation: ledger.Operation{Entity: entity, Others: others}}, nil)
		must(t, err)
		return c.Seq
	}
	check := func(when string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, b.standing(t)); diff != "" {
			t.Errorf("%s: -want +got\n%s", when, diff)
		}
	}
	id := func(pair string) domain.ProposalID {
		return domain.NewProposalID(ws, domain.EntityID(pair[1:]), domain.EntityID(pair[:1]))
	}
	found := []ledger.Proposal{proposal("ab", 0.9, "typo"), proposal("cb", 0.7, "typo"), proposal("cd", 0.8, "initials"), proposal("ef", 0.8, "typo")}
	must(t, b.Ledger.Propose(ctx, ws, found))
	check("at first", "ab open", "cd open", "ef open", "cb open")
	first, err := b.Ledger.Proposal(ctx, ws, id("ab"))
	must(t, err)
	want := found[0]
	want.ID, want.Status, want.At = id("ab"), ledger.ProposalOpen, b.Clock.Now()
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("as stored: -want +got\n%s", diff)
	}
	if some, n, err := b.Ledger.Proposals(ctx, ws, ledger.ProposalQuery{Pattern: "typo", Limit: 1, Offset: 1}); err != nil || n != 3 || len(some) != 1 || some[0].ID != id("ef") {
		t.Errorf("one typo on: got %+v of %d, error %v", some, n, err)
	}
	_, err = b.Ledger.Proposal(ctx, "elsewhere", id("ab"))
	wantKind(t, err, domain.NotFound)

	must(t, b.Ledger.PutOff(ctx, ws, "eve", id("ab")))
	check("put off", "cd open", "ef open", "cb open", "ab later")
	must(t, b.Ledger.TakeUp(ctx, ws, "eve", id("ab"), id("cd")))
	check("taken up again", "ab open", "cd open", "ef open", "cb open")
	must(t, b.Ledger.PutOff(ctx, ws, "eve", id("ab")))
	merge := curate("eve", ledger.CurationMerge, 0, "a", "b")
	check("merged", "cd open", "ef open", "ab merged", "cb gone")
	must(t, b.Ledger.PutOff(ctx, ws, "eve", id("ab")))
	counted := func(waiting, decided int) {
		t.Helper()
		_, n, err := b.Ledger.Proposals(ctx, ws, ledger.ProposalQuery{})
		must(t, err)
		people, err := b.Ledger.CountDecided(ctx, ws, b.Clock.Now().Add(-time.Minute))
		must(t, err)
		if n != waiting || people != decided {
			t.Errorf("%d wait and %d are decided, want %d and %d", n, people, waiting, decided)
		}
	}
	counted(2, 1)
	if later, err := b.Ledger.CountDecided(ctx, ws, b.Clock.Now().Add(time.Minute)); err != nil || later != 0 {
		t.Errorf("%d are decided in a minute, %v", later, err)
	}
	undo := curate("eve", ledger.CurationUndo, merge, "")
	counted(4, 0)
	check("taken back", "ab open", "cd open", "ef open", "cb open")
	curate("eve", ledger.CurationUndo, undo, "")
	check("and that too", "cd open", "ef open", "ab merged", "cb gone")

	apart := curate("eve", ledger.CurationApart, 0, "f", "e")
	must(t, b.Ledger.Propose(ctx, ws, []ledger.Proposal{proposal("ab", 0.9, "typo"), proposal("cd", 0.6, "initials"), proposal("ef", 0.85, "typo")}))
	check("kept apart, and found again", "cd open", "ab merged", "cb gone", "ef apart")
	must(t, b.Ledger.Propose(ctx, ws, []ledger.Proposal{proposal("cd", 0.6, "initials"), proposal("ef", 0.9, "typo")}))
	check("when more speaks for it", "ef open", "cd open", "ab merged", "cb gone")
	never := curate("eve", ledger.CurationApart, 0, "e", "f")
	must(t, b.Ledger.RuleOut(ctx, ws, never))
	must(t, b.Ledger.Propose(ctx, ws, []ledger.Proposal{proposal("cd", 0.6, "initials"), proposal("ef", 1, "typo")}))
	check("ruled out", "cd open", "ab merged", "cb gone", "ef never")
	curate("eve", ledger.CurationUndo, apart, "")
	check("an older decision taken back", "cd open", "ab merged", "cb gone", "ef never")
	curate("eve", ledger.CurationUndo, never, "")
	hidden := curate("eve", ledger.CurationHide, 0, "f")
	check("hidden", "cd open", "ab merged", "cb gone", "ef gone")
	curate("eve", ledger.CurationUndo, hidden, "")
	check("shown again", "ef open", "cd open", "ab merged", "cb gone")

	rule := curate(ledger.Rule, ledger.CurationMerge, 0, "g", "h")
	byRule := proposal("gh", 0.99, "spelling")
	byRule.Status, byRule.Curation = ledger.ProposalAuto, rule
	must(t, b.Ledger.Propose(ctx, ws, []ledger.Proposal{byRule}))
	check("merged by rule; the others are found no more", "ab merged", "cb gone", "gh auto")
	back := curate("eve", ledger.CurationUndo, rule, "")
	check("taken back by a person", "ab merged", "cb gone", "gh apart")
	curate("eve", ledger.CurationUndo, back, "")
	check("and restored", "ab merged", "cb gone", "gh auto")
	curate(ledger.Rule, ledger.CurationUndo, rule, "")
	check("given up by the rule", "gh open", "ab merged", "cb gone")
}
