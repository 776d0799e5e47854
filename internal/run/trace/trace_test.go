package trace

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// memory keeps events in memory.
type memory struct {
	mu   sync.Mutex
	rows map[domain.RunID][]ledger.EventRow
}

func (m *memory) AppendEvents(_ context.Context, _ domain.WorkspaceID, run domain.RunID, events []ledger.EventRow, _ ...func(context.Context, *sql.Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = map[domain.RunID][]ledger.EventRow{}
	}
	m.rows[run] = append(m.rows[run], events...)
	return nil
}

func (m *memory) Events(_ context.Context, _ domain.WorkspaceID, run domain.RunID, after int) ([]ledger.EventRow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.rows[run][min(after, len(m.rows[run])):]), nil
}

func (m *memory) LastEvents(ctx context.Context, w domain.WorkspaceID, run domain.RunID, n int) ([]ledger.EventRow, error) {
	all, err := m.Events(ctx, w, run, 0)
	return all[max(0, len(all)-n):], err
}

func (m *memory) EventsOf(ctx context.Context, w domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID][]ledger.EventRow, error) {
	all := map[domain.RunID][]ledger.EventRow{}
	for _, run := range runs {
		all[run], _ = m.Events(ctx, w, run, 0)
	}
	return all, nil
}

func (*memory) RunOver(context.Context, domain.WorkspaceID, domain.RunID) (bool, error) {
	return false, nil
}

func (*memory) Withheld(context.Context, domain.WorkspaceID, ...domain.RunID) (map[domain.RunID]bool, error) {
	return nil, nil
}

// values is the state of a small graph with a loop: guess until good.
type values struct {
	Tries int `json:"tries"`
	Sum   int `json:"sum"`
}

var (
	schema = state.NewSchema[values](1)
	tries  = state.Replace(schema, "tries", func(s *values) *int { return &s.Tries })
	sum    = state.Sum(schema, "sum", func(s *values) *int { return &s.Sum })
)

const looping = "w" // workspace of all tests

// record continues the log of a run.
func record(t *testing.T, h *Hub, run domain.RunID) *Recorder {
	t.Helper()
	rows, err := h.store.Events(t.Context(), looping, run, 0)
	if err != nil {
		t.Error(err)
	}
	last := 0
	for _, r := range rows {
		last = r.Seq
	}
	return h.Record(t.Context(), looping, run, last)
}

