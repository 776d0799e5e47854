package main

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

type values struct {
	Count int      `json:"count"`
	Found []int    `json:"found"`
	Notes []string `json:"notes"`
}

type (
	update  = state.Update[values]
	context = *stategraph.Context
)

var (
	schema = state.NewSchema[values](1)
	count  = state.Replace(schema, "count", func(s *values) *int { return &s.Count })
	found  = state.Append(schema, "found", func(s *values) *[]int { return &s.Found })
	notes  = state.Append(schema, "notes", func(s *values) *[]string { return &s.Notes })
)

var message = strings.Repeat("m", 200)

// chain returns a linear graph of n nodes beside idle ones.
func chain(n, idle int) stategraph.Runnable[values] {
	b := stategraph.New("chain", schema)
	last := stategraph.Start
	for i := range n {
		name := fmt.Sprintf("n%d", i)
		b.Node(name, func(_ context, s values) (update, error) { return count.Set(s.Count + 1), nil })
		b.Edge(last, name)
		last = name
	}
	if idle == 0 {
		b.Edge(last, stategraph.End)
		return must(b.Compile())
	}
	cases := []stategraph.Case{{Label: "done", Target: stategraph.End}}
	for i := range idle {
		name := fmt.Sprintf("idle%d", i)
		b.Node(name, func(context, values) (update, error) { return update{}, nil })
		b.Edge(name, stategraph.End)
		cases = append(cases, stategraph.Case{Label: name, Target: name})
	}
	b.Branch(last, "decide", func(context, values) (stategraph.Route[values], error) {
		return stategraph.Choose[values]("done"), nil
	}, cases...)
	return must(b.Compile())
}

// fan returns a graph that sends n payloads to one task.
func fan(n int, work func(i int), opts ...stategraph.CompileOption) stategraph.Runnable[values] {
	b := stategraph.New("fan", schema)
	task := stategraph.Task(b, "work", func(_ context, i int) (update, error) {
		if work != nil {
			work(i)
		}
		return found.Add(i), nil
	})
	b.Branch(stategraph.Start, "each", func(context, values) (stategraph.Route[values], error) {
		sends := make([]stategraph.Send[values], n)
		for i := range sends {
			sends[i] = task.Send(i)
		}
		return stategraph.Fan(sends...), nil
	}, stategraph.Case{Label: "each", Target: "work"})
	b.Edge("work", stategraph.End)
	return must(b.Compile(opts...))
}

// talking returns a graph whose one node emits n events.
func talking(n int) stategraph.Runnable[values] {
	b := stategraph.New("talking", schema)
	b.Node("talk", func(ctx context, _ values) (update, error) {
		for i := range n {
			ctx.Emit("said", i)
		}
		return update{}, nil
	})
	b.Edge(stategraph.Start, "talk")
	b.Edge("talk", stategraph.End)
	return must(b.Compile())
}

// growing returns a graph that appends a message in each step and then
// interrupts.
func growing(steps, asks int, told func(step int), opts ...stategraph.CompileOption) stategraph.Runnable[values] {
	b := stategraph.New("growing", schema)
	b.Node("add", func(ctx context, _ values) (update, error) {
		if told != nil {
			told(ctx.Step())
		}
		return notes.Add(message), nil
	})
	b.Node("ask", func(_ context, s values) (update, error) { return count.Set(s.Count + 1), nil })
	next := func(_ context, s values) (stategraph.Route[values], error) {
		switch {
		case len(s.Notes) < steps:
			return stategraph.Choose[values]("add"), nil
		case s.Count < asks:
			return stategraph.Choose[values]("ask"), nil
		}
		return stategraph.Choose[values]("end"), nil
	}
	cases := []stategraph.Case{{Label: "add", Target: "add"}, {Label: "ask", Target: "ask"}, {Label: "end", Target: stategraph.End}}
	b.Edge(stategraph.Start, "add")
	b.Branch("add", "more", next, cases...)
	b.Branch("ask", "again", next, cases...)
	return must(b.Compile(opts...))
}
