package stategraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is what the examples work on.
type State struct {
	Question string   `json:"question"`
	Found    []string `json:"found"`
	Grades   []Grade  `json:"grades"`
	Loops    int      `json:"loops"`
}

type Grade struct {
	Document string `json:"document"`
	Good     bool   `json:"good"`
}

type Update = state.Update[State]

var (
	schema   = state.NewSchema[State](1)
	question = state.Replace(schema, "question", func(s *State) *string { return &s.Question })
	found    = state.Append(schema, "found", func(s *State) *[]string { return &s.Found })
	grades   = state.Upsert(schema, "grades", func(s *State) *[]Grade { return &s.Grades }, func(g Grade) string { return g.Document })
	loops    = state.Sum(schema, "loops", func(s *State) *int { return &s.Loops })
)

func ask(_ *stategraph.Context, s State) (Update, error) {
	return question.Set(strings.TrimSpace(s.Question)), nil
}

func retrieve(_ *stategraph.Context, s State) (Update, error) {
	return found.Add("on " + s.Question), nil
}

func compile(b *stategraph.Builder[State]) *stategraph.Graph[State] {
	g, err := b.Compile()
	if err != nil {
		panic(err) // examples are fixed graphs
	}
	return g
}

func Example() {
	b := stategraph.New("answer", schema)
	b.Node("ask", ask)
	b.Node("retrieve", retrieve)
	b.Edge(stategraph.Start, "ask")
	b.Edge("ask", "retrieve")
	b.Edge("retrieve", stategraph.End)

	s, err := compile(b).Run(context.Background(), State{Question: " bees "})
	fmt.Println(s.Question, s.Found, err)
	// Output: bees [on bees] <nil>
}

func ExampleBuilder_Branch() {
	b := stategraph.New("answer", schema)
	b.Node("retrieve", func(*stategraph.Context, State) (Update, error) { return loops.Add(1), nil })
	b.Node("generate", ask)
	b.Edge(stategraph.Start, "retrieve")
	b.Branch("retrieve", "decide", func(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
		if s.Loops < 3 {
			return stategraph.Choose[State]("nothing yet"), nil
		}
		return stategraph.Choose[State]("enough"), nil
	},
		stategraph.Case{Label: "nothing yet", Target: "retrieve"},
		stategraph.Case{Label: "enough", Target: "generate"})
	b.Edge("generate", stategraph.End)

	s, err := compile(b).Run(context.Background(), State{})
	fmt.Println(s.Loops, err)
	// Output: 3 <nil>
}

func ExampleTask() {
	b := stategraph.New("grade", schema)
	grade := stategraph.Task(b, "grade", func(_ *stategraph.Context, document string) (Update, error) {
		return grades.Put(Grade{document, document != "spam"}), nil
	})
	b.Branch(stategraph.Start, "each", func(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
		var sends []stategraph.Send[State]
		for _, document := range s.Found {
			sends = append(sends, grade.Send(document))
		}
		return stategraph.Fan(sends...), nil
	},
		stategraph.Case{Label: "each document", Target: grade.Name()},
		stategraph.Otherwise(stategraph.End))
	b.Edge("grade", stategraph.End)
	g := compile(b)

	s, _ := g.Run(context.Background(), State{Found: []string{"a", "spam", "b"}})
	fmt.Println(s.Grades)
	s, _ = g.Run(context.Background(), State{})
	fmt.Println(s.Grades)
	// Output:
	// [{a true} {spam false} {b true}]
	// []
}

func ExampleBuilder_Join() {
	says := func(ctx *stategraph.Context, _ State) (Update, error) { return found.Add(ctx.Node()), nil }
	b := stategraph.New("both", schema)
	for _, name := range []string{"quick", "slow", "slower", "together"} {
		b.Node(name, says)
	}
	b.Edge(stategraph.Start, "quick")
	b.Edge(stategraph.Start, "slow")
	b.Edge("slow", "slower")
	b.Join("together", "quick", "slower")
	b.Edge("together", stategraph.End)

	s, _ := compile(b).Run(context.Background(), State{})
	fmt.Println(s.Found)
	// Output: [quick slow slower together]
}

