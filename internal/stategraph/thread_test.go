package stategraph

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asking builds a graph of two nodes that ask side by side, and one after them.
func asking(k *kit, calls *atomic.Int32, store Checkpointer) *Graph[board] {
	for _, name := range []string{"a", "b"} {
		k.Node(name, func(ctx *Context, _ board) (update, error) {
			calls.Add(1)
			first, err := Interrupt[string](ctx, "first of "+name)
			if err != nil {
				return update{}, err
			}
			second, err := Interrupt[string](ctx, "second of "+name)
			return k.log.Add(name + first + second), err
		}, MayInterrupt())
		k.Edge(Start, name)
		k.Edge(name, "last")
	}
	k.logs("last")
	k.Edge("last", End)
	return k.compile(WithCheckpointer(store))
}

// ids lists the questions of an interrupted run.
func ids(t *testing.T, err error) []string {
	t.Helper()
	var asked *InterruptedError
	if !errors.As(err, &asked) {
		t.Fatalf("got %v, want an InterruptedError", err)
	}
	var out []string
	for _, q := range asked.Questions {
		out = append(out, q.ID)
	}
	return out
}

func TestPendingQuestionsAreAnsweredById(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	k := newKit(t)
	g := asking(k, &calls, newMortal())
	_, err := g.Run(t.Context(), board{}, Thread("t"))
	if diff := cmp.Diff([]string{"1:a#0.1", "1:b#0.1"}, ids(t, err)); diff != "" {
		t.Fatalf("asked (-want +got)\n%s", diff)
	}
	_, err = g.Resume(t.Context(), "t")
	if got := ids(t, err); len(got) != 2 || calls.Load() != 2 {
		t.Fatalf("resumed without answers it asks %v and has called %d nodes", got, calls.Load())
	}
	_, err = g.Resume(t.Context(), "t", Answer("1:b#0.1", "1"))
	if diff := cmp.Diff([]string{"1:a#0.1", "1:b#0.2"}, ids(t, err)); diff != "" || calls.Load() != 3 {
		t.Fatalf("one answer, %d calls (-want +got)\n%s", calls.Load(), diff)
	}
	_, err = g.Resume(t.Context(), "t", Answer("1:b#0.1", "again"))
	wantText(t, err, "waits for no answer", "1:b#0.1")
	questions, err := g.Questions(t.Context(), "t")
	if err != nil || len(questions) != 2 || string(questions[1].Payload) != `"second of b"` || questions[1].Node != "b" {
		t.Fatalf("questions %v, %v", questions, err)
	}
	_, err = g.Resume(t.Context(), "t", Answer("1:b#0.2", "2"), Answer("1:a#0.1", "3"))
	ids(t, err)
	s, err := g.Resume(t.Context(), "t", Answer("1:a#0.2", "4"))
	if diff := cmp.Diff([]string{"a34", "b12", "last"}, s.Log); diff != "" || err != nil {
		t.Fatalf("%v (-want +got)\n%s", err, diff)
	}
	if s, err = g.Resume(t.Context(), "t"); err != nil || len(s.Log) != 3 {
		t.Fatalf("resumed after its end: %v, %v", s, err)
	}
}

func TestANodeThatMayInterruptNeedsACheckpointer(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("a", func(*Context, board) (update, error) { return update{}, nil }, MayInterrupt())
	k.path(Start, "a", End)
	_, err := k.Compile()
	wantText(t, err, "may interrupt", "no checkpointer")
	sub := k.compile(AsSubgraph())
	outer := newKit(t)
	Subgraph(outer.Builder, "sub", sub, func(s board) board { return s }, func(_, _ board) update { return update{} })
	outer.path(Start, "sub", End)
	_, err = outer.Compile()
	wantText(t, err, "may interrupt", "no checkpointer")
	outer.compile(WithCheckpointer(newMortal()))
}

func TestAnUndeclaredInterruptIsAnError(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("a", func(ctx *Context, _ board) (update, error) {
		_, err := Interrupt[int](ctx, "?")
		return update{}, err
	})
	k.path(Start, "a", End)
	_, err := k.compile(WithCheckpointer(newMortal())).Run(t.Context(), board{}, Thread("t"))
	wantText(t, err, "has not declared MayInterrupt")
}