// looped returns start → guess → (each) weigh ⇉ decide → guess | speak → end,
// where weigh gets two tasks and two rounds are needed.
func looped(t *testing.T, speak func(*stategraph.Context) error) stategraph.Runnable[values] {
	t.Helper()
	b := stategraph.New("looped", schema)
	b.Node("guess", func(_ *stategraph.Context, s values) (state.Update[values], error) {
		return tries.Set(s.Tries + 1), nil
	})
	weigh := stategraph.Task(b, "weigh", func(ctx *stategraph.Context, n int) (state.Update[values], error) {
		ctx.Emit(domain.EventGrade, domain.Grading{Name: "a.md", Grade: domain.Grade{Verdict: domain.Irrelevant, Reason: "not it"}})
		return sum.Add(n), nil
	})
	b.Node("speak", func(ctx *stategraph.Context, _ values) (state.Update[values], error) {
		return state.Update[values]{}, speak(ctx)
	})
	b.Edge(stategraph.Start, "guess")
	b.Branch("guess", "each", func(_ *stategraph.Context, s values) (stategraph.Route[values], error) {
		return stategraph.Fan(weigh.Send(1), weigh.Send(2)), nil
	}, stategraph.Case{Label: "each", Target: "weigh"})
	b.Branch("weigh", "decide", func(_ *stategraph.Context, s values) (stategraph.Route[values], error) {
		if s.Tries < 2 {
			return stategraph.Choose[values]("again"), nil
		}
		return stategraph.Choose[values]("good"), nil
	}, stategraph.Case{Label: "again", Target: "guess"}, stategraph.Case{Label: "good", Target: "speak"})
	b.Edge("speak", stategraph.End)
	g, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func newHub(store Store) *Hub {
	return NewHub(store, time.Now, slog.New(slog.DiscardHandler), Options{Poll: 5 * time.Millisecond, Batch: time.Millisecond})
}

// carryOut runs the graph with a recorder and settles the run.
func carryOut(t *testing.T, h *Hub, run domain.RunID, g stategraph.Runnable[values]) {
	t.Helper()
	r := record(t, h, run)
	_, err := g.Run(t.Context(), values{}, stategraph.Observe(r.Observe))
	switch err {
	case nil:
		r.Settle("done", "")
	default:
		r.Settle("failed", err.Error())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func say(ctx *stategraph.Context) error {
	for _, w := range []string{"one ", "two ", "three"} {
		ctx.Emit(domain.EventToken, domain.Token{Text: w})
	}
	return nil
}

func TestViewOfARun(t *testing.T) {
	t.Parallel()
	h, g := newHub(&memory{}), looped(t, say)
	carryOut(t, h, "r", g)
	events, err := h.Events(t.Context(), looping, "r", 0)
	if err != nil {
		t.Fatal(err)
	}
	v := Fold("r", g.Topology(), events)
	if diff := cmp.Diff([]string{"guess", "weigh", "guess", "weigh", "speak"}, v.Path()); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
	if v.State != Done || !v.Settled {
		t.Errorf("got state %s, settled %t", v.State, v.Settled)
	}
	weigh := v.Steps[1]
	if weigh.Tasks != 2 || weigh.Total() != 2 || weigh.TasksDone != 2 || len(weigh.Grades) != 2 || weigh.State != Done {
		t.Errorf("got %+v, want one step of two finished tasks", weigh)
	}
	if diff := cmp.Diff([]Branch{{Name: "decide", Label: "again", Targets: []string{"guess"}}}, weigh.Branches); diff != "" {
		t.Errorf("decision after the first weighing (-want +got)\n%s", diff)
	}
	if got := strings.Join(v.Steps[2].Writes, " "); got != "tries" {
		t.Errorf("the third step wrote %s", got)
	}
	want := map[Edge]int{
		{"start", "guess", ""}: 1, {"guess", "each", ""}: 2, {"each", "weigh", "each"}: 2, {"weigh", "decide", ""}: 2,
		{"decide", "guess", "again"}: 1, {"decide", "speak", "good"}: 1, {"speak", "end", ""}: 1,
	}
	if diff := cmp.Diff(want, v.Walked); diff != "" {
		t.Errorf("edges (-want +got)\n%s", diff)
	}
	for node, visits := range map[string]int{"guess": 2, "weigh": 2, "decide": 2, "speak": 1, "end": 1} {
		if v.Nodes[node].Visits != visits {
			t.Errorf("%s: got %d visits, want %d", node, v.Nodes[node].Visits, visits)
		}
	}
}

func TestWordsAreNotStored(t *testing.T) {
	t.Parallel()
	store := &memory{}
	carryOut(t, newHub(store), "r", looped(t, say))
	for _, row := range store.rows["r"] {
		if strings.Contains(string(row.JSON), "three") {
			t.Errorf("event %d contains a word of the answer: %s", row.Seq, row.JSON)
		}
	}
}

// follow collects the events of a watcher until the run is settled.
func follow(t *testing.T, h *Hub, run domain.RunID, after int) (events []Event, text string) {
	t.Helper()
	for item, err := range h.Watch(t.Context(), looping, run, after) {
		if err != nil {
			t.Error(err)
			return events, text
		}
		if item.Reset {
			text = ""
		}
		text += item.Text
		events = append(events, item.Events...)
	}
	return events, text
}

// TestWatchersSeeTheSourcesOfTheText tells each once, from the first on to those who come
// later.
func TestWatchersSeeTheSourcesOfTheText(t *testing.T) {
	t.Parallel()
	h := newHub(&memory{})
	r := record(t, h, "r")
	observe := func(kind string, payload any) {
		r.Observe(stategraph.Event{Kind: stategraph.Custom, Custom: kind, Payload: payload})
	}
	seen := func(want ...int) {
		t.Helper()
		for item, err := range h.Watch(t.Context(), looping, "r", 0) {
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, c := range item.Cited {
				got = append(got, c.N)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("sources (-want +got)\n%s", diff)
			}
			return
		}
	}
	observe(domain.EventToken, domain.Token{Text: "One [1]", Cited: []domain.Citation{{N: 1}}})
	seen(1)
	observe(domain.EventToken, domain.Token{Text: " two [2]", Cited: []domain.Citation{{N: 1}, {N: 2}}})
	seen(1, 2)
	r.Observe(stategraph.Event{Kind: stategraph.RunStart})
	observe(domain.EventToken, domain.Token{Text: "Anew"})
	seen()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWatchersSeeEverythingInOrder(t *testing.T) {
	t.Parallel()
	h := newHub(&memory{})
	watching := make(chan struct{})
	var once sync.Once
	g := looped(t, func(ctx *stategraph.Context) error {
		<-watching // words are not stored, so the watchers have to be there first
		return say(ctx)
	})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			var text string
			last := 0
			for item, err := range h.Watch(t.Context(), looping, "r", 0) {
				if err != nil {
					t.Error(err)
					return
				}
				if item.Reset {
					text = ""
				}
				text += item.Text
				for _, e := range item.Events {
					if e.Seq != last+1 {
						t.Errorf("got event %d after %d", e.Seq, last)
					}
					last = e.Seq
					if e.Node == "speak" {
						once.Do(func() { close(watching) })
					}
				}
			}
			if last == 0 {
				t.Error("got no events")
			}
		})
	}
	carryOut(t, h, "r", g)
	all.Wait()
	if len(h.live) != 0 {
		t.Errorf("got %d runs still in memory", len(h.live))
	}
}

// counting counts how often events are read.
type counting struct {
	memory
	reads atomic.Int64
}

func (c *counting) Events(ctx context.Context, w domain.WorkspaceID, run domain.RunID, after int) ([]ledger.EventRow, error) {
	c.reads.Add(1)
	return c.memory.Events(ctx, w, run, after)
}

func TestWatchersShareWhatIsRead(t *testing.T) {
	t.Parallel()
	store := &counting{}
	h := NewHub(store, time.Now, slog.New(slog.DiscardHandler), Options{Poll: time.Hour, Batch: time.Millisecond})
	r := record(t, h, "r")
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			seen := 0
			for item, err := range h.Watch(t.Context(), looping, "r", 0) {
				if err != nil {
					t.Error(err)
				}
				seen += len(item.Events)
			}
			if seen != 1 {
				t.Errorf("a watcher saw %d events, want the one there is", seen)
			}
		})
	}
	r.Settle("done", "")
	all.Wait()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if n := store.reads.Load(); n > 3 { // by the recorder, by the first watcher, and after the event
		t.Errorf("100 watchers read the log %d times", n)
	}
}

