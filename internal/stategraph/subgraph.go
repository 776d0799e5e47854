package stategraph

import (
	"fmt"
	"slices"
)

// Subgraph adds a compiled graph as a node. It starts from in of the state and
// what out makes of its last state is the node's update, so a subgraph hands
// back only what out writes. Its events and errors carry its path; it counts
// its own super-steps.
func Subgraph[S, T any](b *Builder[S], name string, g *Graph[T], in func(S) T, out func(S, T) Update[S], opts ...NodeOption) {
	n := &node[S]{name: name, kind: KindSubgraph}
	if g == nil || in == nil || out == nil {
		b.add(n, opts)
		return
	}
	n.topology = &g.topology
	opts = slices.Concat(opts, []NodeOption{func(p *policy) { p.interrupts = p.interrupts || g.asks }})
	n.work = func(ctx *Context, input any) (Update[S], error) {
		s := *input.(*S)
		limit := n.policy.limit
		if limit == 0 {
			limit = DefaultRecursionLimit
		}
		at := &place{
			path:  append(slices.Clip(ctx.at.path), name),
			scope: fmt.Sprintf("%s%d:%s/", ctx.at.scope, ctx.step, name),
			loads: ctx.at.loads || ctx.attempt > 1,
		}
		last, err := g.run(ctx, ctx.run, at, limit, in(s))
		if err != nil {
			return Update[S]{}, err
		}
		return out(s, last), nil
	}
	b.add(n, opts)
}
