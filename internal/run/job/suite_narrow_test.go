package job_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// ended adds a run that took so long, and ends it.
func (b bench) ended(t *testing.T, id domain.RunID, took time.Duration, f job.Figures, change ...func(*job.Run)) {
	t.Helper()
	b.add(t, id, change...)
	b.claim(t, "a", id)
	b.pass(took)
	if f.FailedAt != "" {
		_, err := b.Fail(t.Context(), id, "a", domain.Errorf(domain.Invalid, "It failed."), time.Time{})
		must(t, err)
	} else {
		_, err := b.Finish(t.Context(), id, "a")
		must(t, err)
	}
	must(t, sqlio.InTx(t.Context(), b.db, func(tx *sql.Tx) error { return b.Note(t.Context(), tx, ws, id, f) }))
	must(t, b.MarkSettled(t.Context(), id, "a"))
}

// wantList checks which runs a query lists.
func (b bench) wantList(t *testing.T, name string, query job.Query, want ...domain.RunID) {
	t.Helper()
	runs, err := b.List(t.Context(), ws, query)
	must(t, err)
	var got []domain.RunID
	for _, r := range runs {
		got = append(got, r.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", name, diff)
	}
	if n, err := b.Count(t.Context(), ws, query); query.Limit == 0 && (n != len(want) || err != nil) {
		t.Errorf("%s: counted %d, %v; want %d", name, n, err, len(want))
	}
}

func narrowedLists(t *testing.T, b bench) {
	ctx := t.Context()
	start := *b.at
	title := func(s string) func(*job.Run) { return func(r *job.Run) { r.Title = s } }
	b.ended(t, "r1", time.Second, job.Figures{Tokens: 7}, title("Who cast the Bells of ÅMÅL?"))
	b.ended(t, "r2", time.Hour, job.Figures{Spent: 12_000, Capped: true, Resumed: true}, title("100% of a_b"))
	b.ended(t, "r3", time.Second, job.Figures{FailedAt: "generate/model"}, title("bells"))
	b.pass(48 * time.Hour)
	_, err := b.Add(domain.WithPerson(ctx, "ada"), job.Run{Workspace: ws, ID: "r4", Kind: "k", Title: "bridges"})
	must(t, err)
	_, err = b.Sleep(ctx, b.claim(t, "a", "r4"), "a")
	must(t, err)
	_, err = b.Add(domain.WithPerson(ctx, "ben"), job.Run{Workspace: "another", ID: "r5", Kind: "k", Title: "bells"})
	must(t, err)

	b.wantList(t, "all", job.Query{}, "r4", "r3", "r2", "r1")
	b.wantList(t, "without a kind", job.Query{Except: []string{"k"}})
	b.wantList(t, "without another kind", job.Query{Except: []string{"other", "none"}}, "r4", "r3", "r2", "r1")
	b.wantList(t, "by a person", job.Query{Person: "ada"}, "r4")
	b.wantList(t, "with words in any case", job.Query{Words: "åmål BELLS"}, "r1")
	b.wantList(t, "with a part of a word", job.Query{Words: "bell"}, "r3", "r1")
	b.wantList(t, "with signs of patterns", job.Query{Words: "0% a_b"}, "r2")
	b.wantList(t, "with signs that stand for nothing", job.Query{Words: `b_ \`})
	b.wantList(t, "that wait for a person", job.Query{Status: job.Asleep()}, "r4")
	b.wantList(t, "that reached the cap", job.Query{Capped: true}, "r2")
	b.wantList(t, "that were resumed", job.Query{Resumed: true}, "r2")
	b.wantList(t, "that failed at a node", job.Query{FailedAt: "generate/model"}, "r3")
	b.wantList(t, "that failed", job.Query{Status: []job.Status{job.Failed}}, "r3")
	b.wantList(t, "of the first day", job.Query{From: start, To: start.Add(24 * time.Hour)}, "r3", "r2", "r1")
	b.wantList(t, "of the other days", job.Query{From: start.Add(24 * time.Hour)}, "r4")
	bar := map[string]job.Bar{"k": {Took: time.Minute, Tokens: 6}}
	b.wantList(t, "that were slow", job.Query{Slower: bar}, "r2")
	b.wantList(t, "that were costly", job.Query{Costlier: bar}, "r1")
	b.wantList(t, "that were costly by money", job.Query{Costlier: map[string]job.Bar{"k": {Tokens: 6, Spent: 11_999}}}, "r2")
	b.wantList(t, "that were slow of a kind without a bar", job.Query{Slower: map[string]job.Bar{}})
	b.wantList(t, "by several at once", job.Query{Words: "a_b", Capped: true, Slower: bar, Kind: "k"}, "r2")

	r, err := b.Get(ctx, ws, "r2")
	if diff := cmp.Diff(job.Figures{Spent: 12_000, Capped: true, Resumed: true}, r.Figures); diff != "" || err != nil {
		t.Errorf("figures, %v: -want +got\n%s", err, diff)
	}
	persons, err := b.Persons(ctx, ws)
	if diff := cmp.Diff([]string{"ada"}, persons); diff != "" || err != nil {
		t.Errorf("persons, %v: -want +got\n%s", err, diff)
	}
	nodes, err := b.FailedNodes(ctx, ws)
	if diff := cmp.Diff([]string{"generate/model"}, nodes); diff != "" || err != nil {
		t.Errorf("nodes, %v: -want +got\n%s", err, diff)
	}
}

// pagesOfAList goes through a list of runs of which many were added at the same
// moment, forward and back.
func pagesOfAList(t *testing.T, b bench) {
	var want []domain.RunID
	for i := range 23 {
		id := domain.RunID(fmt.Sprintf("r%02d", i))
		b.add(t, id)
		want = append(want, id)
		if i%5 == 4 {
			b.pass(time.Second)
		}
	}
	slices.Reverse(want)
	pages := slices.Collect(slices.Chunk(want, 4))
	var at job.Place
	var places []job.Place // of the first run of each page
	for n, page := range pages {
		b.wantList(t, fmt.Sprintf("page %d", n), job.Query{After: at, Limit: 4}, page...)
		runs, err := b.List(t.Context(), ws, job.Query{After: at, Limit: 4})
		must(t, err)
		places = append(places, runs[0].Place())
		at = job.ParsePlace(runs[len(runs)-1].Place().String())
	}
	b.wantList(t, "after the last page", job.Query{After: at, Limit: 4})
	for n := len(pages) - 1; n > 0; n-- {
		b.wantList(t, fmt.Sprintf("back to page %d", n-1), job.Query{Before: places[n], Limit: 4}, pages[n-1]...)
	}
	b.wantList(t, "before the first page", job.Query{Before: places[0], Limit: 4})
	for _, nonsense := range []string{"", "x", "12", "x-r01", "99999999999999999999-r01"} {
		if p := job.ParsePlace(nonsense); p != (job.Place{}) {
			t.Errorf("%q is the place %+v", nonsense, p)
		}
	}
}

func bars(t *testing.T, b bench) {
	for i := range 40 {
		b.ended(t, domain.RunID(fmt.Sprintf("r%02d", i)), time.Duration(i+1)*time.Second, job.Figures{Tokens: 100 - i})
	}
	b.ended(t, "failed", time.Hour, job.Figures{Tokens: 1e6, FailedAt: "n"})
	bars, err := b.Bars(t.Context(), ws, "k", "none")
	want := map[string]job.Bar{"k": {Took: 38 * time.Second, Tokens: 98}}
	if diff := cmp.Diff(want, bars); diff != "" || err != nil {
		t.Errorf("bars, %v: -want +got\n%s", err, diff)
	}
	b.wantList(t, "slow", job.Query{Slower: bars}, "failed", "r39", "r38")
	if none, err := b.Bars(t.Context(), ws); len(none) != 0 || err != nil {
		t.Errorf("the bars of no kind are %v, %v", none, err)
	}
}
