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

// workspacesShareSlots lets a workspace hold all slots of a kind while it is alone, and half of them while another one has had a
// turn in the last minute, whose next run then finds a free slot. A turn of a higher priority leaves it one slot for a moment.
func workspacesShareSlots(t *testing.T, b bench) {
	for i := range 12 {
		b.addOf(t, "loud", "ada", fmt.Sprint("loud", i+1))
	}
	held := map[domain.WorkspaceID]int{}
	claim := func(slots int, want domain.RunID) {
		t.Helper()
		r, ok, err := b.Claim(t.Context(), "o", job.Room{"k": {Slots: slots, Held: held}, "x": {Slots: slots}}, time.Hour)
		must(t, err)
		if r.ID != want || ok != (want != "") {
			t.Fatalf("with %v of %d slots claimed %q, want %q", held, slots, r.ID, want)
		}
		if ok {
			held[r.Workspace]++
		}
	}
	end := func(id domain.RunID, w domain.WorkspaceID) {
		t.Helper()
		_, err := b.Finish(t.Context(), id, "o")
		must(t, err)
		held[w]--
	}
	for _, want := range []domain.RunID{"loud1", "loud2", "loud3", "loud4", "loud5"} { // alone
		claim(5, want)
	}
	b.addOf(t, "quiet", "bea", "quiet1")
	end("loud1", "loud")
	claim(5, "quiet1")
	end("quiet1", "quiet")
	claim(5, "") // loud has four of five
	end("loud2", "loud")
	claim(5, "")
	end("loud3", "loud")
	claim(5, "loud6") // the third: half, rounded up
	claim(5, "")
	claim(7, "loud7")
	claim(7, "")
	b.addOf(t, "quiet", "bea", "quiet2")
	claim(7, "quiet2")
	end("quiet2", "quiet")
	b.pass(58 * time.Second)
	claim(7, "")
	b.pass(2 * time.Second) // quiet is quiet for a minute
	for _, want := range []domain.RunID{"loud8", "loud9", "loud10"} {
		claim(7, want)
	}
	b.addOf(t, "calm", "fay", "other kind", func(r *job.Run) { r.Kind, r.Priority = "x", 9 })
	claim(7, "other kind")
	claim(9, "") // calm's priority is higher
	b.pass(10 * time.Second)
	claim(9, "loud11") // and it has asked for no run of the kind
	b.addOf(t, "calm", "fay", "less urgent", func(r *job.Run) { r.Kind, r.Priority = "x", -1 })
	end("other kind", "calm")
	for _, want := range []domain.RunID{"loud12", "less urgent", ""} {
		claim(12, want)
	}
}

// floodsArePaced lets a workspace with very short runs have as many turns as it likes while it is alone. While another one has had
// a turn in the last ten seconds, it has ten at once and then five a second, whatever slots are free.
func floodsArePaced(t *testing.T, b bench) {
	for i := range 60 {
		b.addOf(t, "loud", "ada", fmt.Sprint("loud", i))
	}
	next := 0
	turns := func(times int, pass time.Duration) (had int) {
		t.Helper()
		for range times {
			r, ok, err := b.Claim(t.Context(), "o", job.Room{"k": {Slots: 4}}, leaseLength)
			must(t, err)
			if ok {
				if r.ID != domain.RunID(fmt.Sprint("loud", next)) {
					t.Fatalf("claimed %q, want run %d", r.ID, next)
				}
				_, err = b.Finish(t.Context(), r.ID, "o")
				must(t, err)
				had++
				next++
			}
			b.pass(pass)
		}
		return had
	}
	if had := turns(20, time.Millisecond); had != 20 {
		t.Errorf("alone it has %d turns of 20", had)
	}
	b.pass(time.Minute)
	b.addOf(t, "quiet", "bea", "quiet", func(r *job.Run) { r.Priority = 1 })
	b.finish(t, "quiet")
	if had := turns(13, 0); had != 10 {
		t.Errorf("beside another one it has %d turns at once, want 10", had)
	}
	if had := turns(20, 100*time.Millisecond); had != 10 {
		t.Errorf("then it has %d turns in two seconds, want 10", had)
	}
	b.pass(7 * time.Second)
	if had := turns(10, 0); had != 10 {
		t.Errorf("once the other one is quiet it has %d turns of 10", had)
	}
}

// archivedWorkspacesWait leaves the runs of archived and deleted workspaces until these are restored.
func archivedWorkspacesWait(t *testing.T, b bench) {
	set := func(w, column string, at int) {
		t.Helper()
		_, err := b.db.ExecContext(t.Context(), `UPDATE workspaces SET `+column+` = ? WHERE id = ?`, at, w)
		must(t, err)
	}
	for _, w := range []domain.WorkspaceID{"archived", "deleted", "used"} {
		_, err := b.db.ExecContext(t.Context(), `INSERT INTO workspaces (id, head, name, title, about, created_at) VALUES (?, 0, ?, '', '', 0) ON CONFLICT DO NOTHING`, w, w)
		must(t, err)
		b.addOf(t, w, "ada", string("of "+w))
	}
	set("archived", "archived_at", 1)
	set("deleted", "delete_at", 1)
	b.claim(t, "o", "of used")
	b.claim(t, "o", "")
	if r, _, err := b.Claim(t.Context(), "o", job.Room{"k": {InArchived: true}}, leaseLength); err != nil || r.ID != "of archived" {
		t.Errorf("of a kind that is carried out in archived workspaces: claimed %q, error %v", r.ID, err)
	}
	_, err := b.Release(t.Context(), "of archived", "o")
	must(t, err)
	set("deleted", "delete_at", 0)
	b.claim(t, "o", "of deleted")
	b.claim(t, "o", "")
	set("archived", "archived_at", 0)
	b.claim(t, "o", "of archived")
	b.claim(t, "o", "")
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
		r, ok, err := b.Claim(t.Context(), "o", job.Room{"k": {}}, leaseLength)
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
