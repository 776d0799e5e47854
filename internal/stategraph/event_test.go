package stategraph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/stategraph/emit"
)

func TestEventsTellTheRun(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("split", func(ctx *Context, _ board) (update, error) {
		ctx.Emit("progress", 1)
		ctx.Emit("progress", 2)
		return k.word.Set("x"), nil
	})
	task := Task(k.Builder, "work", func(ctx *Context, p int) (update, error) {
		if p == 2 && ctx.Attempt() == 1 {
			return update{}, errBroken
		}
		return k.log.Add(fmt.Sprint(p)), nil
	}, WithRetry(Retry{Attempts: 2}))
	k.Edge(Start, "split")
	k.Branch("split", "fan", func(*Context, board) (route, error) {
		return Choose[board]("and stop").And(Fan(task.Send(1), task.Send(2))), nil
	}, Case{"each", "work"}, Case{"and stop", End})
	k.Edge("work", End)
	r := &recorder{}
	k.run(r.observe(), MaxConcurrency(1))
	want := []string{
		"g run_start 0",
		"g step_start 1 split",
		"g node_start 1 split",
		"g custom 1 split progress 1",
		"g custom 1 split progress 2",
		`g node_end 1 split {"word":"x"}`,
		"g branch 1 fan and stop end",
		"g branch 1 fan each work",
		"g step_start 2 work",
		"g node_start 2 work",
		`g node_end 2 work {"log":["1"]}`,
		"g node_start 2 work",
		"g node_retry 2 work (g/work (step 2): broken)",
		"g node_start 2 work",
		`g node_end 2 work {"log":["2"]}`,
		"g run_end 2",
	}
	if diff := cmp.Diff(want, r.lines()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for i, e := range r.events {
		if e.Seq != i+1 {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
	}
	if each := r.events[7]; each.Label != "each" || each.Sends != 2 || r.events[6].Sends != 0 {
		t.Errorf("the decision for two sends is %+v", each)
	}
	if last := r.events[len(r.events)-2]; last.Task != 1 || last.Attempt != 2 {
		t.Errorf("the last end is of task %d, attempt %d, want 1 and 2", last.Task, last.Attempt)
	}
}

// TestWhatANodeCallsEmits passes on no more than a context, as a model's client
// gets it.
func TestWhatANodeCallsEmits(t *testing.T) {
	t.Parallel()
	k := alone(t, func(*kit) node1 {
		return func(ctx *Context, _ board) (update, error) {
			derived, cancel := context.WithCancel(ctx)
			defer cancel()
			emit.Emit(derived, "wait", 3)
			return update{}, nil
		}
	})
	r := &recorder{}
	k.run(r.observe())
	if diff := cmp.Diff([]string{"g custom 2 n wait 3"}, r.lines(Custom)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	emit.Emit(t.Context(), "wait", 3) // outside a node it goes nowhere
}

func TestEventsTellOfFailure(t *testing.T) {
	t.Parallel()
	k := alone(t, func(*kit) node1 { return func(*Context, board) (update, error) { return update{}, errBroken } })
	r := &recorder{}
	k.fails(r.observe())
	want := []string{"g node_error 2 n (g/n (step 2): broken)", "g run_end 2 (g/n (step 2): broken)"}
	if diff := cmp.Diff(want, r.lines(NodeFailed, RunEnd)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if !errors.Is(r.events[len(r.events)-1].Err, errBroken) {
		t.Error("the last event does not hold the error itself")
	}
}

func TestEventsHaveTimes(t *testing.T) {
	t.Parallel()
	clock := &stillClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	k := alone(t, func(*kit) node1 {
		return func(ctx *Context, _ board) (update, error) {
			if ctx.Attempt() == 1 {
				return update{}, errors.Join(errBroken, clock.Sleep(ctx, time.Second))
			}
			return update{}, clock.Sleep(ctx, 3*time.Second)
		}
	}, WithRetry(Retry{Attempts: 2, Backoff: 10 * time.Second}))
	r := &recorder{}
	began := clock.now
	k.run(r.observe(), Time(clock), Jitter(func() float64 { return 0 }))
	want := map[EventKind]time.Duration{NodeRetry: time.Second, NodeEnd: 3 * time.Second, RunEnd: 14 * time.Second}
	for _, e := range r.events {
		if e.Kind == NodeRetry && e.Pause != 10*time.Second {
			t.Errorf("the next attempt follows after %v", e.Pause)
		}
		if e.Node != "before" && e.Took != want[e.Kind] {
			t.Errorf("%s took %v, want %v", e.Kind, e.Took, want[e.Kind])
		}
	}
	if at := r.events[len(r.events)-1].At; at.Sub(began) != 14*time.Second {
		t.Errorf("the run ended at %v", at)
	}
}

func TestAnUpdateThatCannotBeShownIsMerged(t *testing.T) {
	t.Parallel()
	infinity := func() float64 { one, zero := 1.0, 0.0; return one / zero }()
	k := alone(t, func(k *kit) node1 { return func(*Context, board) (update, error) { return k.total.Add(infinity), nil } })
	r := &recorder{}
	s, err := k.compile().Run(t.Context(), board{}, r.observe())
	if err != nil || s.Total != infinity {
		t.Errorf("the run gave %v, %v: being observed changed it", s.Total, err)
	}
	if last := r.events[len(r.events)-2]; last.Kind != NodeEnd || last.Err == nil {
		t.Errorf("the end of the node is %s, want an error that says why it shows no update", line(last))
	}
}

func TestSeveralObserversSeeTheSame(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	k.path(Start, "a", End)
	one, two := &recorder{}, &recorder{}
	k.run(one.observe(), two.observe())
	if diff := cmp.Diff(one.lines(), two.lines()); diff != "" || len(one.events) == 0 {
		t.Errorf("%d events (-first +second):\n%s", len(one.events), diff)
	}
}

func TestNothingIsHeardAfterTheEnd(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	var kept *Context
	k.Node("a", func(ctx *Context, _ board) (update, error) { kept = ctx; return update{}, nil })
	k.path(Start, "a", End)
	r := &recorder{}
	k.run(r.observe())
	before := len(r.events)
	kept.Emit("late", 1)
	if len(r.events) != before {
		t.Error("an event came after the run's end")
	}
}

func TestContextOutsideARun(t *testing.T) {
	t.Parallel()
	var got []string
	ctx := NewContext(t.Context(), func(kind string, payload any) { got = append(got, fmt.Sprint(kind, payload)) })
	ctx.Emit("token", 1)
	if !slices.Equal(got, []string{"token1"}) || ctx.Attempt() != 1 {
		t.Errorf("emitted %v in attempt %d", got, ctx.Attempt())
	}
	NewContext(t.Context(), nil).Emit("token", 2) // goes nowhere
}

// Not parallel: allocations are counted over the whole process.
func TestUnobservedEventsCostNothing(t *testing.T) {
	ctx := &Context{Context: t.Context(), run: newHost(false, nil)}
	var payload any = "word"
	if n := testing.AllocsPerRun(100, func() { ctx.Emit("token", payload) }); n != 0 {
		t.Errorf("Emit allocates %v times when nobody listens", n)
	}
}

// Events that a node emits arrive in order, between its start and its end, while
// other nodes run.
func TestEventsOfANodeKeepTheirOrder(t *testing.T) {
	t.Parallel()
	const nodes, words = 8, 50
	k := newKit(t)
	for i := range nodes {
		name := fmt.Sprint("n", i)
		k.Node(name, func(ctx *Context, _ board) (update, error) {
			for word := range words {
				jitter()
				ctx.Emit("word", word)
			}
			return update{}, nil
		})
		k.path(Start, name, End)
	}
	r := &recorder{}
	k.run(r.observe())
	next := map[string]int{}
	for _, e := range r.events {
		switch e.Kind {
		case NodeStart:
			next[e.Node] = 0
		case Custom:
			if want, begun := next[e.Node]; !begun || e.Payload != want {
				t.Fatalf("%s says %v where %d was next (begun: %t)", e.Node, e.Payload, want, begun)
			}
			next[e.Node]++
		case NodeEnd:
			if next[e.Node] != words {
				t.Errorf("%s ended after %d words", e.Node, next[e.Node])
			}
		}
	}
}
