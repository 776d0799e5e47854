package stategraph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawPlan draws a graph that compiles: each node follows an earlier one or the
// start, and each can reach the end. Some nodes are graphs, and some ask if allowed.
func drawPlan(t *rapid.T, nodes int, asking bool) plan {
	p := plan{Seed: rapid.IntRange(0, 1<<20).Draw(t, "seed"), Limit: rapid.IntRange(1, 12).Draw(t, "limit")}
	for i := range rapid.IntRange(1, nodes).Draw(t, "nodes") {
		n := planNode{Task: rapid.IntRange(0, 2).Draw(t, "task") == 0, Attempts: rapid.IntRange(1, 3).Draw(t, "attempts")}
		if nodes > inside && rapid.IntRange(0, 3).Draw(t, "subgraph") == 0 {
			inner := drawPlan(t, inside, asking)
			n.Inner = &inner
		} else if asking {
			n.Asks = rapid.IntRange(0, 3).Draw(t, "asks") == 0
		}
		p.Nodes = append(p.Nodes, n)
		p.attach(t, i)
	}
	for i := range p.Nodes {
		if rapid.Bool().Draw(t, "plain end") {
			p.Nodes[i].Edges = append(p.Nodes[i].Edges, toEnd)
		}
		p.addBranch(t, i)
	}
	p.addJoins(t)
	return p
}

// The most nodes of a drawn graph and of a subgraph.
const (
	outside = 6
	inside  = 3
)

// attach connects node i to the start by an edge or a branch's case.
func (p *plan) attach(t *rapid.T, i int) {
	parent := rapid.IntRange(fromStart, i-1).Draw(t, "parent")
	if p.Nodes[i].Task || rapid.Bool().Draw(t, "by branch") {
		p.Branches = append(p.Branches, planBranch{From: parent, Cases: []int{i}, Otherwise: true})
		return
	}
	if parent == fromStart {
		p.Start = append(p.Start, i)
		return
	}
	p.Nodes[parent].Edges = append(p.Nodes[parent].Edges, i)
}

// addBranch gives node i a branch to any nodes, earlier or later, and to the end.
func (p *plan) addBranch(t *rapid.T, i int) {
	b := planBranch{From: i, Cases: []int{toEnd}, Otherwise: rapid.IntRange(0, 3).Draw(t, "otherwise") > 0}
	for range rapid.IntRange(0, 2).Draw(t, "cases") {
		b.Cases = append(b.Cases, rapid.IntRange(0, len(p.Nodes)-1).Draw(t, "case"))
	}
	slices.Sort(b.Cases)
	b.Cases = slices.Compact(b.Cases)
	p.Branches = append(p.Branches, b)
}

// addJoins makes nodes wait for two others, up to two of them for the same.
func (p *plan) addJoins(t *rapid.T) {
	if len(p.Nodes) < 3 {
		return
	}
	all := make([]int, len(p.Nodes))
	for i := range all {
		all[i] = i
	}
	for range rapid.IntRange(0, 2).Draw(t, "joins") {
		order := rapid.Permutation(all).Draw(t, "joined")
		j := planJoin{To: order[2], From: order[:2]}
		same := func(o planJoin) bool { return o.To == j.To && slices.Equal(o.From, j.From) }
		if !p.Nodes[j.To].Task && !slices.ContainsFunc(p.Joins, same) {
			p.Joins = append(p.Joins, j)
		}
	}
}

// build builds the plan as a graph of the engine.
func (p plan) build(t testing.TB, opts ...CompileOption) *Graph[board] {
	k := newKit(t)
	return p.buildWith(k, opts...)
}

func (p plan) buildWith(k *kit, opts ...CompileOption) *Graph[board] {
	targets := map[int]Target[board, int]{}
	for i, n := range p.Nodes {
		retry := WithRetry(Retry{Attempts: n.Attempts})
		var asks NodeOption = func(*policy) {}
		if n.Asks {
			asks = MayInterrupt()
		}
		if n.Inner != nil {
			k.buildInner(p, i, targets, retry)
			continue
		}
		if n.Task {
			targets[i] = Task(k.Builder, p.name(i), func(ctx *Context, payload int) (update, error) { return k.perform(p, i, ctx, payload) }, retry, asks)
			continue
		}
		k.Node(p.name(i), func(ctx *Context, s board) (update, error) { return k.perform(p, i, ctx, digest(s)) }, retry, asks)
	}
	for _, to := range p.Start {
		k.Edge(Start, p.name(to))
	}
	for i, n := range p.Nodes {
		for _, to := range n.Edges {
			k.Edge(p.name(i), p.name(to))
		}
	}
	for _, j := range p.Joins {
		k.Join(p.name(j.To), p.name(j.From[0]), p.name(j.From[1]))
	}
	for i, b := range p.Branches {
		k.buildBranch(p, i, b, targets)
	}
	return k.compile(opts...)
}

// buildInner builds node i as a subgraph that returns its state except the word.
func (k *kit) buildInner(p plan, i int, targets map[int]Target[board, int], retry NodeOption) {
	inner := *p.Nodes[i].Inner
	in := newKit(k.t)
	in.called = k.called
	g := inner.buildWith(in, AsSubgraph())
	k.inner[p.name(i)] = g
	back := func(last board) update {
		return state.Merge(k.log.Add(last.Log...), k.cards.Put(last.Cards...), k.total.Add(last.Total))
	}
	if limit := WithRecursionLimit(inner.Limit); p.Nodes[i].Task {
		targets[i] = SubgraphTask(k.Builder, p.name(i), g, inner.begin, func(_ int, last board) update { return back(last) }, retry, limit)
	} else {
		Subgraph(k.Builder, p.name(i), g, func(s board) board { return inner.begin(digest(s)) }, func(_, last board) update { return back(last) }, retry, limit)
	}
}