func TestAnInterruptInASubgraphResumesInside(t *testing.T) {
	t.Parallel()
	var before, after atomic.Int32
	in := newKit(t)
	in.Node("before", func(*Context, board) (update, error) { before.Add(1); return in.log.Add("before"), nil })
	in.Node("ask", func(ctx *Context, _ board) (update, error) {
		answer, err := Interrupt[string](ctx, "?")
		return in.log.Add(answer), err
	}, MayInterrupt())
	in.path(Start, "before", "ask", End)
	sub := in.compile(AsSubgraph())
	k := newKit(t)
	k.Node("beside", func(*Context, board) (update, error) { after.Add(1); return k.log.Add("beside"), nil })
	Subgraph(k.Builder, "sub", sub, func(board) board { return board{} },
		func(_, inner board) update { return k.log.Add(inner.Log...) })
	k.Edge(Start, "beside")
	k.Edge("beside", End)
	k.path(Start, "sub", End)
	store := newMortal()
	g := k.compile(WithCheckpointer(store))
	_, err := g.Run(t.Context(), board{}, Thread("t"))
	asked := ids(t, err)
	if diff := cmp.Diff([]string{"1:sub/2:ask#0.1"}, asked); diff != "" {
		t.Fatal(diff)
	}
	s, err := g.Resume(t.Context(), "t", Answer(asked[0], "yes"))
	if diff := cmp.Diff([]string{"beside", "before", "yes"}, s.Log); err != nil || diff != "" {
		t.Fatalf("%v (-want +got)\n%s", err, diff)
	}
	if before.Load() != 1 || after.Load() != 1 {
		t.Errorf("the node before the question ran %d times, that beside the subgraph %d times", before.Load(), after.Load())
	}
}

func TestASubgraphThatFailedGoesOnInside(t *testing.T) {
	t.Parallel()
	var first, second atomic.Int32
	in := newKit(t)
	in.Node("first", func(*Context, board) (update, error) { first.Add(1); return in.log.Add("first"), nil })
	in.Node("second", func(*Context, board) (update, error) {
		if second.Add(1) < 4 {
			return update{}, errBroken
		}
		return in.log.Add("second"), nil
	})
	in.path(Start, "first", "second", End)
	sub := in.compile()
	k := newKit(t)
	Subgraph(k.Builder, "sub", sub, func(board) board { return board{} },
		func(_, inner board) update { return k.log.Add(inner.Log...) }, WithRetry(Retry{Attempts: 2}))
	k.path(Start, "sub", End)
	g := k.compile(WithCheckpointer(newMortal()))
	if _, err := g.Run(t.Context(), board{}, Thread("t")); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	s, err := g.Resume(t.Context(), "t")
	if err != nil || !slices.Equal(s.Log, []string{"first", "second"}) || first.Load() != 1 {
		t.Fatalf("%v, %v; first ran %d times", s.Log, err, first.Load())
	}
}

func TestStopsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a", "b", "c")
	k.path(Start, "a", "b", "c", End)
	g := k.compile(WithCheckpointer(newMortal()))
	stops := []RunOption{StopBefore("b"), StopAfter("b", "c")}
	s, err := g.Run(t.Context(), board{}, append(stops, Thread("t"))...)
	for i, want := range []StoppedError{
		{Step: 2, Nodes: []string{"b"}}, {Step: 2, Nodes: []string{"b"}, After: true}, {Step: 3, Nodes: []string{"c"}, After: true},
	} {
		var stopped *StoppedError
		if !errors.As(err, &stopped) || !cmp.Equal(*stopped, want) || len(s.Log) != i+1 {
			t.Fatalf("stop %d with %v: %v", i, s.Log, err)
		}
		s, err = g.Resume(t.Context(), "t", stops...)
	}
	if err != nil || len(s.Log) != 3 {
		t.Fatalf("%v, %v", s, err)
	}
	_, err = g.Run(t.Context(), board{}, StopAfter("a"))
	wantText(t, err, "need a thread")
}

func TestResumeRunsOnlyWhatDidNotFinish(t *testing.T) {
	t.Parallel()
	const tasks = 40
	var calls [tasks]atomic.Int32
	broken := true
	k := newKit(t)
	work := Task(k.Builder, "work", func(_ *Context, i int) (update, error) {
		jitter()
		if i == tasks/2 && broken {
			return update{}, errBroken
		}
		calls[i].Add(1)
		return k.total.Add(float64(i)), nil
	})
	k.Branch(Start, "each", func(*Context, board) (route, error) {
		var sends []Send[board]
		for i := range tasks {
			sends = append(sends, work.Send(i))
		}
		return Fan(sends...), nil
	}, Case{"each", "work"})
	k.Edge("work", End)
	g := k.compile(WithCheckpointer(newMortal()))
	for range 3 {
		if _, err := g.Run(t.Context(), board{}, Thread("t"), OrResume(), MaxConcurrency(8)); !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
	}
	broken = false
	r := &recorder{}
	s, err := g.Resume(t.Context(), "t", r.observe())
	if err != nil || s.Total != tasks*(tasks-1)/2 {
		t.Fatalf("%v, %v", s.Total, err)
	}
	for i := range calls {
		if n := calls[i].Load(); n != 1 {
			t.Errorf("task %d finished %d times", i, n)
		}
	}
	if e := r.events[0]; e.Kind != RunStart || !e.Resumed || e.Step != 0 {
		t.Errorf("the resumption begins with %+v", e)
	}
	if saved := r.lines(Saved); len(saved) != 1 {
		t.Errorf("checkpoints told: %v", saved)
	}
}

