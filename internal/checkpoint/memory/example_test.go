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

// ordering is choose → approve → buy, where approve asks a person.
func ordering() *stategraph.Graph[order] {
	b := stategraph.New("ordering", orders)
	b.Node("choose", func(*stategraph.Context, order) (state.Update[order], error) {
		return state.Merge(item.Set("lamp"), log.Add("chose")), nil
	})
	b.Node("approve", func(ctx *stategraph.Context, s order) (state.Update[order], error) {
		yes, err := stategraph.Interrupt[bool](ctx, "Buy a "+s.Item+"?")
		return approved.Set(yes), err
	}, stategraph.MayInterrupt())
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
	g, err := b.Compile(stategraph.WithCheckpointer(memory.New(time.Now)))
	if err != nil {
		panic(err)
	}
	return g
}

// A node asks, the run ends, and goes on with the answer.
func ExampleNew_interrupt() {
	ctx, g := context.Background(), ordering()
	_, err := g.Run(ctx, order{}, stategraph.Thread("order 1"))
	var asked *stategraph.InterruptedError
	if errors.As(err, &asked) {
		fmt.Printf("%s: %s\n", asked.Questions[0].Node, asked.Questions[0].Payload)
	}
	s, err := g.Resume(ctx, "order 1", stategraph.Answer(asked.Questions[0].ID, true))
	fmt.Println(s.Log, err)
	// Output:
	// approve: "Buy a lamp?"
	// [chose bought a lamp] <nil>
}

// A run can be read at each of its steps, and forked from any with an edited
// state.
func ExampleNew_fork() {
	ctx, g := context.Background(), ordering()
	_, err := g.Run(ctx, order{}, stategraph.Thread("order 1"), stategraph.StopAfter("choose"))
	fmt.Println(err)
	s, _ := g.StateAt(ctx, "order 1", 1)
	fmt.Println(s.Item)
	if err := g.Fork(ctx, "order 1", 1, "order 2", func(s *order) { s.Item = "chair" }); err != nil {
		fmt.Println(err)
	}
	_, err = g.Resume(ctx, "order 2")
	var asked *stategraph.InterruptedError
	if errors.As(err, &asked) {
		fmt.Printf("%s\n", asked.Questions[0].Payload)
	}
	s, _ = g.Resume(ctx, "order 2", stategraph.Answer(asked.Questions[0].ID, true))
	fmt.Println(s.Log)
	history, _ := g.History(ctx, "order 2", 2)
	for _, c := range history {
		fmt.Println(c.Step, c.Nodes)
	}
	// Output:
	// stopped after choose in step 1
	// lamp
	// "Buy a chair?"
	// [chose bought a chair]
	// 3 [buy]
	// 2 [approve]
}
