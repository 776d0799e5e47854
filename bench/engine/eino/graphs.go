package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

const (
	limit   = 5000 // super-steps; more than any run here needs
	endless = 1 << 30
)

var message = strings.Repeat("m", 200)

// chain returns a linear graph of n nodes beside idle ones.
func chain(n, idle int) compose.Runnable[int, int] {
	g := compose.NewGraph[int, int]()
	last := compose.START
	for i := range n {
		name := fmt.Sprintf("n%d", i)
		check(g.AddLambdaNode(name, compose.InvokableLambda(func(_ context.Context, count int) (int, error) { return count + 1, nil })))
		check(g.AddEdge(last, name))
		last = name
	}
	if idle == 0 {
		check(g.AddEdge(last, compose.END))
		return must(g.Compile(ctx, compose.WithMaxRunSteps(limit)))
	}
	ends := map[string]bool{compose.END: true}
	for i := range idle {
		name := fmt.Sprintf("idle%d", i)
		check(g.AddLambdaNode(name, compose.InvokableLambda(func(_ context.Context, count int) (int, error) { return count, nil })))
		check(g.AddEdge(name, compose.END))
		ends[name] = true
	}
	done := func(context.Context, int) (string, error) { return compose.END, nil }
	check(g.AddBranch(last, compose.NewGraphBranch(done, ends)))
	return must(g.Compile(ctx, compose.WithMaxRunSteps(limit)))
}

// wide returns a graph of n parallel nodes. eino has no sends, so each is a
// node of the graph.
func wide(n int) compose.Runnable[int, map[string]any] {
	g := compose.NewGraph[int, map[string]any]()
	for i := range n {
		name := fmt.Sprintf("n%d", i)
		one := compose.InvokableLambda(func(context.Context, int) (int, error) { return i, nil })
		check(g.AddLambdaNode(name, one, compose.WithOutputKey(name)))
		check(g.AddEdge(compose.START, name))
	}
	for i := range n { // an edge takes the longer to add, the more nodes have one already
		check(g.AddEdge(fmt.Sprintf("n%d", i), compose.END))
	}
	return must(g.Compile(ctx))
}

type collected struct {
	Count int
	Notes []string
}

func init() { schema.RegisterName[*collected]("collected") }

// growing returns a graph that appends a message in each step and then
// interrupts.
func growing(steps, asks int, told func(), opts ...compose.GraphCompileOption) compose.Runnable[int, int] {
	g := compose.NewGraph[int, int](compose.WithGenLocalState(func(context.Context) *collected { return &collected{} }))
	add := func(_ context.Context, n int, s *collected) (int, error) {
		s.Notes = append(s.Notes, message)
		return n, nil
	}
	ask := func(_ context.Context, n int, s *collected) (int, error) {
		s.Count++
		return n, nil
	}
	through := func(_ context.Context, n int) (int, error) {
		if told != nil {
			told()
		}
		return n, nil
	}
	check(g.AddLambdaNode("add", compose.InvokableLambda(through), compose.WithStatePostHandler(add)))
	check(g.AddLambdaNode("ask", compose.InvokableLambda(through), compose.WithStatePostHandler(ask)))
	next := func(ctx context.Context, _ int) (name string, err error) {
		err = compose.ProcessState(ctx, func(_ context.Context, s *collected) error {
			switch {
			case len(s.Notes) < steps:
				name = "add"
			case s.Count < asks:
				name = "ask"
			default:
				name = compose.END
			}
			return nil
		})
		return name, err
	}
	targets := map[string]bool{"add": true, "ask": true, compose.END: true}
	check(g.AddEdge(compose.START, "add"))
	check(g.AddBranch("add", compose.NewGraphBranch(next, targets)))
	check(g.AddBranch("ask", compose.NewGraphBranch(next, targets)))
	return must(g.Compile(ctx, append(opts, compose.WithMaxRunSteps(limit))...))
}