func TestLateWatcherGetsTheTextSoFar(t *testing.T) {
	t.Parallel()
	h := newHub(&memory{})
	said, joined := make(chan struct{}), make(chan struct{})
	g := looped(t, func(ctx *stategraph.Context) error {
		err := say(ctx)
		close(said)
		<-joined
		return err
	})
	go carryOut(t, h, "r", g)
	<-said
	var got string
	var once sync.Once
	for item, err := range h.Watch(t.Context(), looping, "r", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if got += item.Text; got == "one two three" {
			once.Do(func() { close(joined) })
		}
	}
	if got != "one two three" {
		t.Errorf("got text %q", got)
	}
}

func TestResumingFromAnEventGivesTheSameView(t *testing.T) {
	t.Parallel()
	h, g := newHub(&memory{}), looped(t, say)
	carryOut(t, h, "r", g)
	all, _ := follow(t, h, "r", 0)
	for cut := range all {
		v := Fold("r", g.Topology(), all[:cut])
		rest, _ := follow(t, h, "r", cut)
		for _, e := range rest {
			v.Apply(e)
		}
		whole := Fold("r", g.Topology(), all)
		if diff := cmp.Diff(whole.Steps, v.Steps); diff != "" {
			t.Fatalf("resumed after event %d (-whole +resumed)\n%s", cut, diff)
		}
		if diff := cmp.Diff(whole.Walked, v.Walked); diff != "" {
			t.Fatalf("resumed after event %d: edges (-whole +resumed)\n%s", cut, diff)
		}
	}
}

