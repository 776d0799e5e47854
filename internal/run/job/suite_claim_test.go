package job_test

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
)

func orderOfClaims(t *testing.T, b bench) {
	b.add(t, "old")
	b.pass(time.Second)
	b.add(t, "b")
	b.add(t, "a")
	b.pass(time.Second)
	b.add(t, "question", func(r *job.Run) { r.Priority = 10 })
	b.add(t, "another kind", func(r *job.Run) { r.Kind = "x"; r.Priority = 99 })
	b.add(t, "later", func(r *job.Run) { r.Priority = 99; r.NextTry = b.at.Add(time.Millisecond) })

	for _, want := range []domain.RunID{"question", "old", "b", "a", ""} {
		b.claim(t, "o", want)
	}
	b.pass(time.Millisecond)
	b.claim(t, "o", "later")
	if _, ok, err := b.Claim(t.Context(), "o", nil, leaseLength); ok || err != nil {
		t.Errorf("Claim without kinds: got %v, error %v", ok, err)
	}
}

// aFormStartsOneRun sends a form several times at once, and again later.
func aFormStartsOneRun(t *testing.T, b bench) {
	const most = 4
	var sent sync.WaitGroup
	var began [most]bool
	var before [most]string
	for i := range most {
		sent.Go(func() {
			var err error
			before[i], err = b.Once(t.Context(), ws, "form", func() error {
				began[i] = true
				_, err := b.Add(t.Context(), job.Run{Workspace: ws, ID: domain.RunID(fmt.Sprint("r", i)), Kind: "k", Subject: "asked", FormKey: "form"})
				began[i] = err == nil
				return err
			})
			must(t, err)
		})
	}
	sent.Wait()
	started := 0
	for i := range most {
		if began[i] {
			started++
		}
		if want := map[bool]string{false: "asked"}[began[i]]; before[i] != want {
			t.Errorf("of %d, which began %v, Once returns %q", i, began[i], before[i])
		}
	}
	again := func() error { t.Error("a form is begun again"); return nil }
	subject, err := b.Once(t.Context(), ws, "form", again)
	if all, listed := b.List(t.Context(), ws, job.Query{}); err != nil || listed != nil || subject != "asked" || started != 1 || len(all) != 1 {
		t.Errorf("%d are started, %d listed, and again leads to %q: %v, %v", started, len(all), subject, err, listed)
	}
	refused := domain.Errorf(domain.Conflict, "No.")
	if _, err := b.Once(t.Context(), ws, "other", func() error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a refusal of another form becomes %v", err)
	}
}

// personsTakeTurns lets persons who come later, with fewer runs, wait for at most
// one run of each other person.
func personsTakeTurns(t *testing.T, b bench) {
	add := func(person, id string) {
		t.Helper()
		r, err := b.Add(domain.WithPerson(t.Context(), person), job.Run{Workspace: ws, ID: domain.RunID(id), Kind: "k"})
		must(t, err)
		if r.Person != person {
			t.Errorf("run %s of %q, want %q", id, r.Person, person)
		}
		b.pass(time.Second)
	}
	for _, id := range []string{"a1", "a2", "a3", "a4", "a5"} {
		add("ada", id)
	}
	b.claim(t, "o", "a1")
	add("bea", "b1")
	add("bea", "b2")
	b.claim(t, "o", "a2") // in the same lap, and older
	b.claim(t, "o", "b1")
	add("cy", "c1")
	add("bea", "b3")
	for _, want := range []domain.RunID{"a3", "b2", "c1", "a4", "b3", "a5", ""} {
		b.claim(t, "o", want)
	}
	add("ada", "a6")
	add("bea", "b4")
	add("ada", "a7")
	for _, want := range []domain.RunID{"a6", "b4", "a7"} {
		b.claim(t, "o", want)
	}
}

