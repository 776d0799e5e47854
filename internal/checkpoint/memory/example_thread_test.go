package memory_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// steps is first → second, where second fails as often as it is told to.
func steps(store stategraph.Checkpointer, failures int) *stategraph.Graph[order] {
	b := stategraph.New("steps", orders)
	b.Node("first", func(*stategraph.Context, order) (state.Update[order], error) {
		fmt.Println("first is called")
		return log.Add("first"), nil
	})
	b.Node("second", func(*stategraph.Context, order) (state.Update[order], error) {
		if failures--; failures >= 0 {
			return state.Update[order]{}, errors.New("the shop is closed")
		}
		return log.Add("second"), nil
	})
	b.Edge(stategraph.Start, "first")
	b.Edge("first", "second")
	b.Edge("second", stategraph.End)
	g, err := b.Compile(stategraph.WithCheckpointer(store))
	if err != nil {
		panic(err)
	}
	return g
}

// What had finished is not called again.
func ExampleNew_resume() {
	ctx, g := context.Background(), steps(memory.New(time.Now), 1)
	_, err := g.Run(ctx, order{}, stategraph.Thread("t"))
	fmt.Println(err)
	s, err := g.Resume(ctx, "t")
	fmt.Println(s.Log, err)
	// Output:
	// first is called
	// steps/second (step 2): the shop is closed
	// [first second] <nil>
}

// A run stops before a node, and goes on when it is resumed.
func ExampleNew_stop() {
	ctx, g := context.Background(), steps(memory.New(time.Now), 0)
	s, err := g.Run(ctx, order{}, stategraph.Thread("t"), stategraph.StopBefore("second"))
	fmt.Println(s.Log, err)
	s, err = g.Resume(ctx, "t")
	fmt.Println(s.Log, err)
	// Output:
	// first is called
	// [first] stopped before second in step 2
	// [first second] <nil>
}

// A thread tells the newest of its steps first, with the state after each.
func ExampleNew_history() {
	ctx, g := context.Background(), steps(memory.New(time.Now), 0)
	if _, err := g.Run(ctx, order{}, stategraph.Thread("t")); err != nil {
		fmt.Println(err)
	}
	history, err := g.History(ctx, "t", 10)
	for _, c := range history {
		fmt.Println(c.Step, c.Nodes, c.State.Log)
	}
	fmt.Println(err)
	// Output:
	// first is called
	// 2 [second] [first second]
	// 1 [first] [first]
	// 0 [start] []
	// <nil>
}

// Threads go when nobody has written to them for long, but for those that wait
// for an answer.
func ExampleCheckpointer_Prune() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	store := memory.New(func() time.Time { return now })
	ctx := context.Background()
	if _, err := steps(store, 0).Run(ctx, order{}, stategraph.Thread("done")); err != nil {
		fmt.Println(err)
	}
	b := stategraph.New("asking", orders)
	b.Node("ask", func(ctx *stategraph.Context, _ order) (state.Update[order], error) {
		yes, err := stategraph.Interrupt[bool](ctx, "Go on?")
		return approved.Set(yes), err
	}, stategraph.MayInterrupt())
	b.Edge(stategraph.Start, "ask")
	b.Edge("ask", stategraph.End)
	asking, err := b.Compile(stategraph.WithCheckpointer(store))
	if err != nil {
		fmt.Println(err)
	}
	_, err = asking.Run(ctx, order{}, stategraph.Thread("asking"))
	fmt.Println(errors.As(err, new(*stategraph.InterruptedError)))

	now = now.AddDate(0, 2, 0)
	fmt.Println(store.Prune(ctx, now.AddDate(0, -1, 0)))
	_, err = asking.StateAt(ctx, "asking", 0)
	fmt.Println(err)
	// Output:
	// first is called
	// true
	// 1 <nil>
	// <nil>
}

// What a run tells of itself is kept with what it has done.
func ExampleCheckpointer_Events() {
	store := memory.New(time.Now)
	_, err := steps(store, 0).Run(context.Background(), order{}, stategraph.Thread("t"),
		stategraph.Recorded(func(e stategraph.Event) bool { return e.Kind == stategraph.NodeEnd }))
	for _, e := range store.Events("t") {
		fmt.Println(e.Node, string(e.Update))
	}
	fmt.Println(err)
	// Output:
	// first is called
	// first {"log":["first"]}
	// second {"log":["second"]}
	// <nil>
}