func TestThreadsAreBegunOnceAndResumedWhenBegun(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	k.path(Start, "a", End)
	g := k.compile(WithCheckpointer(newMortal()))
	_, err := g.Resume(t.Context(), "t")
	if !errors.Is(err, ErrNoThread) {
		t.Errorf("resume of no thread: %v", err)
	}
	if _, err := g.Run(t.Context(), board{}, Thread("t")); err != nil {
		t.Error(err)
	}
	if _, err := g.Run(t.Context(), board{}, Thread("t")); !errors.Is(err, ErrThreadExists) {
		t.Errorf("a second run of the thread: %v", err)
	}
	if err := g.Fork(t.Context(), "t", 0, "t", nil); !errors.Is(err, ErrThreadExists) {
		t.Errorf("a fork into a thread that is in use: %v", err)
	}
	if _, err := g.StateAt(t.Context(), "t", 2); !errors.Is(err, ErrNoThread) {
		t.Errorf("a step that never was: %v", err)
	}
	plain := k.compile()
	_, err = plain.Run(t.Context(), board{}, Thread("t"))
	wantText(t, err, "without a checkpointer")
}

// Version 1 had a field "note" that version 2 calls "word".
func TestCheckpointsOfEarlierVersionsAreRead(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile(filepath.Join("testdata", "thread_v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	var records []Record
	if err := json.Unmarshal(golden, &records); err != nil {
		t.Fatal(err)
	}
	store := newMortal()
	store.threads["t"] = records
	k := newKitOf(t, 2)
	k.logs("a", "b")
	k.path(Start, "a", "b", End)
	_, err = k.compile(WithCheckpointer(store)).Resume(t.Context(), "t")
	wantText(t, err, "version 1", "nothing leads to version 2")
	k.fields.schema.Upcast(1, func(m map[string]json.RawMessage) error {
		if note, ok := m["note"]; ok {
			m["word"] = note
			delete(m, "note")
		}
		return nil
	})
	s, err := k.compile(WithCheckpointer(store)).Resume(t.Context(), "t")
	if diff := cmp.Diff(board{Word: "written", Log: []string{"a", "b"}}, s); err != nil || diff != "" {
		t.Fatalf("%v (-want +got)\n%s", err, diff)
	}
	k = newKit(t)
	k.logs("a", "b")
	k.path(Start, "a", "b", End)
	store.threads["later"] = []Record{{Kind: RecordSnapshot, Version: 2, Data: []byte("{\"ran\":[\"start\"]}\n{}")}}
	_, err = k.compile(WithCheckpointer(store)).StateAt(t.Context(), "later", 0)
	wantText(t, err, "stored by version 2", "this is version 1")
}

func TestAStoredFieldWithoutAPlaceIsAnErrorWithItsPath(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		records []Record
		path    string
	}{
		"in the state": {[]Record{{Kind: RecordSnapshot, Version: 1, Data: []byte("{\"ran\":[\"start\"]}\n" + `{"cards":[{"id":"1"},{"id":"2","body":"x"}]}`)}}, "state.cards[1].body"},
		"in an update": {[]Record{{Kind: RecordSnapshot, Version: 1, Data: []byte("{\"ran\":[\"start\"]}\n{}")},
			{Kind: RecordPlan, Step: 1, Version: 1, Data: []byte(`{"tasks":[{"node":"a"}],"done":true}` + "\n\"cards\"\n" + `[{"body":"x"}]`)}}, "cards[0].body"},
		"a field": {[]Record{{Kind: RecordSnapshot, Version: 1, Data: []byte("{\"ran\":[\"start\"]}\n{}")},
			{Kind: RecordPlan, Step: 1, Version: 1, Data: []byte(`{"tasks":[{"node":"a"}],"done":true}` + "\n\"gone\"\n1")}}, "gone"},
		"a node": {[]Record{{Kind: RecordSnapshot, Version: 1, Data: []byte("{\"ran\":[\"was\"]}\n{}")}}, `"was"`},
		"a planned node": {[]Record{{Kind: RecordSnapshot, Version: 1, Data: []byte("{\"ran\":[\"start\"]}\n{}")},
			{Kind: RecordPlan, Step: 1, Version: 1, Data: []byte(`{"tasks":[{"node":"was"}]}`)}}, `"was"`},
	} {
		store := newMortal()
		store.threads["t"] = tt.records
		k := newKit(t)
		k.logs("a")
		k.path(Start, "a", End)
		_, err := k.compile(WithCheckpointer(store)).Resume(t.Context(), "t")
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		wantText(t, err, tt.path)
	}
}

// A thread grows linearly with its run.
func TestStorageIsLinear(t *testing.T) {
	t.Parallel()
	size := func(steps int) (total int) {
		k := newKit(t)
		message := string(make([]byte, 200))
		k.Node("a", func(*Context, board) (update, error) { return k.log.Add(message[:20]), nil })
		k.Edge(Start, "a")
		k.Branch("a", "more", func(_ *Context, s board) (route, error) {
			if len(s.Log) < steps {
				return Choose[board]("more"), nil
			}
			return Choose[board]("done"), nil
		}, Case{"more", "a"}, Case{"done", End})
		store := newMortal()
		if _, err := k.compile(WithCheckpointer(store)).Run(t.Context(), board{}, Thread("t"), RecursionLimit(steps)); err != nil {
			t.Fatal(err)
		}
		for _, rec := range store.threads["t"] {
			total += len(rec.Data)
		}
		return total
	}
	if one, two := size(1000), size(2000); float64(two) > 2.3*float64(one) {
		t.Errorf("1,000 steps take %d bytes, 2,000 take %d", one, two)
	}
}

// A run that fails at its limit can be resumed with a higher one.
func TestTheLimitLeavesTheThreadIntact(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a", "b", "c")
	k.path(Start, "a", "b", "c", End)
	g := k.compile(WithCheckpointer(newMortal()))
	if _, err := g.Run(t.Context(), board{}, Thread("t"), RecursionLimit(2)); !errors.Is(err, ErrRecursionLimit) {
		t.Fatal(err)
	}
	s, err := g.Resume(t.Context(), "t", RecursionLimit(3))
	if err != nil || !slices.Equal(s.Log, []string{"a", "b", "c"}) {
		t.Fatalf("%v, %v", s.Log, err)
	}
	history, err := g.History(t.Context(), "t", 2)
	if err != nil || len(history) != 2 || history[0].Step != 3 || !slices.Equal(history[1].Nodes, []string{"b"}) {
		t.Fatalf("%+v, %v", history, err)
	}
}

// Two waiting joins into one node are distinct on the thread.
func TestJoinsIntoOneNodeWaitEachByItself(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a", "b", "c", "x")
	k.path(Start, "a", "b", "c")
	k.Join("x", "a", "b")
	k.Join("x", "a", "c")
	k.Edge("x", End)
	g := k.compile(WithCheckpointer(newMortal()))
	stops := StopAfter("a", "b", "c", "x")
	s, err := g.Run(t.Context(), board{}, Thread("t"), stops)
	for range 10 {
		if _, stopped := errors.AsType[*StoppedError](err); !stopped {
			break
		}
		s, err = g.Resume(t.Context(), "t", stops)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "x", "x"}, s.Log); err != nil || diff != "" {
		t.Fatalf("%v (-want +got)\n%s", err, diff)
	}
}

// A process dies in the second of three steps, when one of two tasks had
// finished: only the other is called again.
func TestAFinishedTaskSurvivesItsProcess(t *testing.T) {
	t.Parallel()
	var calls []string
	store, dead := newMortal(), false
	k := newKit(t)
	for _, name := range []string{"first", "done", "dies", "last"} {
		k.Node(name, func(*Context, board) (update, error) {
			calls = append(calls, name)
			if name == "dies" && !dead {
				dead = true
				store.give(0)
			}
			return k.log.Add(name), nil
		})
	}
	k.path(Start, "first", "done", "last", End)
	k.path("first", "dies", "last")
	g := k.compile(WithCheckpointer(store))
	if _, err := g.Run(t.Context(), board{}, Thread("t"), MaxConcurrency(1)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	calls = nil
	store.give(-1)
	s, err := g.Resume(t.Context(), "t", MaxConcurrency(1))
	if diff := cmp.Diff([]string{"first", "done", "dies", "last"}, s.Log); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"dies", "last"}, calls); diff != "" {
		t.Errorf("called again (-want +got)\n%s", diff)
	}
}
