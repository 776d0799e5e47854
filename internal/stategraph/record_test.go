package stategraph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// written renders a record for these tests.
func written(r Record) string {
	if r.Kind == RecordEvent {
		return "event " + string(r.Event.Kind) + " " + r.Event.Node
	}
	return string(r.Kind)
}

// batches is a checkpointer that reports the records of each write.
type batches struct {
	*mortal
	hook func(records []Record)
}

func (b *batches) Append(ctx context.Context, thread string, token int64, records []Record) error {
	err := b.mortal.Append(ctx, thread, token, records)
	if err == nil {
		b.hook(records)
	}
	return err
}

func TestAnEventIsWrittenWithWhatItTellsOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testAnEventIsWrittenWithWhatItTellsOf)
}

func testAnEventIsWrittenWithWhatItTellsOf(t *testing.T) {
	k := newKit(t)
	k.logs("a")
	k.Edge(Start, "a")
	k.Edge("a", End)
	var wrote, seen []string
	store := &batches{newMortal(), func(records []Record) {
		for _, r := range records {
			wrote = append(wrote, written(r))
		}
		wrote = append(wrote, "|")
	}}
	_, err := k.compile(WithCheckpointer(store)).Run(t.Context(), board{}, Thread("t"),
		Recorded(func(e Event) bool { return e.Kind != StepStart && e.Kind != Saved }),
		Observe(func(e Event) {
			if e.Recorded {
				seen = append(seen, string(e.Kind))
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"event run_start ", "snapshot", "|", "event node_start a", "event node_end a", "plan", "|", "event run_end ", "end", "|",
	}
	if diff := cmp.Diff(want, wrote); diff != "" {
		t.Errorf("written together (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"run_start", "node_start", "node_end", "run_end"}, seen); diff != "" {
		t.Errorf("observed as recorded (-want +got)\n%s", diff)
	}
}

// TestAnEventIsWrittenWhileItsNodeWorks: the node ends only when its start is on
// the thread.
func TestAnEventIsWrittenWhileItsNodeWorks(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	k := newKit(t)
	k.Node("a", func(*Context, board) (state.Update[board], error) {
		<-started
		return state.Update[board]{}, nil
	})
	k.Edge(Start, "a")
	k.Edge("a", End)
	store := &batches{newMortal(), func(records []Record) {
		for _, r := range records {
			if written(r) == "event node_start a" {
				close(started)
			}
		}
	}}
	if _, err := k.compile(WithCheckpointer(store)).Run(t.Context(), board{}, Thread("t"), Recorded(func(Event) bool { return true })); err != nil {
		t.Fatal(err)
	}
}

// TestEventsOfOneMomentShareAWrite: of many tasks that start together and report
// something, few writes come.
func TestEventsOfOneMomentShareAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t)
		var names []string
		for i := range 20 {
			names = append(names, fmt.Sprint("n", i))
			k.Node(names[i], func(ctx *Context, _ board) (state.Update[board], error) {
				ctx.Emit("noticed", i)
				time.Sleep(time.Second)
				return state.Update[board]{}, nil
			})
			k.Edge(Start, names[i])
			k.Edge(names[i], End)
		}
		before := 0
		var seen []int
		store := &batches{newMortal(), func([]Record) {
			if len(seen) < len(names) {
				before++
			}
		}}
		_, err := k.compile(WithCheckpointer(store)).Run(t.Context(), board{}, Thread("t"), Recorded(func(Event) bool { return true }), Observe(func(e Event) {
			if e.Kind == Custom {
				seen = append(seen, e.Seq)
			}
		}))
		if err != nil || len(seen) != len(names) || !slices.IsSorted(seen) {
			t.Errorf("error %v, noticed %v", err, seen)
		}
		if before != 2 { // the snapshot, and what 20 nodes said
			t.Errorf("%d writes", before)
		}
	})
}