func TestAFailureIsShownWhereItHappened(t *testing.T) {
	t.Parallel()
	h := newHub(&memory{})
	g := looped(t, func(*stategraph.Context) error {
		return domain.Errorf(domain.Unavailable, "The model does not answer.")
	})
	carryOut(t, h, "r", g)
	events, _ := h.Events(t.Context(), looping, "r", 0)
	v := Fold("r", g.Topology(), events)
	last := v.Steps[len(v.Steps)-1]
	if v.State != Failed || last.State != Failed || last.Problem != "The model does not answer." {
		t.Errorf("got run %s, step %s: %q", v.State, last.State, last.Problem)
	}
	if _, reached := v.Nodes[stategraph.End]; reached {
		t.Error("the end node was reached although the run failed")
	}
}

func TestSecondAttemptStartsANewView(t *testing.T) {
	t.Parallel()
	h, store := newHub(&memory{}), errors.New("cut off")
	first := true
	g := looped(t, func(ctx *stategraph.Context) error {
		if first {
			first = false
			return store
		}
		return say(ctx)
	})
	r := record(t, h, "r")
	if _, err := g.Run(t.Context(), values{}, stategraph.Observe(r.Observe)); !errors.Is(err, store) {
		t.Fatalf("first attempt: %v", err)
	}
	r.Close()
	carryOut(t, h, "r", g)
	events, _ := h.Events(t.Context(), looping, "r", 0)
	v := Fold("r", g.Topology(), events)
	if len(v.Steps) != 5 || v.State != Done || !v.Resumed {
		t.Errorf("got %d steps, state %s, resumed %t; want 5, done, true", len(v.Steps), v.State, v.Resumed)
	}
	for i, e := range events {
		if e.Seq != i+1 {
			t.Errorf("event %d: got number %d", i+1, e.Seq)
		}
	}
}

func TestStoppedRunLeavesNoStepRunning(t *testing.T) {
	t.Parallel()
	h := newHub(&memory{})
	ctx, stop := context.WithCancel(t.Context())
	g := looped(t, func(c *stategraph.Context) error {
		stop()
		<-c.Done()
		return c.Err()
	})
	r := record(t, h, "r")
	if _, err := g.Run(ctx, values{}, stategraph.Observe(r.Observe)); err == nil {
		t.Fatal("got no error from the stopped run")
	}
	r.Settle("stopped", "")
	r.Close()
	events, _ := h.Events(t.Context(), looping, "r", 0)
	v := Fold("r", g.Topology(), events)
	if v.State != Stopped {
		t.Errorf("got state %s, want stopped", v.State)
	}
	for _, s := range v.Steps {
		if s.State == Working {
			t.Errorf("step %s is still running", s.Node)
		}
	}
}

func TestAWatcherLeavesWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	h := newHub(&memory{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range h.Watch(ctx, looping, "nobody", 0) {
			t.Error("got events of a run that does not exist")
		}
	}()
	cancel()
	<-done
}

