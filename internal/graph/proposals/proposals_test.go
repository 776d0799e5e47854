package proposals_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
)

const w = testkit.Workspace

// letters have Ada Lovelace with and without her title, which is beyond doubt,
// and a Lovelace about whom a person has to decide.
var letters = map[string]string{
	"a.txt": "Ada Lovelace met Charles Babbage. Ada Lovelace wrote to Mary Somerville.",
	"b.txt": "Professor Ada Lovelace met Charles Babbage. Professor Ada Lovelace lived in London.",
	"c.txt": "It was Lovelace who lived near Paris.",
}

// open opens the program with comparisons.
func open(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.Open(t, testkit.Options{Idle: true})
	a.Kinds = append(run.Kinds{a.Proposals.Kind()}, a.Kinds...)
	a.Start(t)
	return a
}

func read(t *testing.T, a *testkit.App, names ...string) {
	t.Helper()
	for _, name := range names {
		a.Read(t, name, letters[name])
	}
}

func compare(t *testing.T, a *testkit.App) {
	t.Helper()
	r, err := a.Proposals.Start(t.Context(), w)
	testkit.Must(t, err)
	a.Watch(t, r.ID)
	if r, err = a.Queue.Get(t.Context(), w, r.ID); err != nil || r.Status != job.Done {
		t.Fatalf("the comparison is %s: %s, error %v", r.Status, r.Problem, err)
	}
}

// graph returns the names and aliases of all entities, and the proposals that
// wait.
func graph(t *testing.T, a *testkit.App) []string {
	t.Helper()
	all, _, err := a.Graph.Entities(t.Context(), w, graphstore.EntityQuery{Order: graphstore.ByName})
	testkit.Must(t, err)
	names := map[domain.EntityID]string{}
	var list []string
	for _, e := range all {
		names[e.ID] = e.Name
		list = append(list, fmt.Sprintf("%s %s %d", e.Name, e.Aliases, e.Relations))
	}
	slices.Sort(list)
	for _, p := range waiting(t, a) {
		list = append(list, fmt.Sprintf("%s = %s? %.3f %s", names[p.A], names[p.B], p.Score, p.Status))
	}
	return list
}

func waiting(t *testing.T, a *testkit.App) []ledger.Proposal {
	t.Helper()
	list, _, err := a.Ledger.Proposals(t.Context(), w, ledger.ProposalQuery{})
	testkit.Must(t, err)
	return list
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", what, diff)
	}
}

func TestTheOrderOfDocumentsDoesNotMatter(t *testing.T) {
	t.Parallel()
	var want []string
	for _, order := range [][]string{{"a.txt", "b.txt", "c.txt"}, {"c.txt", "b.txt", "a.txt"}, {"b.txt", "c.txt", "a.txt"}} {
		for _, between := range []bool{false, true} {
			a := open(t)
			for _, name := range order {
				read(t, a, name)
				if between {
					compare(t, a)
				}
			}
			compare(t, a)
			got := graph(t, a)
			if want == nil {
				want = got
				if len(waiting(t, a)) != 1 || !slices.ContainsFunc(got, func(s string) bool { return s == "Ada Lovelace [Professor Ada Lovelace] 3" }) {
					t.Errorf("got %q, want the two Adas merged and one proposal", got)
				}
			}
			same(t, fmt.Sprint(order, between), got, want)
			changes, _, err := a.Curator.Changes(t.Context(), w, curate.Which{}, 0, 10)
			testkit.Must(t, err)
			compare(t, a)
			again, _, err := a.Curator.Changes(t.Context(), w, curate.Which{}, 0, 10)
			testkit.Must(t, err)
			same(t, "the log after another comparison", again, changes)
		}
	}
}

