package web

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/views/link"
)

// TestTravellingIsFast prints how long pages of large runs take, and how large
// they are, and holds them to their limits of size.
func TestTravellingIsFast(t *testing.T) {
	t.Parallel()
	if !long.Enabled() {
		t.Skip("make bench-travel runs it")
	}
	b := open(t, testkit.Options{})
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "Paragraph %d tells how the Bell Foundry of Carrow cast bell number %d for the tower of Osterby, what it weighed, who carried it there over the river, and what the parish paid for it in the end. "+
			"The founder wrote it all down in the book of the year, with the names of the men at the furnace and the hours that they worked.\n\n", i, i*7)
	}
	doc := b.Read(t, "long.txt", text.String())
	m := b.Answered(t, "", "Which zebra galloped?")
	runs, err := b.Queue.List(t.Context(), testkit.Workspace, job.Query{Kind: documents.Kind})
	testkit.Must(t, err)
	l := b.get(t, link.Run(runs[0].ID))
	t.Logf("%d chunks", doc.Chunks)
	for _, p := range []struct {
		name, path string
		headers    []string
		bytes      int
	}{
		{"page of a run with 1,000 sends", link.Run(doc.Run), nil, 300_000},
		{"its slider, at the last send", link.RunAt(doc.Run, strings.Count(l.body, "data-stop=")-1), []string{"HX-Request", "true"}, 30_000},
		{"its slider, in the middle", link.RunAt(doc.Run, strings.Count(l.body, "data-stop=")/2), []string{"HX-Request", "true"}, 30_000},
		{"page of an answer", link.Run(m.Run), nil, 300_000},
		{"slider of an answer", link.RunAt(m.Run, 7), []string{"HX-Request", "true"}, 30_000},
		{"state of an answer as JSON", link.RunState(m.Run, 7), nil, 1 << 30},
	} {
		const times = 10
		var r reply
		began := time.Now()
		for range times {
			r = b.get(t, p.path, p.headers...)
		}
		t.Logf("%-32s %6.1f ms %8d bytes", p.name, float64(time.Since(began).Microseconds())/1000/times, len(r.body))
		if len(r.body) > p.bytes || r.status != 200 {
			t.Errorf("%s: status %d, %d bytes, the most is %d", p.name, r.status, len(r.body), p.bytes)
		}
	}
	b.readsStates(t, m)
}

// readsStates prints how long it takes to read the states of a long answer.
func (b *bench) readsStates(t *testing.T, m ledger.Answer) {
	t.Helper()
	loops := 12
	fork, err := b.Questions.Vary(t.Context(), questions.Variation{
		Workspace: testkit.Workspace, Message: m.Message, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{MaxLoops: &loops}},
	})
	testkit.Must(t, err)
	b.Watch(t, fork.Run)
	events, err := b.Hub.Events(t.Context(), testkit.Workspace, fork.Run, 0)
	testkit.Must(t, err)
	moments, _ := trace.Moments(fork.Run, b.Answer.Topology(), events)
	if len(moments) <= 40 {
		t.Fatalf("the long answer has %d steps", len(moments)-1)
	}
	kind := b.Kinds.Named(questions.BranchKind)
	var took []time.Duration
	for range 25 {
		for _, at := range moments {
			began := time.Now()
			_, err := kind.StateAt(t.Context(), fork.Run, at)
			took = append(took, time.Since(began))
			testkit.Must(t, err)
		}
	}
	slices.Sort(took)
	t.Logf("a state of an answer of %d steps: median %v, 95 of 100 within %v", len(moments)-1, took[len(took)/2], took[len(took)*95/100])
}

// forgetting deletes the threads of runs that end.
type forgetting struct{ *checkpoint.Checkpointer }

func (f forgetting) End(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM threads WHERE id = ?`, id)
	return err
}

// TestKeepingThreadsCostsLittle asks the same questions of two libraries, one of
// which keeps no states, in turns, and compares time and disk.
func TestKeepingThreadsCostsLittle(t *testing.T) {
	t.Parallel()
	if !long.Enabled() {
		t.Skip("make bench-travel runs it")
	}
	keeps := testkit.Open(t, testkit.Options{})
	forgets := testkit.Open(t, testkit.Options{Ends: func(c *checkpoint.Checkpointer) run.Threads { return forgetting{c} }})
	const questions = 200
	var took [2][]time.Duration
	var before, after [2]int
	for i, a := range []*testkit.App{keeps, forgets} {
		a.Read(t, "foundry.txt", foundry)
		a.Answered(t, "", "What did the foundry cast?")
		before[i] = size(t, a)
	}
	for n := range 2 * questions {
		for i, a := range []*testkit.App{keeps, forgets} {
			began := time.Now()
			a.Answered(t, "", []string{"What did the foundry cast?", "Which zebra galloped?"}[n%2])
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i, a := range []*testkit.App{keeps, forgets} {
		after[i] = size(t, a)
		slices.Sort(took[i])
	}
	kept, forgotten := took[0][questions], took[1][questions]
	perQuestion := ((after[0] - before[0]) - (after[1] - before[1])) / (2 * questions)
	t.Logf("a question, median: %v with its states kept, %v without (%+.1f %%); on disk %d bytes more", kept, forgotten, 100*(float64(kept)/float64(forgotten)-1), perQuestion)
	if perQuestion > 40_000 {
		t.Errorf("keeping the states of a question takes %d bytes, the most is 40,000", perQuestion)
	}
}

// size returns the bytes of a library's database that are in use.
func size(t *testing.T, a *testkit.App) (n int) {
	t.Helper()
	testkit.Must(t, a.DB.Reader.QueryRowContext(t.Context(), `SELECT ((SELECT page_count FROM pragma_page_count()) - (SELECT freelist_count FROM pragma_freelist_count()))
		* (SELECT page_size FROM pragma_page_size())`).Scan(&n))
	return n
}