// TestTasksSideBySideShareAWrite runs tasks one after the other within a moment, and
// decides what follows only when all are written.
func TestTasksSideBySideShareAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t)
		for i := range 8 {
			name := fmt.Sprint("n", i)
			k.logs(name)
			k.Edge(Start, name)
			k.Edge(name, "last")
		}
		k.logs("last")
		k.Edge("last", End)
		var ends []int // of each write
		ended := 0
		store := &batches{newMortal(), func(records []Record) {
			n := 0
			for _, r := range records {
				if r.Kind == RecordEvent && r.Event.Kind == NodeEnd {
					n++
				}
			}
			if n > 0 {
				ends = append(ends, n)
			}
			if n == 1 && ended != 8 {
				t.Errorf("the last node ended when %d others were told to have", ended)
			}
		}}
		_, err := k.compile(WithCheckpointer(store)).Run(t.Context(), board{}, Thread("t"), MaxConcurrency(1), Recorded(func(Event) bool { return true }), Observe(func(e Event) {
			if e.Kind == NodeEnd {
				ended++
			}
		}))
		if err != nil || ended != 9 || !slices.Equal(ends, []int{8, 1}) {
			t.Errorf("error %v, %d nodes ended in writes of %v", err, ended, ends)
		}
	})
}

// TestTraceAndThreadNeverDisagree kills a run at each of its writes: the thread has
// the updates of exactly the nodes whose end was recorded.
func TestTraceAndThreadNeverDisagree(t *testing.T) {
	t.Parallel()
	for lives := range 16 {
		k := newKit(t)
		for _, name := range []string{"a", "b", "c"} {
			k.logs(name)
			k.Edge(Start, name)
			k.Edge(name, "last")
		}
		k.logs("last")
		k.Edge("last", End)
		store := newMortal()
		store.give(lives)
		observed := 0
		g := k.compile(WithCheckpointer(store))
		_, err := g.Run(t.Context(), board{}, Thread("t"), Recorded(func(Event) bool { return true }), Observe(func(e Event) {
			if e.Kind == NodeEnd {
				observed++
			}
		}))
		if store.lives == 0 && err != nil && !errors.Is(err, errKilled) {
			t.Fatalf("%d writes: %v", lives, err)
		}
		updates, ends := 0, 0
		for _, r := range store.threads["t"] {
			switch {
			case r.Kind == RecordWrite, r.Kind == RecordPlan && r.Step == 2:
				updates++
			case r.Kind == RecordEvent && r.Event.Kind == NodeEnd:
				ends++
			}
		}
		if updates != ends || observed != ends {
			t.Errorf("%d writes: %d updates, %d ends recorded, %d observed", lives, updates, ends, observed)
		}
		if err == nil && ends != 4 {
			t.Errorf("%d writes: the run ended with %d ends", lives, ends)
		}
	}
}

// slowChain is a graph of three nodes, each of which takes a while and notes its name.
func slowChain(t *testing.T, took time.Duration, called *[]string) *kit {
	k := newKit(t)
	before := Start
	for _, name := range []string{"a", "b", "c"} {
		k.Node(name, func(*Context, board) (state.Update[board], error) {
			*called = append(*called, name)
			time.Sleep(took)
			return k.log.Add(name), nil
		})
		k.Edge(before, name)
		before = name
	}
	k.Edge(before, End)
	return k
}

// TestAGatheredRunGoesOnWhileItIsWritten: nodes of one moment share a write, nothing is
// told before it is written, and the run ends when all is.
func TestAGatheredRunGoesOnWhileItIsWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var called, wrote, told []string
		k := slowChain(t, 8*time.Millisecond, &called)
		store := &batches{newMortal(), func(records []Record) {
			for _, r := range records {
				if r.Kind == RecordEvent && r.Event.Kind == NodeEnd {
					wrote = append(wrote, r.Event.Node)
				}
			}
			wrote = append(wrote, "|")
		}}
		got, err := k.compile(WithCheckpointer(store)).Run(t.Context(), board{}, Thread("t"), Gathered(20*time.Millisecond), Recorded(func(Event) bool { return true }), Observe(func(e Event) {
			if told = append(told, string(e.Kind)+e.Node); e.Kind == NodeEnd && !slices.Contains(wrote, e.Node) {
				t.Errorf("the end of %s was told before it was written", e.Node)
			}
		}))
		if err != nil || !slices.Equal(got.Log, called) || !slices.Equal(wrote, []string{"a", "b", "|", "c", "|"}) || told[len(told)-1] != string(RunEnd) {
			t.Errorf("error %v, log %v, written %v, told %v", err, got.Log, wrote, told)
		}
	})
}

