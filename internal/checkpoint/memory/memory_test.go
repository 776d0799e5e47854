package memory_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/checkpoint/checkpointtest"
	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(_ *testing.T, now func() time.Time) stategraph.Checkpointer { return memory.New(now) })
}

func TestEventsAreNoPartOfAThread(t *testing.T) {
	t.Parallel()
	c := memory.New(time.Now)
	token, err := c.Acquire(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	records := []stategraph.Record{
		{Kind: stategraph.RecordSnapshot}, {Kind: stategraph.RecordEvent, Event: &stategraph.Event{Kind: stategraph.RunStart}},
	}
	if err := c.Append(t.Context(), "t", token, records); err != nil {
		t.Fatal(err)
	}
	if got, err := checkpointtest.Records(c.Load(t.Context(), "t", "", 9, 9)); err != nil || len(got) != 1 || got[0].Kind != stategraph.RecordSnapshot {
		t.Errorf("the thread has %v, %v; want its snapshot", got, err)
	}
	if told := c.Events("t"); len(told) != 1 || told[0].Kind != stategraph.RunStart {
		t.Errorf("the thread recorded %v, want the start of its run", told)
	}
	if told := c.Events("another"); told != nil {
		t.Errorf("a thread that was never begun recorded %v", told)
	}
}

// While a run is at work, another opens its thread and completes it. The first
// can't write any more and fails.
func TestARunWhoseThreadIsTakenOverStops(t *testing.T) {
	t.Parallel()
	var g stategraph.Runnable[order]
	g = choosing(t, func(ctx context.Context) {
		if s, err := g.Resume(ctx, "order 1"); err != nil || len(s.Log) != 1 {
			t.Errorf("the second run came to %v, %v", s.Log, err)
		}
	})
	_, err := g.Run(t.Context(), order{}, stategraph.Thread("order 1"))
	if !errors.Is(err, stategraph.ErrThreadTaken) {
		t.Errorf("the first run got %v, want ErrThreadTaken", err)
	}
	if s, err := g.StateAt(t.Context(), "order 1", 1); err != nil || len(s.Log) != 1 {
		t.Errorf("the thread holds %v, %v; want the second run's only step", s.Log, err)
	}
}

// Beginning a thread that is begun already is refused, and leaves it to its run.
func TestASecondRunOfAThreadIsRefused(t *testing.T) {
	t.Parallel()
	var g stategraph.Runnable[order]
	g = choosing(t, func(ctx context.Context) {
		if _, err := g.Run(ctx, order{}, stategraph.Thread("order 1")); !errors.Is(err, stategraph.ErrThreadExists) {
			t.Errorf("the second run got %v, want ErrThreadExists", err)
		}
		if err := g.Fork(ctx, "order 1", 0, "order 1", nil); !errors.Is(err, stategraph.ErrThreadExists) {
			t.Errorf("the fork got %v, want ErrThreadExists", err)
		}
	})
	s, err := g.Run(t.Context(), order{}, stategraph.Thread("order 1"))
	if err != nil || len(s.Log) != 1 {
		t.Errorf("the first run came to %v, %v", s.Log, err)
	}
}

type order struct {
	Log []string `json:"log"`
}

// choosing returns a graph of one node that calls meanwhile the first time.
func choosing(t *testing.T, meanwhile func(context.Context)) stategraph.Runnable[order] {
	t.Helper()
	orders := state.NewSchema[order](1)
	log := state.Append(orders, "log", func(s *order) *[]string { return &s.Log })
	called := false
	b := stategraph.New("ordering", orders)
	b.Node("choose", func(ctx *stategraph.Context, _ order) (state.Update[order], error) {
		if !called {
			called = true
			meanwhile(ctx)
		}
		return log.Add("chose"), nil
	})
	b.Edge(stategraph.Start, "choose")
	b.Edge("choose", stategraph.End)
	g, err := b.Compile(stategraph.WithCheckpointer(memory.New(time.Now)))
	if err != nil {
		t.Fatal(err)
	}
	return g
}
