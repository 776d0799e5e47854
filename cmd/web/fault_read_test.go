//go:build faults

package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/migrations"
)

const (
	letterChunks  = 20                    // of each of the fifty
	allWork       = 50 * letterChunks     // calls of the model, when none is repeated
	callsAtOnce   = 4                     // LLM_CONCURRENCY
	callTakes     = 10 * time.Millisecond // of the model
	killSpread    = 6 * time.Millisecond  // a kill comes at any time within it after its moment
	momentTimeout = hangs                 // until a moment comes
	whileAdding   = 10                    // a kill in so many comes while documents are being added
	pollInterval  = 2 * time.Millisecond  // how often the model is asked whether the moment has come
)

// fromEnvironment returns a number from a variable, or otherwise.
func fromEnvironment(name string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// counting is a slow model that counts its calls by prompt.
type counting struct {
	*llmtest.Server
	asked atomic.Int32 // calls that are being answered
	mu    sync.Mutex
	calls map[string]int
}

func newCounting(t *testing.T) *counting {
	t.Helper()
	c := &counting{Server: llmtest.New(t), calls: map[string]int{}}
	c.On(llmtest.Tool("knowledge_graph"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		c.mu.Lock()
		c.calls[r.Last()]++
		c.mu.Unlock()
		c.asked.Add(1)
		defer c.asked.Add(-1)
		time.Sleep(callTakes)
		nodes := []map[string]any{{"id": "Osterby", "label": "Place"}}
		for word := range strings.FieldsSeq(r.Last()) {
			if strings.HasPrefix(word, "Marrow") || strings.HasPrefix(word, "Quill") {
				nodes = append(nodes, map[string]any{"id": word, "label": "Person"})
			}
		}
		return llmtest.Call("knowledge_graph", map[string]any{"nodes": nodes, "relationships": []map[string]any{}})
	}))
	return c
}

// counted returns how many different prompts the model got, and how many
// repetitions.
func (c *counting) counted() (different, repeated int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.calls {
		repeated += n - 1
	}
	return len(c.calls), repeated
}

// killer kills a series of processes that work on a data folder.
type killer struct {
	*testing.T
	sh     shell
	model  *counting
	db     *sql.DB // the ledger, beside the children
	random *rand.Rand
	ingest []string // adds the fifty documents and reads them

	added                          bool
	lost                           int // calls that were in flight at the kills
	kills                          int
	adding, extracting, projecting int // kills by what was going on
}

// progress is the progress of a data folder.
type progress struct{ documents, read, calls, projecting int }

// work counts the recorded work, and the documents that started projecting
// since a moment.
func (s *killer) work(since time.Time) (w progress) {
	s.Helper()
	err := s.db.QueryRowContext(s.Context(), `SELECT count(*), count(*) FILTER (WHERE status = 'ready'), (SELECT count(*) FROM model_calls),
		count(*) FILTER (WHERE status = 'working' AND stage = 'project' AND updated_at >= ?) FROM documents`, since.UnixMilli()).
		Scan(&w.documents, &w.read, &w.calls, &w.projecting)
	if err != nil {
		s.Fatal(err)
	}
	return w
}

func (s *killer) allAdded() bool {
	s.Helper()
	s.added = s.added || s.work(time.Time{}).documents == 50
	return s.added
}

// endedNodes reads which nodes a child reports as ended, until it is killed.
func endedNodes(out io.Reader) <-chan string {
	ended := make(chan string, 64) // more than one child tells
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if node, ok := strings.CutPrefix(lines.Text(), nodeEnds); ok {
				select {
				case ended <- node:
				default: // nobody waits for it
				}
			}
		}
	}()
	return ended
}

// moment waits for the time of the next kill: during adding, later after a
// share of the work, and for a quarter of the kills when a document is about to
// be projected. It leaves some work for the end, and reports false if
// everything has been read.
func (s *killer) moment(all int, began time.Time, ended <-chan string) bool {
	s.Helper()
	adding := all / whileAdding
	there := min(49, 50*s.kills/adding+s.random.IntN(5))
	share := allWork*(s.kills-adding)/all + s.random.IntN(callsAtOnce)
	project := 4*s.projecting <= s.kills-adding
	tick, late := time.NewTicker(pollInterval), time.After(momentTimeout)
	defer tick.Stop()
	for {
		node := ""
		select {
		case node = <-ended:
		case <-tick.C:
		case <-late:
			s.Fatalf("the moment of kill %d did not come within %v:\n%s", s.kills+1, momentTimeout, s.standing())
		}
		different, _ := s.model.counted()
		switch {
		case s.kills < adding:
			if s.work(time.Time{}).documents > there {
				return true
			}
		case different < share || !s.allAdded():
		case project && node == "resolve":
			s.projects(began)
			return true
		case !project && s.model.asked.Load() > 0:
			return true
		case different == allWork && node == "" && s.work(time.Time{}).read == 50:
			return false
		}
	}
}

