package stategraph

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Subgraph adds a compiled graph as a node. It runs from the state in returns;
// the node's update is what out returns for its last state, so only what out
// writes reaches the outer state. Its events and errors carry its path, and it
// counts its own super-steps.
func Subgraph[S, T any](b *Builder[S], name string, g *Graph[T], in func(S) T, out func(S, T) state.Update[S], opts ...NodeOption) {
	n := &node[S]{name: name, kind: KindSubgraph}
	if f := nest(n, g, in, out, &opts); f != nil {
		n.work = func(ctx *Context, input any) (state.Update[S], error) { return f(ctx, *input.(*S)) }
	}
	b.add(n, opts)
}

// SubgraphTask adds a compiled graph as a task: it runs once for each payload a
// branch sends to it and sees only that payload. Otherwise it is like
// [Subgraph]. Several runs in one super-step share a path.
func SubgraphTask[S, T, P any](b *Builder[S], name string, g *Graph[T], in func(P) T, out func(P, T) state.Update[S], opts ...NodeOption) Target[S, P] {
	n := &node[S]{name: name, kind: KindTask, payload: reflect.TypeFor[P](), decode: state.Decode[P]}
	if f := nest(n, g, in, out, &opts); f != nil {
		n.work = func(ctx *Context, input any) (state.Update[S], error) { return f(ctx, input.(P)) }
	}
	return Target[S, P]{b.add(n, opts)}
}

// nest returns g as the work of n, whose input is an I, or nil if an argument is.
func nest[S, T, I any](n *node[S], g *Graph[T], in func(I) T, out func(I, T) state.Update[S], opts *[]NodeOption) func(*Context, I) (state.Update[S], error) {
	if g == nil || in == nil || out == nil {
		return nil
	}
	n.topology, n.encoded, n.stable = &g.topology, g.encodedAt, g.Stable
	*opts = append(slices.Clip(*opts), func(p *policy) { p.interrupts = p.interrupts || g.asks })
	return func(ctx *Context, input I) (state.Update[S], error) {
		last, err := g.runNested(ctx, n.policy.limit, in(input))
		if err != nil {
			return state.Update[S]{}, err
		}
		return out(input, last), nil
	}
}

// runNested runs the graph as a node of another.
func (g *Graph[T]) runNested(ctx *Context, limit int, s T) (T, error) {
	limit = cmp.Or(limit, DefaultRecursionLimit)
	at := &location{
		path:      append(slices.Clip(ctx.at.path), ctx.node),
		scope:     Visit{ctx.node, ctx.step, ctx.task}.scope(ctx.at.scope),
		mayResume: ctx.at.mayResume || ctx.attempt > 1,
	}
	return g.run(ctx, ctx.run, at, limit, s)
}
