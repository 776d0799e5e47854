package job_test

import (
	"database/sql"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// runSuite runs the conformance suite of databases that hold the queue of runs. open returns a queue over an empty database, with now as
// its clock, and the database for writing.
func runSuite(t *testing.T, open func(t *testing.T, now func() time.Time) (*job.Queue, *sql.DB)) {
	topics := []struct {
		name string
		test func(*testing.T, bench)
	}{
		{"a run keeps what it is given", keepsWhatItIsGiven},
		{"order of claims", orderOfClaims},
		{"persons take turns", personsTakeTurns},
		{"workspaces take turns", workspacesTakeTurns},
		{"workspaces share slots", workspacesShareSlots},
		{"floods are paced", floodsArePaced},
		{"archived workspaces wait", archivedWorkspacesWait},
		{"nobody starves", nobodyStarves},
		{"limits of workspaces", limitsOfWorkspaces},
		{"a form starts one run", aFormStartsOneRun},
		{"limits", limits},
		{"two owners, one run", twoOwnersOneRun},
		{"many owners, many runs", manyOwnersManyRuns},
		{"leases", leases},
		{"only the owner", onlyTheOwner},
		{"retries", retries},
		{"release", release},
		{"stop", stop},
		{"abandoned runs", abandonedRuns},
		{"settling", settling},
		{"taking over", takingOver},
		{"within a transaction", withinATransaction},
		{"sleep", sleep},
		{"states of waiting", states},
		{"reply", reply},
		{"claim one", one},
		{"progress", progress},
		{"list", list},
		{"narrowed lists", narrowedLists},
		{"paused runs", pausedRuns},
		{"pages of a list", pagesOfAList},
		{"bars", bars},
	}
	for _, topic := range topics {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			b := bench{at: new(time.Time)}
			*b.at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			b.Queue, b.db = open(t, func() time.Time { return *b.at })
			topic.test(t, b)
		})
	}
}

// bench is a queue with a clock that stands still until a test moves it.
type bench struct {
	*job.Queue
	db *sql.DB
	at *time.Time
}

func (b bench) pass(d time.Duration) { *b.at = b.at.Add(d) }

const leaseLength = 30 * time.Second

// add adds a run of kind "k" to the queue.
func (b bench) add(t *testing.T, id domain.RunID, change ...func(*job.Run)) job.Run {
	t.Helper()
	r := job.Run{Workspace: ws, ID: id, Kind: "k", Subject: "about " + string(id)}
	for _, f := range change {
		f(&r)
	}
	r, err := b.Add(t.Context(), r)
	must(t, err)
	return r
}

// claim claims a run of kind "k" and checks its id; "" means none.
func (b bench) claim(t *testing.T, owner string, want domain.RunID) job.Run {
	t.Helper()
	r, ok, err := b.Claim(t.Context(), owner, job.Room{"k": {}}, leaseLength)
	must(t, err)
	if ok != (want != "") || r.ID != want {
		t.Fatalf("%s claimed %q (%v), want %q", owner, r.ID, ok, want)
	}
	return r
}

// wantStatus checks the stored run.
func (b bench) wantStatus(t *testing.T, id domain.RunID, want job.Status) job.Run {
	t.Helper()
	r, err := b.Get(t.Context(), ws, id)
	must(t, err)
	if r.Status != want {
		t.Errorf("run %s: got status %s, want %s", id, r.Status, want)
	}
	return r
}

// wantExtended extends leases of runs and checks which of them owner has.
func (b bench) wantExtended(t *testing.T, owner string, ids []domain.RunID, want ...domain.RunID) {
	t.Helper()
	held, err := b.Extend(t.Context(), owner, ids)
	must(t, err)
	if !slices.Equal(held, want) {
		t.Errorf("%s extended %v of %v, want %v", owner, held, ids, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, err error, k domain.Kind) {
	t.Helper()
	if err == nil || domain.KindOf(err) != k {
		t.Errorf("got error %v of kind %d, want kind %d", err, domain.KindOf(err), k)
	}
}

func keepsWhatItIsGiven(t *testing.T, b bench) {
	ctx := t.Context()
	given := job.Run{
		Workspace: ws, ID: "r1", Kind: "answer", Subject: "m1", Input: json.RawMessage(`{"wide":true}`),
		Priority: 10, MaxAttempts: 2, CreatedAt: b.at.Add(-time.Minute), NextTry: b.at.Add(time.Minute),
		Status: job.Done, Owner: "somebody", Attempt: 7, LeaseUntil: b.at.Add(time.Hour), // set by the queue
	}
	got, err := b.Add(ctx, given)
	must(t, err)
	want := given
	want.Status, want.Owner, want.Attempt, want.LeaseUntil = job.Waiting, "", 0, time.Time{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	_, err = b.Add(ctx, given)
	wantKind(t, err, domain.Conflict)
	_, err = b.Get(ctx, "another", "r1")
	wantKind(t, err, domain.NotFound)

	if r := b.add(t, "r2"); r.MaxAttempts != job.DefaultAttempts || !r.CreatedAt.Equal(*b.at) || r.Input != nil {
		t.Errorf("got %+v, want defaults for the fields left out", r)
	}
}

func list(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r2", func(r *job.Run) { r.Subject = "d1" })
	b.add(t, "r1", func(r *job.Run) { r.Kind = "other" })
	b.pass(time.Second)
	b.add(t, "r3", func(r *job.Run) { r.Subject = "d1" })
	b.claim(t, "a", "r2")
	_, err := b.Add(ctx, job.Run{Workspace: "another", ID: "r4", Kind: "k"})
	must(t, err)

	for _, tt := range []struct {
		name  string
		query job.Query
		want  []domain.RunID
	}{
		{"newest first, ties by id", job.Query{}, []domain.RunID{"r3", "r2", "r1"}},
		{"of a kind", job.Query{Kind: "other"}, []domain.RunID{"r1"}},
		{"of a subject", job.Query{Subject: "d1"}, []domain.RunID{"r3", "r2"}},
		{"of a status", job.Query{Status: []job.Status{job.Running, job.Done}}, []domain.RunID{"r2"}},
		{"a page", job.Query{Limit: 1, Offset: 1}, []domain.RunID{"r2"}},
		{"nothing", job.Query{Kind: "k", Subject: "d2"}, nil},
	} {
		runs, err := b.List(ctx, ws, tt.query)
		must(t, err)
		var got []domain.RunID
		for _, r := range runs {
			got = append(got, r.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
	runs, err := b.LatestOfEachKind(ctx, ws, job.Waiting, 1)
	must(t, err)
	if len(runs) != 2 || runs[0].ID != "r3" || runs[1].ID != "r1" {
		t.Errorf("got %+v as the latest waiting runs of each kind, want r3 and r1", runs)
	}
	if runs, err = b.LatestOfEachKind(ctx, ws, job.Done, 1); len(runs) != 0 || err != nil {
		t.Errorf("got %+v as the latest finished runs, error %v", runs, err)
	}
}
