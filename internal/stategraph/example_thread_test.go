package stategraph_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

type order struct {
	Item     string   `json:"item"`
	Approved bool     `json:"approved"`
	Log      []string `json:"log"`
}

var (
	orders   = state.NewSchema[order](1)
	item     = state.Replace(orders, "item", func(s *order) *string { return &s.Item })
	approved = state.Replace(orders, "approved", func(s *order) *bool { return &s.Approved })
	log      = state.Append(orders, "log", func(s *order) *[]string { return &s.Log })
)

// approval builds a graph of one node that asks a person.
func approval(opts ...stategraph.CompileOption) *stategraph.Graph[order] {
	b := stategraph.New("approval", orders)
	b.Node("approve", func(ctx *stategraph.Context, s order) (state.Update[order], error) {
		yes, err := stategraph.Interrupt[bool](ctx, "Buy a "+s.Item+"?")
		return approved.Set(yes), err
	}, stategraph.MayInterrupt())
	b.Edge(stategraph.Start, "approve")
	b.Edge("approve", stategraph.End)
	g, err := b.Compile(opts...)
	if err != nil {
		panic(err)
	}
	return g
}

// ordering builds choose → approve → buy.
func ordering(opts ...stategraph.CompileOption) *stategraph.Graph[order] {
	b := stategraph.New("ordering", orders)
	b.Node("choose", func(*stategraph.Context, order) (state.Update[order], error) {
		return state.Merge(item.Set("lamp"), log.Add("chose")), nil
	})
	stategraph.Subgraph(b, "approve", approval(stategraph.AsSubgraph()),
		func(s order) order { return s },
		func(_, s order) state.Update[order] { return approved.Set(s.Approved) })
	b.Node("buy", func(_ *stategraph.Context, s order) (state.Update[order], error) {
		return log.Add("bought a " + s.Item), nil
	})
	b.Edge(stategraph.Start, "choose")
	b.Edge("choose", "approve")
	b.Branch("approve", "decide", func(_ *stategraph.Context, s order) (stategraph.Route[order], error) {
		if s.Approved {
			return stategraph.Choose[order]("yes"), nil
		}
		return stategraph.Choose[order]("no"), nil
	}, stategraph.Case{Label: "yes", Target: "buy"}, stategraph.Case{Label: "no", Target: stategraph.End})
	b.Edge("buy", stategraph.End)
	g, err := b.Compile(opts...)
	if err != nil {
		panic(err)
	}
	return g
}

// steps builds first → second, where second fails the given number of times.
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

// A node asks, the run ends, and continues with the answer.
func ExampleInterrupt() {
	ctx, g := context.Background(), approval(stategraph.WithCheckpointer(memory.New(time.Now)))
	_, err := g.Run(ctx, order{Item: "lamp"}, stategraph.Thread("order 1"))
	var asked *stategraph.InterruptedError
	if errors.As(err, &asked) {
		fmt.Printf("%s: %s\n", asked.Questions[0].Node, asked.Questions[0].Payload)
	}
	s, err := g.Resume(ctx, "order 1", stategraph.Answer(asked.Questions[0].ID, true))
	fmt.Println(s.Approved, err)
	// Output:
	// approve: "Buy a lamp?"
	// true <nil>
}

// A subgraph asks. The outer graph's checkpointer keeps the question, and the
// run continues inside the subgraph.
func ExampleAsSubgraph() {
	ctx, g := context.Background(), ordering(stategraph.WithCheckpointer(memory.New(time.Now)))
	_, err := g.Run(ctx, order{}, stategraph.Thread("order 1"))
	fmt.Println(errors.As(err, new(*stategraph.InterruptedError)))
	questions, _ := g.Questions(ctx, "order 1")
	fmt.Println(questions[0].Path, string(questions[0].Payload))
	s, err := g.Resume(ctx, "order 1", stategraph.Answer(questions[0].ID, true))
	fmt.Println(s.Log, err)
	// Output:
	// true
	// [ordering approve] "Buy a lamp?"
	// [chose bought a lamp] <nil>
}

// A fork begins at any step of a thread, with an edited state.
func ExampleGraph_Fork() {
	ctx, g := context.Background(), ordering(stategraph.WithCheckpointer(memory.New(time.Now)))
	_, err := g.Run(ctx, order{}, stategraph.Thread("order 1"), stategraph.StopAfter("choose"))
	fmt.Println(err)
	if err := g.Fork(ctx, "order 1", 1, "order 2", func(s *order) { s.Item = "chair" }); err != nil {
		fmt.Println(err)
	}
	_, err = g.Resume(ctx, "order 2")
	var asked *stategraph.InterruptedError
	if errors.As(err, &asked) {
		fmt.Printf("%s\n", asked.Questions[0].Payload)
	}
	s, _ := g.Resume(ctx, "order 2", stategraph.Answer(asked.Questions[0].ID, true))
	fmt.Println(s.Log)
	// Output:
	// stopped after choose in step 1
	// "Buy a chair?"
	// [chose bought a chair]
}

func ExampleGraph_StateAt() {
	ctx, g := context.Background(), steps(memory.New(time.Now), 0)
	if _, err := g.Run(ctx, order{}, stategraph.Thread("t")); err != nil {
		fmt.Println(err)
	}
	s, err := g.StateAt(ctx, "t", 1)
	fmt.Println(s.Log, err)
	// Output:
	// first is called
	// [first] <nil>
}

func ExampleGraph_History() {
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

// Nodes that finished are not called again.
func ExampleGraph_Resume() {
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

func ExampleStopBefore() {
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

func ExampleStopAfter() {
	ctx, g := context.Background(), steps(memory.New(time.Now), 0)
	s, err := g.Run(ctx, order{}, stategraph.Thread("t"), stategraph.StopAfter("first"))
	fmt.Println(s.Log, err)
	// Output:
	// first is called
	// [first] stopped after first in step 1
}

// Pruning deletes threads that were not written to lately, except those that
// wait for an answer.
func ExampleCheckpointer() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	store := memory.New(func() time.Time { return now })
	ctx := context.Background()
	if _, err := steps(store, 0).Run(ctx, order{}, stategraph.Thread("done")); err != nil {
		fmt.Println(err)
	}
	asking := approval(stategraph.WithCheckpointer(store))
	_, err := asking.Run(ctx, order{}, stategraph.Thread("asking"))
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

// Recorded events are stored with what they report.
func ExampleRecorded() {
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