// perform is the function of a node of the engine: it does what the plan says.
func (k *kit) perform(p plan, node int, ctx *Context, input int) (update, error) {
	jitter()
	if k.called != nil {
		k.called(ctx)
	}
	d := p.does(node, ctx.Step(), ctx.Attempt(), input)
	if p.Nodes[node].Asks {
		answer, err := Interrupt[float64](ctx, input)
		if err != nil {
			return update{}, err
		}
		d.total += answer
	}
	if d.fails {
		return update{}, errBroken
	}
	u := state.Merge(k.log.Add(d.log...), k.cards.Put(d.cards...), k.total.Add(d.total))
	if d.word != nil {
		u = state.Merge(u, k.word.Set(*d.word))
	}
	if d.high != nil {
		u = state.Merge(k.high.Raise(*d.high), u)
	}
	return u, nil
}

func (k *kit) buildBranch(p plan, i int, b planBranch, targets map[int]Target[board, int]) {
	var cases []Case
	for j, to := range b.Cases {
		cases = append(cases, Case{fmt.Sprint("case ", j), p.name(to)})
	}
	if b.Otherwise {
		cases = append(cases, Otherwise(End))
	}
	k.Branch(p.name(b.From), fmt.Sprintf("b%d", i), func(ctx *Context, s board) (route, error) {
		c := p.decides(i, ctx.Step(), digest(s))
		var r route
		for _, chosen := range c.cases {
			r = r.And(Choose[board](cases[chosen].Label))
		}
		for _, s := range c.sends {
			r = r.And(Fan(targets[s.to].Send(s.payload)))
		}
		return r, nil
	}, cases...)
}

// ended converts an error of the engine to an outcome of the reference.
func ended(err error) outcome {
	if err == nil {
		return outcome{kind: "done"}
	}
	var where string
	failure, failed := errors.AsType[*NodeError](err)
	if failed {
		where = strings.Join(append(slices.Clone(failure.Path[1:]), failure.Node), "/")
	}
	conflict, conflicts := errors.AsType[*ConflictError](err)
	switch {
	case errors.Is(err, ErrRecursionLimit):
		return outcome{"limit", where, ""}
	case conflicts:
		return outcome{"conflict", where, fmt.Sprint([]string{conflict.First, conflict.Second}, conflict.Step)}
	case strings.Contains(err.Error(), "still waits"):
		return outcome{"stalled", where, ""}
	case failed:
		return outcome{"node", where, fmt.Sprint(failure.Step)}
	}
	return outcome{kind: err.Error()}
}

// agrees compares the end of a run with the possible ends of the reference.
func agrees(t *rapid.T, what string, got board, err error, want board, ends []outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: state (-reference +engine):\n%s\n%v", what, diff, err)
	}
	if end := ended(err); !slices.Contains(ends, end) {
		t.Fatalf("%s: the engine ends with %q, the reference with %q: %v", what, end, ends, err)
	}
}

// On any graph the engine ends like the reference, in the same state and with
// updates merged in the same order.
func TestRandomGraphsRunLikeTheReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt, outside, false)
		want, ends := p.interpret()
		opts := []RunOption{RecursionLimit(p.Limit), MaxConcurrency(rapid.IntRange(1, 8).Draw(rt, "concurrency"))}
		if rapid.Bool().Draw(rt, "checked") {
			opts = append(opts, unchanged())
		}
		observed := rapid.Bool().Draw(rt, "observed")
		r := &recorder{}
		if observed {
			opts = append(opts, r.observe())
		}
		got, err := p.build(t).Run(t.Context(), board{}, opts...)
		agrees(rt, "run", got, err, want, ends)
		if observed {
			checkEvents(rt, r.events, err)
		}
	})
}

// checkEvents checks what must hold for the events of every run.
func checkEvents(t *rapid.T, events []Event, err error) {
	open := map[string]int{} // attempts begun and not ended, by node
	for i, e := range events {
		if e.Seq != i+1 {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		if len(e.Path) > 1 { // several subgraphs share a path
			continue
		}
		switch e.Kind {
		case NodeStart:
			open[e.Node]++
		case NodeEnd, NodeRetry:
			open[e.Node]--
		case NodeFailed:
			if !strings.HasPrefix(e.Node, "b") {
				open[e.Node]--
			}
		case StepStart:
			for node, n := range open {
				if n != 0 {
					t.Fatalf("step %d began with %d attempts of %s open", e.Step, n, node)
				}
			}
		}
	}
	first, last := events[0], events[len(events)-1]
	if first.Kind != RunStart || last.Kind != RunEnd || last.Err != err {
		t.Fatalf("the run begins with %s and ends with %s, and its error is %v", line(first), line(last), err)
	}
}

// The reference is checked against a small graph worked out by hand.
func TestTheReferenceItself(t *testing.T) {
	t.Parallel()
	p := plan{Seed: 0, Limit: 10, Start: []int{0, 1},
		Nodes: []planNode{{Edges: []int{2}}, {Edges: []int{2}}, {Edges: []int{toEnd}}}}
	s, end := p.interpret()
	if !slices.Equal(end, []outcome{{kind: "done"}}) || len(s.Log) != 3 {
		t.Fatalf("ended as %+v with %v", end, s.Log)
	}
	for i, prefix := range []string{"n0@1", "n1@1", "n2@2"} {
		if !strings.HasPrefix(s.Log[i], prefix) {
			t.Errorf("entry %d of the log is %q, want %s", i, s.Log[i], prefix)
		}
	}
}
