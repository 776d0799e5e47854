//go:build faults

package testkit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// torn is a graph on a server that a test stops in the middle of a batch: it
// signals when a batch begins, and sends it in many small statements.
type torn struct {
	*neo4j.Store
	begins chan struct{}
}

func openTorn(t *testing.T, at *servers.Neo4jServer) torn {
	t.Helper()
	s := openNeo4j(t, at)
	s.Rows, s.SilenceTimeout = 1, 5*time.Second
	return torn{s, make(chan struct{}, 1)}
}

func openNeo4j(t *testing.T, at *servers.Neo4jServer) *neo4j.Store {
	t.Helper()
	s, err := neo4j.Open(t.Context(), neo4j.Options{
		URL: at.URL, User: at.User, Password: at.Password, Database: at.Database, SilenceTimeout: time.Minute,
	})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = s.Close() }) // the server may be gone
	return s
}

func (g torn) Apply(ctx context.Context, w domain.WorkspaceID, b graphstore.Batch) error {
	select {
	case g.begins <- struct{}{}:
	default:
	}
	return g.Store.Apply(ctx, w, b)
}

// TestFaultNeo4jGoesAway interrupts the server twice in the middle of a batch:
// it pauses it, then kills it. Documents added meanwhile wait and say for which
// store, a question is answered without the graph and says so, deletions are
// done; and once the server is back, everything ends by itself in the graph of
// an undisturbed library.
func TestFaultNeo4jGoesAway(t *testing.T) {
	t.Parallel()
	at := servers.OwnNeo4j(t)
	graph := openTorn(t, at)
	a := testkit.Open(t, testkit.Options{Graph: graph, Walk: true, Backoff: func(int) time.Duration { return time.Second }})
	undisturbed := testkit.Open(t, testkit.Options{})
	first := a.Read(t, "first.txt", letter("first", 3))
	for _, fault := range []struct {
		name       string
		least      time.Duration
		begin, end func(testing.TB)
	}{
		{"paused", long.Or(8*time.Second, 30*time.Second), at.Pause, at.Resume},
		{"killed", 0, at.Kill, at.Start},
	} {
		select {
		case <-graph.begins: // from an earlier batch
		default:
		}
		during := a.Add(t, fault.name+" during.txt", letter("meant for "+fault.name, 60)).Document
		testkit.Within(t, 10*time.Minute, "a batch", graph.begins)
		fault.begin(t)
		began := time.Now()
		after := a.Add(t, fault.name+" after.txt", letter("an answer to "+fault.name, 3)).Document
		answeredWithoutGraph(t, a)
		waits(t, a, after, "Neo4j")
		if first.ID != "" {
			a.Delete(t, first.ID)
			first.ID = ""
		}
		<-time.After(time.Until(began.Add(fault.least)))
		fault.end(t)
		for _, d := range []domain.Document{during, after} {
			if d = a.Settle(t, d); d.Status != domain.DocumentReady {
				t.Errorf("got %s with status %s: %s", d.Name, d.Status, d.Problem)
			}
		}
		undisturbed.Read(t, during.Name, letter("meant for "+fault.name, 60))
		undisturbed.Read(t, after.Name, letter("an answer to "+fault.name, 3))
	}
	if d := cmp.Diff(shape(t, undisturbed.Graph), shape(t, openNeo4j(t, at))); d != "" {
		t.Errorf("the graph differs from that of an undisturbed library (-undisturbed +this)\n%s", d)
	}
}

// letter returns a text about the harbour and a number of people, each of whom
// met the next.
func letter(name string, people int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "This letter about the harbour was %s.\n", name)
	for i := range people {
		fmt.Fprintf(&text, "Ada %s met Ada %s.\n", numeral(i), numeral(i+1))
	}
	return text.String()
}

// numeral returns a number as a capitalised word.
func numeral(n int) string { return fmt.Sprintf("%c%c%c", 'A'+n/26, 'a'+n%26, 'x') }

// answeredWithoutGraph asks a question while the server is away.
func answeredWithoutGraph(t *testing.T, a *testkit.App) {
	t.Helper()
	m := a.Answered(t, "", "Which letter was about the harbour?")
	if !strings.Contains(m.Text, "harbour") || len(m.Citations) == 0 {
		t.Errorf("got answer %q, citing %v; want one from the library", m.Text, m.Citations)
	}
	for _, s := range m.Sentences {
		if s.Remark && strings.Contains(s.Text, "Neo4j") {
			return
		}
	}
	t.Errorf("got %+v, want a remark on Neo4j", m.Sentences)
}

// waits checks that the run that reads a document waits for its next attempt,
// and for which store.
func waits(t *testing.T, a *testkit.App, d domain.Document, store string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		run, err := a.Queue.Get(ctx, testkit.Workspace, d.Run)
		testkit.Must(t, err)
		if run.Status != job.Waiting || run.Problem == "" {
			continue
		}
		if !strings.Contains(run.Problem, store) {
			t.Errorf("got %s waiting because of %q, want a mention of %s", d.Name, run.Problem, store)
		}
		if d = a.Document(t, d.ID); d.Status.Settled() {
			t.Errorf("got %s with status %s while %s is away", d.Name, d.Status, store)
		}
		return
	}
}

// shape returns the contents of a graph without its cursor.
func shape(t *testing.T, s graphstore.Store) *graphstore.Adjacency {
	t.Helper()
	a, err := s.Adjacency(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	a.Cursor = 0
	return a
}
