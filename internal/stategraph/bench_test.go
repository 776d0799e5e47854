package stategraph

import (
	"context"
	"fmt"
	"testing"

	"github.com/clewhq/clew/internal/stategraph/state"
)

type benchState struct {
	Question string   `json:"question"`
	Count    int      `json:"count"`
	Found    []int    `json:"found"`
	Notes    []string `json:"notes"`
}

type benchFields struct {
	schema   *state.Schema[benchState]
	question state.ReplaceField[benchState, string]
	count    state.ReplaceField[benchState, int]
	found    state.AppendField[benchState, int]
	notes    state.AppendField[benchState, string]
}

func newBenchFields() benchFields {
	sc := state.NewSchema[benchState](1)
	return benchFields{
		schema:   sc,
		question: state.Replace(sc, "question", func(s *benchState) *string { return &s.Question }),
		count:    state.Replace(sc, "count", func(s *benchState) *int { return &s.Count }),
		found:    state.Append(sc, "found", func(s *benchState) *[]int { return &s.Found }),
		notes:    state.Append(sc, "notes", func(s *benchState) *[]string { return &s.Notes }),
	}
}

// chain builds a linear graph of n nodes that each raise the count, with idle nodes
// that a branch never takes.
func chain(tb testing.TB, n, idle int) *Graph[benchState] {
	f := newBenchFields()
	b := New("chain", f.schema)
	last := Start
	for i := range n {
		name := fmt.Sprintf("n%d", i)
		b.Node(name, func(_ *Context, s benchState) (state.Update[benchState], error) { return f.count.Set(s.Count + 1), nil })
		b.Edge(last, name)
		last = name
	}
	if idle > 0 {
		var cases []Case
		for i := range idle {
			name := fmt.Sprintf("idle%d", i)
			b.Node(name, func(*Context, benchState) (state.Update[benchState], error) { return state.Update[benchState]{}, nil })
			b.Edge(name, End)
			cases = append(cases, Case{name, name})
		}
		b.Branch(last, "decide", func(*Context, benchState) (Route[benchState], error) { return Choose[benchState]("done"), nil },
			append(cases, Case{"done", End})...)
	} else {
		b.Edge(last, End)
	}
	g, err := b.Compile()
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func benchRun(b *testing.B, g *Graph[benchState], opts ...RunOption) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Run(context.Background(), benchState{}, opts...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInvokeOneNode(b *testing.B) { benchRun(b, chain(b, 1, 0)) }

func BenchmarkLinearStep(b *testing.B) {
	const nodes = 10
	benchRun(b, chain(b, nodes, 0))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/step")
}

func BenchmarkStepBesideIdleNodes(b *testing.B) {
	for _, idle := range []int{0, 300} {
		b.Run(fmt.Sprint(idle), func(b *testing.B) {
			const nodes = 100
			benchRun(b, chain(b, nodes, idle), RecursionLimit(nodes))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/step")
		})
	}
}

func BenchmarkSends(b *testing.B) {
	for _, sends := range []int{1000, 10000, 20000} {
		b.Run(fmt.Sprint(sends), func(b *testing.B) {
			benchRun(b, fan(b, sends))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(sends), "ns/send")
		})
	}
}

// fan builds a graph that sends n payloads to a task that appends them.
func fan(tb testing.TB, n int) *Graph[benchState] {
	f := newBenchFields()
	b := New("fan", f.schema)
	work := Task(b, "work", func(_ *Context, i int) (state.Update[benchState], error) { return f.found.Add(i), nil })
	b.Branch(Start, "each", func(*Context, benchState) (Route[benchState], error) {
		sends := make([]Send[benchState], n)
		for i := range sends {
			sends[i] = work.Send(i)
		}
		return Fan(sends...), nil
	}, Case{"each", "work"})
	b.Edge("work", End)
	g, err := b.Compile()
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// A list that grows by one element per step costs the same in step 1,000 as in step
// 10: the run's time is linear in its steps.
func BenchmarkGrowingList(b *testing.B) {
	for _, steps := range []int{10, 1000} {
		b.Run(fmt.Sprint(steps), func(b *testing.B) {
			f := newBenchFields()
			build := New("loop", f.schema)
			build.Node("add", func(_ *Context, s benchState) (state.Update[benchState], error) { return f.notes.Add("a message"), nil })
			build.Edge(Start, "add")
			build.Branch("add", "enough", func(_ *Context, s benchState) (Route[benchState], error) {
				if len(s.Notes) < steps {
					return Choose[benchState]("more"), nil
				}
				return Choose[benchState]("done"), nil
			}, Case{"more", "add"}, Case{"done", End})
			g, err := build.Compile()
			if err != nil {
				b.Fatal(err)
			}
			benchRun(b, g, RecursionLimit(steps))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(steps), "ns/step")
		})
	}
}

func BenchmarkEvents(b *testing.B) {
	const nodes = 100
	g := chain(b, nodes, 0)
	events := 0
	benchRun(b, g, RecursionLimit(nodes), Observe(func(Event) { events++ }))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
