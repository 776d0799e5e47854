package stategraph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// decide calls a branch and plans the nodes it chooses.
func (r *run[S]) decide(b *branch[S]) error {
	ctx := &Context{Context: r.ctx, run: r.host, at: r.at, node: b.name, step: r.step, attempt: 1}
	err := r.takeRoute(ctx, b)
	if err == nil {
		return nil
	}
	failure := ctx.fail(err)
	ctx.event(Event{Kind: NodeFailed, Err: failure})
	return failure
}

func (r *run[S]) takeRoute(ctx *Context, b *branch[S]) error {
	route, err := callBranch(r, ctx, b)
	if err != nil {
		return err
	}
	if len(route.labels) == 0 && len(route.sends) == 0 {
		if b.labelled(otherwise) < 0 {
			return fmt.Errorf("chose nothing, and has no Otherwise among its cases %s", b.labels())
		}
		route.labels = []string{otherwise}
	}
	for _, label := range route.labels {
		if err := r.choose(ctx, b, label); err != nil {
			return err
		}
	}
	return r.fan(ctx, b, route.sends)
}

func callBranch[S any](r *run[S], ctx *Context, b *branch[S]) (route Route[S], err error) {
	defer recovered(&err)
	if r.host.around == nil {
		return b.decide(ctx, r.shown)
	}
	return around(r.host, ctx, Call{Input: &r.shown}, func(ctx *Context, input any) (Route[S], error) { return b.decide(ctx, *input.(*S)) })
}

func (r *run[S]) choose(ctx *Context, b *branch[S], label string) error {
	i := b.labelled(label)
	if i < 0 {
		return fmt.Errorf("chose %q, which is none of its cases %s", label, b.labels())
	}
	to := b.targets[i]
	if r.nodes[to].kind == KindTask {
		return fmt.Errorf("chose %q, but task %q takes a payload: send it one", label, r.nodes[to].name)
	}
	r.visit(to)
	r.reportCase(ctx, b, i, 0)
	return nil
}

// fan plans the sends of a route.
func (r *run[S]) fan(ctx *Context, b *branch[S], sends []Send[S]) error {
	var taken, sent []int // cases, and how many sends each got
	for _, s := range sends {
		if s.to == nil || s.to.index >= len(r.nodes) || r.nodes[s.to.index] != s.to {
			return errors.New("sent to a task that is not of this graph")
		}
		i := slices.Index(b.targets, s.to.index)
		if i < 0 {
			return fmt.Errorf("sent to %q, which is none of its cases %s", s.to.name, b.labels())
		}
		at := slices.Index(taken, i)
		if at < 0 {
			at, taken, sent = len(taken), append(taken, i), append(sent, 0)
		}
		sent[at]++
		r.next = append(r.next, visit[S]{s.to, s.payload})
	}
	for at, i := range taken {
		r.reportCase(ctx, b, i, sent[at])
	}
	return nil
}

func (r *run[S]) reportCase(ctx *Context, b *branch[S], i, sends int) {
	if r.host.observed() {
		ctx.event(Event{Kind: Branch, Label: b.cases[i].Label, Targets: []string{b.cases[i].Target}, Sends: sends})
	}
}

func (b *branch[S]) labels() string {
	all := make([]string, len(b.cases))
	for i, c := range b.cases {
		all[i] = fmt.Sprintf("%q", c.Label)
	}
	return strings.Join(all, ", ")
}