// TestAGatheredRunThatIsKilledGoesOn kills a run at each of its writes.
func TestAGatheredRunThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	for lives := range 4 {
		synctest.Test(t, func(t *testing.T) {
			var called []string
			k := slowChain(t, 12*time.Millisecond, &called)
			store := newMortal()
			g := k.compile(WithCheckpointer(store))
			run := func() (board, error) {
				return g.Run(t.Context(), board{}, Thread("t"), OrResume(), Gathered(20*time.Millisecond), Recorded(func(Event) bool { return true }))
			}
			store.give(lives)
			got, err := run()
			if err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			store.give(-1)
			if got, err = run(); err != nil || !slices.Equal(got.Log, []string{"a", "b", "c"}) {
				t.Errorf("%d writes: error %v, log %v", lives, err, got.Log)
			}
		})
	}
}

// TestNothingBeforeAFlushIsCalledAgain kills a gathered run in a node that has flushed it.
func TestNothingBeforeAFlushIsCalledAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var called []string
		store, k := newMortal(), slowChain(t, time.Millisecond, &called)
		k.Node("last", func(ctx *Context, _ board) (state.Update[board], error) {
			called = append(called, "last")
			if err := ctx.Flush(); err != nil {
				return state.Update[board]{}, err
			}
			store.give(0)
			return k.log.Add("last"), nil
		})
		k.Edge("c", "last")
		k.Edge("last", End)
		g := k.compile(WithCheckpointer(store))
		run := func() (board, error) {
			return g.Run(t.Context(), board{}, Thread("t"), OrResume(), Gathered(time.Second), Recorded(func(Event) bool { return true }))
		}
		if _, err := run(); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		called = nil
		store.give(-1)
		got, err := run()
		if !errors.Is(err, errKilled) || !slices.Equal(called, []string{"last"}) {
			t.Errorf("error %v, called %v, log %v", err, called, got.Log)
		}
	})
}

// TestAGatheredRunThatCannotBeWrittenStops before its next super-step.
func TestAGatheredRunThatCannotBeWrittenStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var called []string
		k := slowChain(t, time.Second, &called)
		store := newMortal()
		store.give(0)
		_, err := k.compile(WithCheckpointer(store)).Run(t.Context(), board{}, Thread("t"), Gathered(20*time.Millisecond), Recorded(func(Event) bool { return true }))
		if !errors.Is(err, errKilled) || !slices.Equal(called, []string{"a"}) {
			t.Errorf("error %v, called %v", err, called)
		}
	})
}

func TestAQuestionIsWrittenWithItsEvent(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	var together bool
	store := &batches{newMortal(), func(records []Record) {
		for i, r := range records {
			if r.Kind == RecordInterrupt {
				together = i > 0 && written(records[i-1]) == "event interrupt "+r.ID[2:3]
			}
		}
	}}
	_, err := asking(newKit(t), &calls, store).Run(t.Context(), board{}, Thread("t"), Recorded(func(Event) bool { return true }))
	if len(ids(t, err)) != 2 || !together {
		t.Errorf("the last question was written with its event: %t", together)
	}
}

func TestRecordedEventsNeedAThread(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	k.Edge(Start, "a")
	k.Edge("a", End)
	if _, err := k.compile().Run(t.Context(), board{}, Recorded(func(Event) bool { return true })); err == nil {
		t.Error("a run without a thread records events")
	}
}
