package stategraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is the state of the examples.
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

// calling builds a graph of one node.
func calling(f func(ctx *stategraph.Context, s State) (Update, error), opts ...stategraph.NodeOption) *stategraph.Graph[State] {
	b := stategraph.New("answer", schema)
	b.Node("call", f, opts...)
	b.Edge(stategraph.Start, "call")
	b.Edge("call", stategraph.End)
	return compile(b)
}

func retryAfter(err error) time.Duration {
	busy, _ := errors.AsType[Busy](err)
	return busy.wait
}

func ExampleWithRetry() {
	g := calling(func(ctx *stategraph.Context, _ State) (Update, error) {
		if ctx.Attempt() < 3 {
			return Update{}, Busy{wait: time.Millisecond}
		}
		return found.Add("answered"), nil
	}, stategraph.WithRetry(stategraph.Retry{
		Attempts: 3, Backoff: time.Microsecond,
		On: func(err error) bool { return errors.As(err, new(Busy)) }, After: retryAfter,
	}))
	s, err := g.Run(context.Background(), State{}, stategraph.Observe(func(e stategraph.Event) {
		if e.Kind == stategraph.NodeRetry {
			fmt.Println(e.Attempt, e.Err)
		}
	}))
	fmt.Println(s.Found, err)
	// Output:
	// 1 answer/call (step 1): the model is busy
	// 2 answer/call (step 1, attempt 2): the model is busy
	// [answered] <nil>
}

func ExampleWithTimeout() {
	g := calling(func(ctx *stategraph.Context, _ State) (Update, error) {
		<-ctx.Done()
		return Update{}, ctx.Err()
	}, stategraph.WithTimeout(time.Millisecond))
	_, err := g.Run(context.Background(), State{})
	fmt.Println(errors.Is(err, context.DeadlineExceeded), err)
	// Output: true answer/call (step 1): took longer than 1ms: context deadline exceeded: context deadline exceeded
}

// skipping is a clock that prints pauses instead of waiting.
type skipping struct{}

func (skipping) Now() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func (skipping) Sleep(_ context.Context, d time.Duration) error {
	fmt.Println("pause of", d)
	return nil
}

// A clock and a source of jitter make retries reproducible.
func ExampleTime() {
	g := calling(func(ctx *stategraph.Context, _ State) (Update, error) {
		return found.Add(ctx.Now().Format(time.Kitchen)), map[bool]error{true: Busy{}}[ctx.Attempt() < 3]
	}, stategraph.WithRetry(stategraph.Retry{Attempts: 3, Backoff: time.Second}))
	s, err := g.Run(context.Background(), State{},
		stategraph.Time(skipping{}), stategraph.Jitter(func() float64 { return 0.5 }))
	fmt.Println(s.Found, err)
	// Output:
	// pause of 750ms
	// pause of 1.5s
	// [12:00PM] <nil>
}

// Around sees the input and the result of every call.
func ExampleAround() {
	g := calling(retrieve)
	_, err := g.Run(context.Background(), State{Question: "bees"},
		stategraph.Around(func(ctx *stategraph.Context, c stategraph.Call) (any, error) {
			result, err := c.Do(c.Input)
			data, _ := json.Marshal(result)
			fmt.Println(ctx.Node(), c.Input.(*State).Question, string(data))
			return result, err
		}))
	fmt.Println(err)
	// Output:
	// call bees {"found":["on bees"]}
	// <nil>
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
	// no path leads from "retrieve" to the end
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
