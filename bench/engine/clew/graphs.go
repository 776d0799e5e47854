package main

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/stategraph"
)

type state struct {
	Count int      `json:"count"`
	Found []int    `json:"found"`
	Notes []string `json:"notes"`
}

type (
	update  = stategraph.Update[state]
	context = *stategraph.Context
)

var (
	schema = stategraph.NewSchema[state](1)
	count  = stategraph.Replace(schema, "count", func(s *state) *int { return &s.Count })
	found  = stategraph.Append(schema, "found", func(s *state) *[]int { return &s.Found })
	notes  = stategraph.Append(schema, "notes", func(s *state) *[]string { return &s.Notes })
)

var message = strings.Repeat("m", 200)

// chain is a linear graph of n nodes beside idle ones.
func chain(n, idle int) *stategraph.Graph[state] {
	b := stategraph.New("chain", schema)
	last := stategraph.Start
	for i := range n {
		name := fmt.Sprintf("n%d", i)
		b.Node(name, func(_ context, s state) (update, error) { return count.Set(s.Count + 1), nil })
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
		b.Node(name, func(context, state) (update, error) { return update{}, nil })
		b.Edge(name, stategraph.End)
		cases = append(cases, stategraph.Case{Label: name, Target: name})
	}
	b.Branch(last, "decide", func(context, state) (stategraph.Route[state], error) {
		return stategraph.Choose[state]("done"), nil
	}, cases...)
	return must(b.Compile())
}

// fan is a graph that sends n payloads to one task.
func fan(n int, work func(i int), opts ...stategraph.CompileOption) *stategraph.Graph[state] {
	b := stategraph.New("fan", schema)
	task := stategraph.Task(b, "work", func(_ context, i int) (update, error) {
		if work != nil {
			work(i)
		}
		return found.Add(i), nil
	})
	b.Branch(stategraph.Start, "each", func(context, state) (stategraph.Route[state], error) {
		sends := make([]stategraph.Send[state], n)
		for i := range sends {
			sends[i] = task.Send(i)
		}
		return stategraph.Fan(sends...), nil
	}, stategraph.Case{Label: "each", Target: "work"})
	b.Edge("work", stategraph.End)
	return must(b.Compile(opts...))
}

// talking is a graph of one node that says so many things.
func talking(n int) *stategraph.Graph[state] {
	b := stategraph.New("talking", schema)
	b.Node("talk", func(ctx context, _ state) (update, error) {
		for i := range n {
			ctx.Emit("said", i)
		}
		return update{}, nil
	})
	b.Edge(stategraph.Start, "talk")
	b.Edge("talk", stategraph.End)
	return must(b.Compile())
}

// growing is a graph that appends a message in each of so many steps, and then
// asks so many times.
func growing(steps, asks int, told func(step int), opts ...stategraph.CompileOption) *stategraph.Graph[state] {
	b := stategraph.New("growing", schema)
	b.Node("add", func(ctx context, _ state) (update, error) {
		if told != nil {
			told(ctx.Step())
		}
		return notes.Add(message), nil
	})
	b.Node("ask", func(_ context, s state) (update, error) { return count.Set(s.Count + 1), nil })
	next := func(_ context, s state) (stategraph.Route[state], error) {
		switch {
		case len(s.Notes) < steps:
			return stategraph.Choose[state]("add"), nil
		case s.Count < asks:
			return stategraph.Choose[state]("ask"), nil
		}
		return stategraph.Choose[state]("end"), nil
	}
	cases := []stategraph.Case{{Label: "add", Target: "add"}, {Label: "ask", Target: "ask"}, {Label: "end", Target: stategraph.End}}
	b.Edge(stategraph.Start, "add")
	b.Branch("add", "more", next, cases...)
	b.Branch("ask", "again", next, cases...)
	return must(b.Compile(opts...))
}