func ExampleSubgraph() {
	type Draft struct {
		Text string `json:"text"`
	}
	drafts := state.NewSchema[Draft](1)
	text := state.Replace(drafts, "text", func(d *Draft) *string { return &d.Text })
	inner := stategraph.New("write", drafts)
	inner.Node("polish", func(_ *stategraph.Context, d Draft) (state.Update[Draft], error) {
		return text.Set(strings.ToUpper(d.Text)), nil
	})
	inner.Edge(stategraph.Start, "polish")
	inner.Edge("polish", stategraph.End)
	write, err := inner.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}

	b := stategraph.New("answer", schema)
	stategraph.Subgraph(b, "write", write,
		func(s State) Draft { return Draft{Text: s.Question} },
		func(_ State, d Draft) Update { return found.Add(d.Text) })
	b.Edge(stategraph.Start, "write")
	b.Edge("write", stategraph.End)

	s, _ := compile(b).Run(context.Background(), State{Question: "bees"}, stategraph.Observe(func(e stategraph.Event) {
		if e.Kind == stategraph.NodeStart {
			fmt.Println(strings.Join(e.Path, "/"), e.Node)
		}
	}))
	fmt.Println(s.Found)
	// Output:
	// answer write
	// answer/write polish
	// [BEES]
}

// Busy is an error of a model that says when to come back.
type Busy struct{ wait time.Duration }

func (Busy) Error() string { return "the model is busy" }

func temporary(err error) bool               { return errors.As(err, new(Busy)) }
func pauses(e stategraph.Event) (tried bool) { return e.Kind == stategraph.NodeRetry }

func retryAfter(err error) time.Duration {
	busy, _ := errors.AsType[Busy](err)
	return busy.wait
}

func ExampleWithRetry() {
	b := stategraph.New("answer", schema)
	b.Node("call", func(ctx *stategraph.Context, _ State) (Update, error) {
		if ctx.Attempt() < 3 {
			return Update{}, Busy{wait: time.Millisecond}
		}
		return found.Add("answered"), nil
	}, stategraph.WithTimeout(time.Minute), stategraph.WithRetry(stategraph.Retry{
		Attempts: 3, Backoff: time.Microsecond, On: temporary, After: retryAfter,
	}))
	b.Edge(stategraph.Start, "call")
	b.Edge("call", stategraph.End)

	s, err := compile(b).Run(context.Background(), State{}, stategraph.Observe(func(e stategraph.Event) {
		if pauses(e) {
			fmt.Println(e.Attempt, e.Err)
		}
	}))
	fmt.Println(s.Found, err)
	// Output:
	// 1 answer/call (step 1): the model is busy
	// 2 answer/call (step 1, attempt 2): the model is busy
	// [answered] <nil>
}

func ExampleRecursionLimit() {
	b := stategraph.New("endless", schema)
	b.Node("again", func(*stategraph.Context, State) (Update, error) { return loops.Add(1), nil })
	b.Edge(stategraph.Start, "again")
	b.Edge("again", "again")
	b.Edge("again", stategraph.End)

	s, err := compile(b).Run(context.Background(), State{}, stategraph.RecursionLimit(4))
	fmt.Println(s.Loops, errors.Is(err, stategraph.ErrRecursionLimit))
	// Output: 4 true
}

func ExampleConflictError() {
	b := stategraph.New("answer", schema)
	b.Node("left", ask)
	b.Node("right", ask)
	for _, name := range []string{"left", "right"} {
		b.Edge(stategraph.Start, name)
		b.Edge(name, stategraph.End)
	}
	_, err := compile(b).Run(context.Background(), State{})
	fmt.Println(err)
	// Output: graph "answer": nodes "left" and "right" both write field "question" in step 1, and a replace field takes one write a step
}

func ExampleBuilder_Compile() {
	b := stategraph.New("answer", schema)
	b.Node("retrieve", retrieve)
	b.Node("retrieve", retrieve)
	b.Edge(stategraph.Start, "retrieve")
	b.Edge("retrieve", "generate")

	_, err := b.Compile()
	fmt.Println(err)
	// Output:
	// graph "answer": node "retrieve" is declared twice
	// an edge to "generate": there is no such node
	// no way leads from "retrieve" to the end
}

func ExampleNewContext() {
	ctx := stategraph.NewContext(context.Background(), func(kind string, payload any) { fmt.Println(kind, payload) })
	ctx.Emit("progress", "half way")
	u, err := retrieve(ctx, State{Question: "bees"})
	s, _ := schema.Apply(State{}, u)
	fmt.Println(s.Found, err)
	// Output:
	// progress half way
	// [on bees] <nil>
}
