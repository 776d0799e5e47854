package job_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/database"
)

// addOf adds a run of a person in a workspace.
func (b bench) addOf(t *testing.T, w domain.WorkspaceID, person, id string, change ...func(*job.Run)) {
	t.Helper()
	r := job.Run{Workspace: w, ID: domain.RunID(id), Kind: "k"}
	for _, f := range change {
		f(&r)
	}
	_, err := b.Add(domain.WithPerson(t.Context(), person), r)
	must(t, err)
	b.pass(time.Second)
}

// finish claims the run that must be next, and ends it.
func (b bench) finish(t *testing.T, want domain.RunID) {
	t.Helper()
	b.claim(t, "o", want)
	_, err := b.Finish(t.Context(), want, "o")
	must(t, err)
	b.pass(time.Second)
}

// workspacesTakeTurns lets a workspace whose persons have much waiting delay another one by a run at most, whatever the
// priority of its runs, and within each the persons take turns.
func workspacesTakeTurns(t *testing.T, b bench) {
	for i := range 4 {
		for _, person := range []string{"ada", "bea", "cy"} {
			b.addOf(t, "loud", person, fmt.Sprint(person, i+1), func(r *job.Run) { r.Priority = 5 })
		}
	}
	b.finish(t, "ada1")
	b.addOf(t, "quiet", "dee", "dee1")
	b.addOf(t, "quiet", "eve", "eve1")
	b.addOf(t, "quiet", "dee", "dee2")
	b.addOf(t, "calm", "fay", "fay1")
	for _, want := range []domain.RunID{"fay1", "dee1", "bea1", "eve1", "cy1", "dee2", "ada2", "bea2"} {
		b.finish(t, want)
	}
	// A workspace that holds slots waits until the others have as many.
	b.claim(t, "o", "cy2")
	b.claim(t, "o", "ada3")
	b.addOf(t, "quiet", "dee", "dee3")
	b.addOf(t, "quiet", "dee", "dee4")
	b.addOf(t, "quiet", "dee", "dee5")
	for _, want := range []domain.RunID{"dee3", "dee4", "bea3", "dee5", "cy3", "ada4", "bea4", "cy4", ""} {
		b.claim(t, "o", want)
	}
}

// nobodyStarves lets one of many workspaces flood the queue while each of the others adds a run now and then.
func nobodyStarves(t *testing.T, b bench) {
	const others = 12
	waiting := map[domain.RunID]int{} // claims since it was added
	loud := 0
	for round := range 60 {
		for range 3 {
			loud++
			b.addOf(t, "loud", "ada", fmt.Sprint("loud", loud))
		}
		if round%2 == 0 {
			w := domain.WorkspaceID(fmt.Sprint("w", round/2%others))
			id := domain.RunID(fmt.Sprint("quiet", round))
			b.addOf(t, w, "bea", string(id))
			waiting[id] = 0
		}
		r, ok, err := b.Claim(t.Context(), "o", []string{"k"}, leaseLength)
		must(t, err)
		if !ok {
			t.Fatal("nothing to claim")
		}
		_, err = b.Finish(t.Context(), r.ID, "o")
		must(t, err)
		delete(waiting, r.ID)
		for id := range waiting {
			if waiting[id]++; waiting[id] > others {
				t.Fatalf("%s waits for %d claims while another workspace has %d runs", id, waiting[id], loud)
			}
		}
	}
}

// limitsOfWorkspaces lets a person wait in a workspace although another is full.
func limitsOfWorkspaces(t *testing.T, b bench) {
	ctx := domain.WithPerson(t.Context(), "ada")
	admit := func(w domain.WorkspaceID) error {
		return b.Admit(ctx, job.Limit{Workspace: w, Kind: "k", Each: 2, Waiting: "questions wait to be answered", Setting: "MAX_WAITING_QUESTIONS"})
	}
	for i := range 2 {
		must(t, admit("loud"))
		b.addOf(t, "loud", "ada", fmt.Sprint("a", i))
	}
	wantKind(t, admit("loud"), domain.TooMany)
	must(t, admit("quiet"))
	for i := range 18 {
		b.addOf(t, "loud", fmt.Sprint("person ", i), fmt.Sprint("b", i))
	}
	ctx = domain.WithPerson(t.Context(), "bea")
	wantKind(t, admit("loud"), domain.TooMany)
	must(t, admit("quiet"))
}

// TestTheNextRunIsFoundByItsIndex reads how the database finds whose turn it is and the run to claim, among many that wait:
// by steps through the index, without the table and without sorting them.
func TestTheNextRunIsFoundByItsIndex(t *testing.T) {
	t.Parallel()
	db := database.Open(t, t.TempDir()+"/clew.db")
	q := job.Open(db.Writer, db.Reader, time.Now)
	must(t, sqlio.InTx(t.Context(), db.Writer, func(tx *sql.Tx) error {
		for i := range 400 {
			if _, err := q.AddTx(t.Context(), tx, job.Run{Workspace: domain.WorkspaceID(fmt.Sprint("w", i%4)), ID: domain.RunID(fmt.Sprint("r", i)), Kind: "k"}); err != nil {
				return err
			}
		}
		return nil
	}))
	candidates, ofCandidates := job.Candidates([]string{"k", "x"}, time.Now())
	claiming, ofClaiming := job.Claiming("k", "w1", time.Now())
	for query, args := range map[string][]any{candidates: ofCandidates, claiming: ofClaiming} {
		steps, err := sqlio.Collect(t.Context(), db.Writer, func(rows *sql.Rows) (string, error) {
			var id, parent, unused int
			var detail string
			return detail, rows.Scan(&id, &parent, &unused, &detail)
		}, "EXPLAIN QUERY PLAN "+query, args...)
		must(t, err)
		for _, step := range steps {
			if strings.Contains(step, "runs") && strings.HasPrefix(step, "S") && !strings.Contains(step, "runs_in_turn (status=? AND kind=?") && step != "SCAN runs" {
				t.Errorf("%s\n%s", step, strings.Join(steps, "\n"))
			}
		}
		if all := strings.Join(steps, "\n"); !strings.Contains(all, "runs_in_turn") {
			t.Errorf("the index is not used:\n%s", all)
		}
	}
}
