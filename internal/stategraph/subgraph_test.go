package stategraph

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inner builds a graph of the nodes x and y. y returns err.
func inner(t testing.TB, err error) *Graph[board] {
	k := newKit(t)
	k.logs("x")
	k.Node("y", func(ctx *Context, s board) (update, error) {
		ctx.Emit("note", "from within")
		return k.word.Set(s.Word + "?"), err
	})
	k.path(Start, "x", "y", End)
	return k.compile()
}

// outer builds a graph that runs g between two nodes and takes only the word from it.
func outer(t testing.TB, g *Graph[board], opts ...NodeOption) *kit {
	k := newKit(t)
	k.logs("a", "b")
	in := func(s board) board { return board{Word: fmt.Sprint(len(s.Log))} }
	out := func(_ board, last board) update { return k.word.Set(last.Word) }
	Subgraph(k.Builder, "sub", g, in, out, opts...)
	k.path(Start, "a", "sub", "b", End)
	return k
}

func TestASubgraphHandsBackWhatItMaps(t *testing.T) {
	t.Parallel()
	s := outer(t, inner(t, nil)).run()
	if s.Word != "1?" {
		t.Errorf("word is %q, want 1?", s.Word)
	}
	wantLog(t, s, "a", "b") // the inner log stays inside
}

func TestSubgraphEventsCarryThePath(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	Subgraph(k.Builder, "deep", outer(t, inner(t, nil)).compile(), func(s board) board { return s }, func(_, last board) update { return k.word.Set(last.Word) })
	k.path(Start, "deep", End)
	r := &recorder{}
	k.run(r.observe())
	want := []string{
		"g run_start 0",
		"g node_start 1 deep",
		"g/deep run_start 0",
		"g/deep node_start 1 a",
		"g/deep node_start 2 sub",
		"g/deep/sub run_start 0",
		"g/deep/sub node_start 1 x",
		"g/deep/sub node_start 2 y",
		"g/deep/sub custom 2 y note from within",
		"g/deep/sub run_end 2",
		"g/deep node_start 3 b",
		"g/deep run_end 3",
		"g run_end 1",
	}
	if diff := cmp.Diff(want, r.lines(RunStart, NodeStart, Custom, RunEnd)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for i, e := range r.events {
		if e.Seq != i+1 {
			t.Fatalf("event %d has number %d: numbers run through subgraphs", i+1, e.Seq)
		}
	}
}

func TestSubgraphErrorsCarryThePath(t *testing.T) {
	t.Parallel()
	_, err := outer(t, inner(t, errBroken)).fails()
	var failure *NodeError
	if !errors.As(err, &failure) || !errors.Is(err, errBroken) {
		t.Fatalf("error is %v, want a NodeError around %v", err, errBroken)
	}
	if !slices.Equal(failure.Path, []string{"g", "sub"}) || failure.Node != "y" {
		t.Errorf("it names %v and %q, want g/sub and y", failure.Path, failure.Node)
	}
	wantText(t, err, "g/sub/y (step 2): broken")
}

func TestASubgraphIsTriedAgainAsAWhole(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	k := newKit(t)
	k.logs("x")
	k.Node("flaky", func(*Context, board) (update, error) {
		if calls.Add(1) < 3 {
			return update{}, errBroken
		}
		return k.word.Set("at last"), nil
	})
	k.path(Start, "x", "flaky", End)
	s := outer(t, k.compile(), WithRetry(Retry{Attempts: 3})).run()
	if s.Word != "at last" || calls.Load() != 3 {
		t.Errorf("word is %q after %d calls", s.Word, calls.Load())
	}
}

func TestASubgraphCountsItsOwnSteps(t *testing.T) {
	t.Parallel()
	outer(t, inner(t, nil), WithRecursionLimit(2)).run(RecursionLimit(3))
	_, err := outer(t, inner(t, nil), WithRecursionLimit(1)).fails(RecursionLimit(3))
	if !errors.Is(err, ErrRecursionLimit) {
		t.Errorf("error is %v, want %v", err, ErrRecursionLimit)
	}
	wantText(t, err, "g/sub (step 2)")
}

func TestSubgraphConflictsNameThePath(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, name := range []string{"p", "q"} {
		k.Node(name, func(*Context, board) (update, error) { return k.word.Set(name), nil })
		k.path(Start, name, End)
	}
	_, err := outer(t, k.compile()).fails()
	wantText(t, err, "g/sub", `nodes "p" and "q"`)
}

// The limit holds over all graphs of a run, and a subgraph does not take a slot that
// its nodes need.
func TestMaxConcurrencyHoldsOverSubgraphs(t *testing.T) {
	t.Parallel()
	var working, most atomic.Int64
	in := newKit(t)
	task := Task(in.Builder, "t", func(*Context, int) (update, error) {
		n := working.Add(1)
		defer working.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		for range 10 {
			runtime.Gosched()
		}
		return in.total.Add(1), nil
	})
	in.Branch(Start, "fan", func(*Context, board) (route, error) {
		return Fan(slices.Repeat([]Send[board]{task.Send(1)}, 20)...), nil
	}, Case{"each", "t"})
	in.Edge("t", End)
	g := in.compile()
	for _, limit := range []int{1, 3} {
		most.Store(0)
		k := newKit(t)
		for i := range 5 {
			name := fmt.Sprint("s", i)
			Subgraph(k.Builder, name, g, func(s board) board { return s }, func(_, last board) update { return k.total.Add(last.Total) })
			k.path(Start, name, End)
		}
		s := k.run(MaxConcurrency(limit))
		if s.Total != 100 || most.Load() > int64(limit) {
			t.Errorf("%v tasks ran, %d at a time, want 100 and at most %d", s.Total, most.Load(), limit)
		}
	}
}