// limits refuses a run beyond what one person, or all of them, may have waiting.
// Runs that run, sleep or have ended don't count.
func limits(t *testing.T, b bench) {
	l := job.Limit{Workspace: ws, Kind: "k", Each: 2, Waiting: "questions wait to be answered", Setting: "MAX_WAITING_QUESTIONS"}
	admit := func(person string) error {
		ctx := domain.WithPerson(t.Context(), person)
		outside := b.Admit(ctx, l)
		inside := sqlio.InTx(ctx, b.db, func(tx *sql.Tx) error { return b.AdmitTx(ctx, tx, l) })
		if domain.KindOf(outside) != domain.KindOf(inside) {
			t.Errorf("%s: %v outside a transaction, %v inside", person, outside, inside)
		}
		return inside
	}
	add := func(person string, n int) {
		t.Helper()
		for range n {
			must(t, admit(person))
			_, err := b.Add(domain.WithPerson(t.Context(), person), job.Run{Workspace: ws, ID: domain.RunID(rand.Text()), Kind: "k"})
			must(t, err)
			b.pass(time.Millisecond)
		}
	}
	refused := func(person string) {
		t.Helper()
		err := admit(person)
		wantKind(t, err, domain.TooMany)
		if domain.RetryAfter(err) == 0 || domain.Temporary(err) || !strings.Contains(err.Error(), "MAX_WAITING_QUESTIONS") {
			t.Errorf("%s: %v, come back after %v", person, err, domain.RetryAfter(err))
		}
	}
	add("ada", 2)
	refused("ada")
	add("bea", 1)
	r, ok, err := b.Claim(t.Context(), "o", job.Room{"k": {}}, leaseLength)
	if must(t, err); !ok || r.Person != "ada" {
		t.Fatalf("claimed %+v", r)
	}
	add("ada", 1)
	if r, ok, err = b.Claim(t.Context(), "o", job.Room{"k": {}}, leaseLength); err != nil || !ok || r.Person != "bea" {
		t.Fatalf("claimed %+v, error %v", r, err)
	}
	if _, err := b.Sleep(t.Context(), r, "o"); err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		add(fmt.Sprint("person ", i), 2)
	}
	refused("somebody")
	l.Kind = "other"
	must(t, admit("ada"))
	l.Kind, l.Each = "k", 0
	must(t, admit("ada"))
}

func twoOwnersOneRun(t *testing.T, b bench) {
	b.add(t, "r1")
	b.pass(time.Second)
	r := b.claim(t, "a", "r1")
	if r.Status != job.Running || r.Owner != "a" || r.Attempt != 1 || !r.LeaseUntil.Equal(b.at.Add(leaseLength)) || !r.StartedAt.Equal(*b.at) {
		t.Errorf("got %+v", r)
	}
	b.claim(t, "b", "")
}