// The steps of an earlier attempt stay in the view when the next attempt
// resumes; of an unfinished fan-out only the remaining tasks are counted.
func TestResumedRunKeepsEarlierSteps(t *testing.T) {
	t.Parallel()
	g := looped(t, say)
	at := time.Unix(0, 0)
	node := func(kind stategraph.EventKind, name string, step, task int) Event {
		return Event{Kind: string(kind), Path: []string{"looped"}, Node: name, Step: step, Task: task, Attempt: 1, At: at}
	}
	events := []Event{
		{Kind: string(stategraph.RunStart), Path: []string{"looped"}, At: at},
		node(stategraph.NodeStart, "guess", 1, 0), node(stategraph.NodeEnd, "guess", 1, 0),
		node(stategraph.NodeStart, "weigh", 2, 0), node(stategraph.NodeStart, "weigh", 2, 1), node(stategraph.NodeEnd, "weigh", 2, 1),
		{Kind: string(stategraph.RunStart), Path: []string{"looped"}, Step: 1, Resumed: true, At: at},
		node(stategraph.NodeStart, "weigh", 2, 0), node(stategraph.NodeEnd, "weigh", 2, 0),
	}
	v := Fold("r", g.Topology(), events)
	if diff := cmp.Diff([]string{"guess", "weigh"}, v.Path()); diff != "" || !v.Resumed {
		t.Fatalf("got resumed %t; path (-want +got)\n%s", v.Resumed, diff)
	}
	if s := v.Steps[1]; s.State != Done || s.Tasks != 2 || s.TasksDone != 2 {
		t.Errorf("fan-out: got state %s with %d of %d tasks", s.State, s.TasksDone, s.Tasks)
	}
}

