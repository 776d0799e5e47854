package questions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/testkit"
)

// TestAQuestionTakesFewStatements counts what one question writes: each is a round
// trip to a server, and on a file keeps all others from writing. Bounds that depend
// on what happens within the same 5 ms are twice of what is usual.
func TestAQuestionTakesFewStatements(t *testing.T) {
	t.Parallel()
	var reads, writes testkit.Statements
	a := testkit.Open(t, testkit.Options{Statements: &reads, Writes: &writes})
	for i := range 8 {
		a.Read(t, fmt.Sprintf("school-%d.txt", i), fmt.Sprintf("Agnes Lovibond taught arithmetic in room %d.\n", i))
	}
	reads.Take()
	writes.Take()
	m := a.Answered(t, "", "Who taught arithmetic?")
	if m.Status != ledger.MessageDone || len(m.Citations) == 0 {
		t.Fatalf("%s: %s", m.Status, m.Text)
	}
	read, wrote := reads.Take(), writes.Take()
	for _, bound := range []struct {
		of    []string
		begin string
		most  int
	}{
		{wrote, "BEGIN", 40},
		{wrote, "UPDATE runs SET status = ?, owner", 1}, // the claim
		{wrote, "UPDATE answers", 2},                    // that it is being answered, and the answer
		{wrote, "DELETE FROM citations", 2},
		{wrote, "INSERT INTO events", 40},
		{wrote, "INSERT INTO run_documents", 6}, // once for each document
		{wrote, "", 320},
		{read, "SELECT c.id, c.document_id", 12}, // passages
		{read, "SELECT seq, at, json FROM events", 12},
	} {
		n := 0
		for _, s := range bound.of {
			if strings.HasPrefix(strings.TrimSpace(s), bound.begin) {
				n++
			}
		}
		t.Logf("%q: %d", bound.begin, n)
		if n > bound.most {
			t.Errorf("%d statements begin with %q, want at most %d", n, bound.begin, bound.most)
		}
	}
}

// TestWatchersSeeWhatTheLogHolds compares the events that a watcher got while a
// question was answered, from memory, with those that were stored.
func TestWatchersSeeWhatTheLogHolds(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := start(t, a, "", "Who taught arithmetic?")
	var seen []trace.Event
	for item, err := range a.Hub.Watch(t.Context(), testkit.Workspace, m.Run, 0) {
		testkit.Must(t, err)
		seen = append(seen, item.Events...)
	}
	stored, err := a.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0)
	testkit.Must(t, err)
	if len(stored) < 20 || stored[len(stored)-1].Kind != trace.Settled {
		t.Fatalf("%d events are stored", len(stored))
	}
	if diff := cmp.Diff(stored, seen); diff != "" {
		t.Errorf("seen (-stored +seen):\n%s", diff)
	}
}