func manyOwnersManyRuns(t *testing.T, b bench) {
	const owners, runs = 8, 40
	for i := range runs {
		b.add(t, domain.RunID(fmt.Sprint("r", i)))
	}
	var mu sync.Mutex
	claimed := map[domain.RunID]int{}
	var wg sync.WaitGroup
	for i := range owners {
		wg.Go(func() {
			for {
				r, ok, err := b.Claim(t.Context(), fmt.Sprint("owner ", i), job.Room{"k": {}}, leaseLength)
				if err != nil {
					t.Error(err)
				}
				if !ok {
					return
				}
				mu.Lock()
				claimed[r.ID]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id, n := range claimed {
		if n != 1 {
			t.Errorf("run %s was claimed %d times", id, n)
		}
	}
	if len(claimed) != runs {
		t.Errorf("got %d runs claimed, want %d", len(claimed), runs)
	}
}

func leases(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1")
	first := b.claim(t, "a", "r1")
	b.pass(leaseLength - time.Millisecond)
	b.claim(t, "b", "")
	b.wantExtended(t, "a", []domain.RunID{"r1", "gone"}, "r1")
	b.pass(leaseLength - time.Millisecond)
	b.claim(t, "b", "")
	b.pass(time.Millisecond)
	again := b.claim(t, "b", "r1")
	if again.Attempt != 2 || again.Owner != "b" || !again.StartedAt.Equal(first.StartedAt) {
		t.Errorf("taken over: got %+v", again)
	}
	owned, err := b.LeasedTo(ctx, "b")
	must(t, err)
	if len(owned) != 1 || owned[0].ID != "r1" {
		t.Errorf("got runs of b %+v, want r1", owned)
	}
	if owned, err = b.LeasedTo(ctx, "a"); err != nil || len(owned) != 0 {
		t.Errorf("got runs of a %+v, error %v, want none", owned, err)
	}

	var r job.Run
	must(t, sqlio.InTx(ctx, b.db, func(tx *sql.Tx) (err error) {
		r, err = b.AddLeased(ctx, tx, job.Run{Workspace: ws, ID: "mine", Kind: "k"}, "a", leaseLength)
		return err
	}))
	if r.Status != job.Running || r.Owner != "a" || r.Attempt != 1 || !r.LeaseUntil.Equal(b.at.Add(leaseLength)) {
		t.Errorf("added as leased: got %+v", r)
	}
	b.claim(t, "b", "")
	b.wantExtended(t, "a", []domain.RunID{"mine", "r1"}, "mine") // but not the run that b has
	if r := b.wantStatus(t, "r1", job.Running); !r.LeaseUntil.Equal(again.LeaseUntil) {
		t.Errorf("the lease of another owner ends at %v, want %v", r.LeaseUntil, again.LeaseUntil)
	}
}

// onlyTheOwner ends a run as a worker that never owned it, and as one that lost
// it.
func onlyTheOwner(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1")
	b.claim(t, "loser", "r1")
	b.pass(leaseLength)
	b.claim(t, "owner", "r1")
	for _, other := range []string{"loser", "stranger"} {
		for name, try := range map[string]func(domain.RunID) error{
			"finish": func(id domain.RunID) error { _, err := b.Finish(ctx, id, other); return err },
			"fail": func(id domain.RunID) error {
				_, err := b.Fail(ctx, id, other, domain.Errorf(domain.Invalid, "p"), time.Time{})
				return err
			},
			"put off": func(id domain.RunID) error {
				_, err := b.Fail(ctx, id, other, domain.Errorf(domain.Invalid, "p"), b.at.Add(1))
				return err
			},
			"halt":    func(id domain.RunID) error { _, err := b.ConfirmStop(ctx, id, other); return err },
			"release": func(id domain.RunID) error { _, err := b.Release(ctx, id, other); return err },
			"settled": func(id domain.RunID) error { return b.MarkSettled(ctx, id, other) },
		} {
			t.Run(other+" "+name, func(t *testing.T) {
				wantKind(t, try("r1"), domain.Conflict)
				wantKind(t, try("gone"), domain.Conflict)
			})
		}
		b.wantExtended(t, other, []domain.RunID{"r1"})
	}
	if r := b.wantStatus(t, "r1", job.Running); r.Owner != "owner" || r.Problem != "" {
		t.Errorf("the run changed: %+v", r)
	}
	r, err := b.Finish(ctx, "r1", "owner")
	must(t, err)
	if r.Status != job.Done || !r.FinishedAt.Equal(*b.at) {
		t.Errorf("finished: got %+v", r)
	}
	_, err = b.Finish(ctx, "r1", "owner")
	wantKind(t, err, domain.Conflict)
	b.pass(time.Hour)
	b.claim(t, "owner", "")
}

func takingOver(t *testing.T, b bench) {
	ctx := t.Context()
	dead, alive := lease.Process{Host: "h", Boot: "b", PID: 1, Started: "7"}, lease.Process{Host: "h", Boot: "b", PID: 2, Started: "8"}
	must(t, b.Register(ctx, "dead", dead))
	must(t, b.Register(ctx, "alive", alive))
	must(t, b.Register(ctx, "alive", alive)) // seen again
	b.add(t, "r1")
	b.claim(t, "dead", "r1")
	b.add(t, "r2")
	b.claim(t, "alive", "r2")
	b.add(t, "r3")
	b.claim(t, "dead", "r3")
	if _, err := b.Finish(ctx, "r3", "dead"); err != nil { // ended, but not settled
		t.Fatal(err)
	}

	workers, err := b.Workers(ctx)
	must(t, err)
	if len(workers) != 2 || workers[0].Process != alive || workers[0].Leases != 1 || workers[1].Process != dead || workers[1].Leases != 1 || workers[0].Seen.IsZero() {
		t.Errorf("got workers %+v", workers)
	}
	n, err := b.TakeOver(ctx, func(p lease.Process) bool { return p == dead })
	must(t, err)
	if n != 2 {
		t.Errorf("got %d leases taken over, want 2", n)
	}
	b.claim(t, "new", "r1")
	b.claim(t, "new", "")
	if r, ok, err := b.ClaimEnded(ctx, "new", []string{"k"}, leaseLength); err != nil || !ok || r.ID != "r3" {
		t.Errorf("got ended run %q, %v, error %v, want r3", r.ID, ok, err)
	}
	if n, err = b.TakeOver(ctx, func(p lease.Process) bool { return p == dead }); err != nil || n != 0 {
		t.Errorf("second time: got %d leases taken over, error %v, want 0", n, err)
	}
	must(t, b.Unregister(ctx, "alive"))
	if n, err = b.TakeOver(ctx, func(lease.Process) bool { return true }); err != nil || n != 0 {
		t.Errorf("unregistered worker: got %d leases taken over, error %v", n, err)
	}
}
