package stategraph

import (
	"fmt"
	"reflect"
	"slices"
)

// Subgraph adds a compiled graph as a node. It starts from in of the state and
// what out makes of its last state is the node's update, so a subgraph hands
// back only what out writes. Its events and errors carry its path; it counts
// its own super-steps.
func Subgraph[S, T any](b *Builder[S], name string, g *Graph[T], in func(S) T, out func(S, T) Update[S], opts ...NodeOption) {
	n := &node[S]{name: name, kind: KindSubgraph}
	if g != nil && in != nil && out != nil {
		n.topology = &g.topology
		opts = slices.Concat(opts, []NodeOption{g.asking()})
		n.work = func(ctx *Context, input any) (Update[S], error) {
			s := *input.(*S)
			last, err := g.within(ctx, n.policy.limit, in(s))
			if err != nil {
				return Update[S]{}, err
			}
			return out(s, last), nil
		}
	}
	b.add(n, opts)
}

// SubgraphTask adds a compiled graph as a task: it runs once for each payload
// that a branch sends to it, and sees that payload alone. Else it is like a
// [Subgraph]; several that run in one super-step share a path.
func SubgraphTask[S, T, P any](b *Builder[S], name string, g *Graph[T], in func(P) T, out func(P, T) Update[S], opts ...NodeOption) Target[S, P] {
	n := &node[S]{name: name, kind: KindTask, payload: reflect.TypeFor[P](), decode: decodeAs[P]}
	if g != nil && in != nil && out != nil {
		n.topology = &g.topology
		opts = slices.Concat(opts, []NodeOption{g.asking()})
		n.work = func(ctx *Context, input any) (Update[S], error) {
			p := input.(P)
			last, err := g.within(ctx, n.policy.limit, in(p))
			if err != nil {
				return Update[S]{}, err
			}
			return out(p, last), nil
		}
	}
	return Target[S, P]{b.add(n, opts)}
}

// asking has a subgraph's node interrupt when one of the graph's may.
func (g *Graph[T]) asking() NodeOption {
	return func(p *policy) { p.interrupts = p.interrupts || g.asks }
}

// within runs the graph as a node of another. The first task of a step has the
// scope that a subgraph has which is no task.
func (g *Graph[T]) within(ctx *Context, limit int, s T) (T, error) {
	if limit == 0 {
		limit = DefaultRecursionLimit
	}
	scope := fmt.Sprintf("%s%d:%s", ctx.at.scope, ctx.step, ctx.node)
	if ctx.task > 0 {
		scope += fmt.Sprintf("#%d", ctx.task)
	}
	at := &place{
		path:  append(slices.Clip(ctx.at.path), ctx.node),
		scope: scope + "/",
		loads: ctx.at.loads || ctx.attempt > 1,
	}
	return g.run(ctx, ctx.run, at, limit, s)
}