// projects waits until the process that began then projects a document, which on a
// busy machine it does some time after it resolved its names.
func (s *killer) projects(began time.Time) {
	s.Helper()
	first, late := s.work(began), time.Now().Add(momentTimeout)
	for w := first; w.projecting == 0 && w.read == first.read; w = s.work(began) {
		if time.Now().After(late) {
			s.Fatalf("no document is projected within %v:\n%s", momentTimeout, s.standing())
		}
		time.Sleep(pollInterval)
	}
}

// kill lets a child work until a moment and kills it. It reports false if
// everything has been read.
func (s *killer) kill(all int) bool {
	s.Helper()
	args := []string{"work"}
	if !s.allAdded() {
		args = s.ingest
	}
	began := time.Now()
	cmd := s.sh.process(s.T, args...)
	cmd.Env = append(cmd.Env, childTells+"=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	due := s.moment(all, began, endedNodes(out))
	time.Sleep(time.Duration(s.random.Int64N(int64(killSpread)))) // any moment from here
	asked := s.model.asked.Load()
	if err := cmd.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	_ = cmd.Wait()
	if due {
		s.note(s.work(began), asked > 0)
	}
	return due
}

// standing describes the unfinished documents.
func (s *killer) standing() string {
	s.Helper()
	rows, err := sqlio.Collect(s.Context(), s.db, sqlio.Column[string], `SELECT d.name || ' ' || d.status || ' ' || d.stage || ' ' || d.problem
		|| ', its run ' || r.status || ' at try ' || r.attempt || ' ' || r.problem
		FROM documents d JOIN runs r ON r.id = d.run_id WHERE d.status <> 'ready' ORDER BY d.name`)
	if err != nil {
		s.Fatal(err)
	}
	return strings.Join(rows, "\n")
}

// note classifies a kill and counts the calls in flight, which the ledger has
// not recorded.
func (s *killer) note(left progress, asked bool) {
	s.kills++
	if left.documents < 50 {
		s.adding++
	}
	if asked {
		s.extracting++
	}
	if left.projecting > 0 {
		s.projecting++
	}
	different, repeated := s.model.counted()
	s.lost = different + repeated - left.calls
}

// TestFaultKilledWhileReading kills the process at random moments while it adds
// and reads fifty documents. CLEW_KILLS and CLEW_KILL_SEED set how often and
// when.
func TestFaultKilledWhileReading(t *testing.T) {
	all, seed := int(fromEnvironment("CLEW_KILLS", long.Or[uint64](20, 100))), fromEnvironment("CLEW_KILL_SEED", rand.Uint64()%1_000_000)
	model := newCounting(t)
	settings := []string{"LLM_PROVIDER=openai", "LLM_BASE_URL=" + model.URL, "LLM_MODEL=tiny", "LLM_API_KEY=key", "EXTRACT_MODE=tool",
		"CHUNK_TOKENS=48", "EXTRACT_WINDOW=0", "INGEST_CONCURRENCY=1", fmt.Sprintf("LLM_CONCURRENCY=%d", callsAtOnce)}
	sh := newShell(t, settings...)
	db := ledgerOf(t, sh.data)
	if err := migrations.Up(t.Context(), db.Writer); err != nil {
		t.Fatal(err)
	}
	s := &killer{
		T: t, sh: sh, model: model, db: db.Reader, random: rand.New(rand.NewPCG(seed, 50)),
		ingest: append([]string{"ingest", "--json"}, fifty(t, letterChunks)...),
	}
	began := time.Now()
	for s.kills < all && s.kill(all) { //nolint:revive // until all are done
	}
	took := time.Since(began)
	sh.must(t, s.ingest...)
	different, repeated := model.counted()
	t.Logf("seed %d: %d kills in %.1f s, %d while adding, %d while extracting, %d while projecting; %d calls, %d of them repeated, %d in flight at the kills",
		seed, s.kills, took.Seconds(), s.adding, s.extracting, s.projecting, different+repeated, repeated, s.lost)
	if s.kills < all || s.extracting < all/5 || s.projecting < all/5 {
		t.Errorf("want %d kills, and a fifth of them each while extracting and while projecting", all)
	}
	if most := min(s.lost, callsAtOnce*s.kills); repeated > most {
		t.Errorf("%d calls were repeated, and %d were in flight at the kills", repeated, most)
	}
	if out := sh.must(t, "fsck"); !strings.Contains(out, "is sound: 50 documents") {
		t.Errorf("afterwards: %s", out)
	}
	undisturbed := newShell(t, settings...)
	undisturbed.must(t, s.ingest...)
	want, got := contentsOf(t, undisturbed.data), contentsOf(t, sh.data)
	for _, d := range got.Documents {
		if d.Status != domain.DocumentReady {
			t.Errorf("%s ended as %s: %s", d.Name, d.Status, d.Problem)
		}
	}
	want.Documents, got.Documents = nil, nil // they tell when they were read
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-undisturbed +killed\n%s", diff)
	}
}
