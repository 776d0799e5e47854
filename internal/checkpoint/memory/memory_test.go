package memory_test

import (
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
	token, err := c.Acquire(t.Context(), "t", time.Minute, false)
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

func TestASecondRunOfAThreadIsRefused(t *testing.T) {
	t.Parallel()
	var g *stategraph.Graph[order]
	var second error
	b := stategraph.New("ordering", orders)
	b.Node("choose", func(ctx *stategraph.Context, _ order) (state.Update[order], error) {
		_, second = g.Resume(ctx, "order 1")
		return log.Add("chose"), nil
	})
	b.Edge(stategraph.Start, "choose")
	b.Edge("choose", stategraph.End)
	g, err := b.Compile(stategraph.WithCheckpointer(memory.New(time.Now)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Run(t.Context(), order{}, stategraph.Thread("order 1"))
	if err != nil || len(s.Log) != 1 {
		t.Errorf("the first run came to %v, %v", s.Log, err)
	}
	if !errors.Is(second, stategraph.ErrThreadBusy) {
		t.Errorf("the second got %v, want ErrThreadBusy", second)
	}
}