// TestEventsAreGatheredLongerThanWords: the picture of a run is drawn with each batch of them.
func TestEventsAreGatheredLongerThanWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const batch = time.Minute
		h := NewHub(&memory{}, time.Now, slog.New(slog.DiscardHandler), Options{Poll: time.Hour, Batch: batch})
		r := record(t, h, "r")
		began := time.Now()
		var events []time.Duration
		var words time.Duration
		var all sync.WaitGroup
		all.Go(func() {
			for item := range h.Watch(t.Context(), looping, "r", 0) {
				if len(item.Events) > 0 {
					events = append(events, time.Since(began))
				}
				if item.Text == "two" {
					words = time.Since(began)
				}
			}
		})
		say := func(text string) {
			r.Observe(stategraph.Event{Kind: stategraph.Custom, Custom: domain.EventToken, Payload: domain.Token{Text: text}})
		}
		synctest.Wait()
		for range 2 {
			r.Observe(stategraph.Event{Kind: stategraph.NodeStart, Node: "guess"})
			time.Sleep(2 * batch)
		}
		say("one ")
		synctest.Wait()
		r.Observe(stategraph.Event{Kind: stategraph.NodeEnd, Node: "guess"})
		time.Sleep(2 * batch)
		say("two")
		synctest.Wait()
		r.Settle("done", "")
		all.Wait()
		if diff := cmp.Diff([]time.Duration{3 * batch, 6 * batch, 6 * batch}, events); diff != "" || words != 6*batch {
			t.Errorf("words came after %v; events (-want +got)\n%s", words, diff)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestWhatAPageHasMissedIsGathered watches from an event that the page has drawn.
func TestWhatAPageHasMissedIsGathered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const batch = time.Minute
		h := NewHub(&memory{}, time.Now, slog.New(slog.DiscardHandler), Options{Poll: time.Hour, Batch: batch})
		r := record(t, h, "r")
		for range 3 {
			r.Observe(stategraph.Event{Kind: stategraph.NodeStart, Node: "guess"})
		}
		began := time.Now()
		var got []string
		var all sync.WaitGroup
		all.Go(func() {
			for item := range h.Watch(t.Context(), looping, "r", 1) {
				got = append(got, fmt.Sprintf("%d events after %s", len(item.Events), time.Since(began)))
			}
		})
		synctest.Wait()
		r.Observe(stategraph.Event{Kind: stategraph.NodeEnd, Node: "guess"})
		time.Sleep(4 * batch)
		r.Settle("done", "")
		all.Wait()
		if diff := cmp.Diff([]string{"3 events after 3m0s", "1 events after 4m0s"}, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestTheFirstWordsAndTheEndWaitForNothing: later words are sent in batches.
func TestTheFirstWordsAndTheEndWaitForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const batch = time.Minute
		h := NewHub(&memory{}, time.Now, slog.New(slog.DiscardHandler), Options{Poll: time.Hour, Batch: batch})
		r := record(t, h, "r")
		began := time.Now()
		at := map[string]time.Duration{}
		var all sync.WaitGroup
		all.Go(func() {
			for item, err := range h.Watch(t.Context(), looping, "r", 0) {
				if err != nil {
					t.Error(err)
				}
				if item.Text != "" {
					at[item.Text] = time.Since(began)
				}
			}
			at["end"] = time.Since(began)
		})
		word := func(text string) {
			synctest.Wait()
			r.Observe(stategraph.Event{Kind: stategraph.Custom, Custom: domain.EventToken, Payload: domain.Token{Text: text}})
		}
		r.Observe(stategraph.Event{Kind: stategraph.NodeStart, Node: "speak"}) // begins a batch
		time.Sleep(time.Second)
		word("one ")
		time.Sleep(time.Second)
		word("two ")
		time.Sleep(time.Second)
		word("three")
		time.Sleep(batch)
		word("!")
		time.Sleep(time.Second)
		synctest.Wait()
		r.Settle("done", "")
		all.Wait()
		want := map[string]time.Duration{"one ": time.Second, "two three": 2*time.Second + batch, "!": 4*time.Second + batch, "end": 4*time.Second + batch}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("sent at (-want +got)\n%s", diff)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestANodeTakesAsLongAsItsSteps ends the first task of a step before the second begins.
func TestANodeTakesAsLongAsItsSteps(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	event := func(after int, kind stategraph.EventKind, task int) Event {
		return Event{Seq: after, At: at.Add(time.Duration(after) * time.Millisecond), Kind: string(kind), Node: "weigh", Step: 2, Task: task, Attempt: 1}
	}
	v := Fold("r", looped(t, func(*stategraph.Context) error { return nil }).Topology(), []Event{
		{Seq: 1, At: at, Kind: string(stategraph.RunStart)},
		event(2, stategraph.NodeStart, 0), event(12, stategraph.NodeEnd, 0), event(13, stategraph.NodeStart, 1), event(24, stategraph.NodeEnd, 1),
	})
	if step, node := v.Steps[0].Took, v.Nodes["weigh"].Took; step != 22*time.Millisecond || node != step {
		t.Errorf("the step took %s and its node %s, want 22ms of both", step, node)
	}
}

// TestTheWordsOfAQuestionAreKept with the step that looked them up. Malformed ones are left out.
func TestTheWordsOfAQuestionAreKept(t *testing.T) {
	t.Parallel()
	events := []Event{
		{Kind: string(stategraph.RunStart)}, {Kind: string(stategraph.NodeStart), Node: "write", Step: 1},
		{Kind: string(stategraph.Custom), Node: "write", Step: 1, Custom: domain.EventWords, Payload: json.RawMessage(`{"words":[{"text":"Viaduckt","documents":0,"meant":"viaduct","meant_in":1}]}`)},
		{Kind: string(stategraph.Custom), Node: "write", Step: 1, Custom: domain.EventWords, Payload: json.RawMessage(`{"words":7}`)},
	}
	want := &domain.Words{Words: []domain.AskedWord{{Text: "Viaduckt", Meant: "viaduct", MeantIn: 1}}}
	if diff := cmp.Diff(want, Fold("r", stategraph.Topology{}, events).Words()); diff != "" {
		t.Errorf("words (-want +got)\n%s", diff)
	}
	if w := Fold("r", stategraph.Topology{}, events[:2]).Words(); w != nil {
		t.Errorf("before: %+v", w)
	}
}