// TestAMergeByRuleCanBeTakenBack checks that a merge by rule is in the list of
// changes, that undoing it restores the graph, and that it isn't done again.
func TestAMergeByRuleCanBeTakenBack(t *testing.T) {
	t.Parallel()
	a := open(t)
	read(t, a, "a.txt", "b.txt")
	before := graph(t, a)
	compare(t, a)
	changes, _, err := a.Curator.Changes(t.Context(), w, curate.Which{}, 0, 10)
	testkit.Must(t, err)
	if len(changes) != 1 || changes[0].Who != ledger.Rule {
		t.Fatalf("got changes %+v, want one by rule", changes)
	}
	entry, err := a.Curator.Undo(domain.WithPerson(domain.WithWorkspace(t.Context(), w), "eve"), changes[0].Change)
	testkit.Must(t, err)
	same(t, "taken back", graph(t, a), before)
	read(t, a, "c.txt")
	compare(t, a)
	if got := graph(t, a); !slices.Contains(got, "Professor Ada Lovelace [] 2") {
		t.Errorf("after another comparison: got %q, want the two Adas apart", got)
	}
	_, err = a.Curator.Undo(domain.WithPerson(domain.WithWorkspace(t.Context(), w), "eve"), entry.Seq)
	testkit.Must(t, err)
	compare(t, a)
	if got := graph(t, a); !slices.Contains(got, "Ada Lovelace [Professor Ada Lovelace] 3") {
		t.Errorf("brought back: got %q, want the two Adas merged", got)
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	a := open(t)
	read(t, a, "a.txt", "c.txt")
	compare(t, a)
	open := graph(t, a)
	p := waiting(t, a)[0]
	decide := func(d proposals.Decision) ledger.Curation {
		t.Helper()
		entry, err := a.Proposals.Decide(domain.WithPerson(domain.WithWorkspace(t.Context(), w), "eve"), d, p.ID, "")
		testkit.Must(t, err)
		return entry
	}
	status := func() ledger.ProposalStatus {
		t.Helper()
		p, err := a.Ledger.Proposal(t.Context(), w, p.ID)
		testkit.Must(t, err)
		return p.Status
	}
	undo := func(entry ledger.Curation) {
		t.Helper()
		_, err := a.Curator.Undo(domain.WithPerson(domain.WithWorkspace(t.Context(), w), "eve"), entry.Seq)
		testkit.Must(t, err)
		same(t, "taken back", graph(t, a), open)
	}
	for d, want := range map[proposals.Decision]ledger.ProposalStatus{
		proposals.Accept: ledger.ProposalMerged, proposals.Reject: ledger.ProposalApart, proposals.Never: ledger.ProposalNever,
	} {
		entry := decide(d)
		compare(t, a)
		same(t, string(d), status(), want)
		if _, err := a.Proposals.Decide(domain.WithPerson(domain.WithWorkspace(t.Context(), w), "eve"), proposals.Accept, p.ID, ""); domain.KindOf(err) != domain.Conflict {
			t.Errorf("decided twice: got %v, want a Conflict", err)
		}
		undo(entry)
	}
	decide(proposals.Later)
	same(t, "put off", status(), ledger.ProposalLater)
	entries, err := a.Proposals.DecideAll(domain.WithPerson(domain.WithWorkspace(t.Context(), w), "eve"), proposals.Accept, p.Pattern)
	testkit.Must(t, err)
	if len(entries) != 1 || status() != ledger.ProposalMerged {
		t.Errorf("all of the pattern: got %+v, status %s", entries, status())
	}
	_, err = a.Proposals.Decide(domain.WithPerson(domain.WithWorkspace(t.Context(), w), "eve"), "perhaps", "nobody", "")
	if domain.KindOf(err) != domain.NotFound {
		t.Errorf("an unknown proposal: got %v", err)
	}
}

// TestAComparisonIsOrderedOnce checks that documents order one comparison, when
// the last of them has been read.
func TestAComparisonIsOrderedOnce(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	k := a.Proposals.After(run.Kind{Name: "ingest", Settled: func(context.Context, job.Run) error { return nil }})
	count := func() int {
		n, err := a.Queue.Count(t.Context(), w, job.Query{Kind: proposals.Kind})
		testkit.Must(t, err)
		return n
	}
	added := a.Add(t, "a.txt", letters["a.txt"])
	testkit.Must(t, k.Settled(t.Context(), job.Run{Workspace: w}))
	same(t, "while a document waits", count(), 0)
	testkit.Must(t, a.Queue.Stop(t.Context(), w, added.Document.Run))
	testkit.Must(t, k.Settled(t.Context(), job.Run{Workspace: w}))
	testkit.Must(t, k.Settled(t.Context(), job.Run{Workspace: w}))
	same(t, "when none is left", count(), 1)
	r, err := a.Proposals.Start(t.Context(), w)
	testkit.Must(t, err)
	if r, err = a.Queue.Get(t.Context(), w, r.ID); err != nil || r.NextTry.After(a.Clock.Now()) || count() != 1 {
		t.Errorf("ordered by hand: got %+v, error %v, want the one that waits to begin", r, err)
	}
}
