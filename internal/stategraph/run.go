package stategraph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Run runs the graph from s until nothing is left to do and returns the last
// state. When it fails, the state is the one after the last super-step that
// succeeded. s is not changed.
func (g *Graph[S]) Run(ctx context.Context, s S, opts ...RunOption) (S, error) {
	h := newHost(g.nested, opts)
	defer h.end()
	return g.run(ctx, h, []string{g.name}, h.limit, s)
}

func (g *Graph[S]) run(ctx context.Context, h *host, path []string, limit int, s S) (S, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run[S]{
		Graph: g, host: h, path: path, limit: limit, ctx: ctx, cancel: cancel,
		merger: newMerger(g.fields, s), arrived: make([][]bool, len(g.joins)), planned: make([]int, len(g.nodes)),
	}
	began := r.event(Event{Kind: RunStart})
	r.shown = r.merger.snapshot()
	err := r.loop()
	r.event(Event{Kind: RunEnd, Err: err, Took: since(h, began)})
	return r.shown, err
}

// run is a graph at work. Between two super-steps all there is to know is the
// state, the step, what is planned, and who arrived at which join.
type run[S any] struct {
	*Graph[S]
	host   *host
	path   []string
	limit  int
	ctx    context.Context
	cancel context.CancelFunc

	merger  *merger[S]
	shown   S // the snapshot that nodes and branches see
	step    int
	next    []visit[S] // what the next super-step does
	planned []int      // by node: the last step that planned a visit without payload, plus one
	arrived [][]bool   // by join and slot
}

// visit is a planned call of a node.
type visit[S any] struct {
	node    *node[S]
	payload any
}

func (r *run[S]) loop() error {
	err := r.leave(startIndex)
	for err == nil && len(r.next) > 0 {
		err = r.superstep()
	}
	if err == nil {
		err = r.stalled()
	}
	return err
}

// superstep calls all planned nodes on one snapshot, merges what they change,
// and plans the next step.
func (r *run[S]) superstep() error {
	if err := context.Cause(r.ctx); err != nil {
		return fmt.Errorf("graph %q stopped after step %d: %w", r.name, r.step, err)
	}
	if r.step == r.limit {
		return fmt.Errorf("graph %q: %w: %d super-steps were not enough", r.name, ErrRecursionLimit, r.limit)
	}
	r.step++
	tasks := r.tasks()
	if r.host.observed() {
		r.event(Event{Kind: StepStart, Targets: names(tasks)})
	}
	if err := r.work(tasks); err != nil {
		return err
	}
	if err := r.merge(tasks); err != nil {
		return err
	}
	return r.plan(tasks)
}

// tasks turns the plan into tasks: in the order in which nodes were declared,
// and for each node in the order of its sends. Updates are merged in this
// order.
func (r *run[S]) tasks() []task[S] {
	byNode := func(a, b visit[S]) int { return cmp.Compare(a.node.index, b.node.index) }
	if !slices.IsSortedFunc(r.next, byNode) {
		slices.SortStableFunc(r.next, byNode)
	}
	tasks := make([]task[S], len(r.next))
	for i, v := range r.next {
		t := &tasks[i]
		t.visit = v
		if i > 0 && tasks[i-1].node == v.node {
			t.index = tasks[i-1].index + 1
		}
	}
	clear(r.next)
	r.next = r.next[:0]
	return tasks
}

// merge puts the updates of a step into the state and shows it.
func (r *run[S]) merge(tasks []task[S]) error {
	for i := range tasks {
		t := &tasks[i]
		by := writer{step: r.step, task: t.index, node: t.node.name}
		if len(tasks) == 1 {
			by = writer{}
		}
		if err := r.merger.merge(t.update, by); err != nil {
			return fmt.Errorf("graph %q: %w", strings.Join(r.path, "/"), err)
		}
	}
	r.shown = r.merger.snapshot()
	return nil
}

// plan leaves each node that ran, once.
func (r *run[S]) plan(tasks []task[S]) error {
	for i := range tasks {
		if i > 0 && tasks[i].node == tasks[i-1].node {
			continue
		}
		if err := r.leave(tasks[i].node.index); err != nil {
			return err
		}
	}
	return nil
}

// leave follows all that leads out of a node.
func (r *run[S]) leave(from int) error {
	out := &r.out[from]
	for _, to := range out.edges {
		r.visit(to)
	}
	for _, a := range out.joins {
		r.arrive(a)
	}
	for _, b := range out.branches {
		if err := r.decide(b); err != nil {
			return err
		}
	}
	return nil
}

// visit plans a call without payload, once a step.
func (r *run[S]) visit(to int) {
	if to == endIndex || r.planned[to] == r.step+1 {
		return
	}
	r.planned[to] = r.step + 1
	r.next = append(r.next, visit[S]{node: r.nodes[to]})
}

// arrive counts a node towards a join and takes the join when it is complete.
func (r *run[S]) arrive(a arrival) {
	j := r.joins[a.join]
	if r.arrived[a.join] == nil {
		r.arrived[a.join] = make([]bool, len(j.from))
	}
	r.arrived[a.join][a.slot] = true
	if !slices.Contains(r.arrived[a.join], false) {
		r.arrived[a.join] = nil
		r.visit(j.to)
	}
}

// stalled is an error when a join still waits though nothing is left to run.
func (r *run[S]) stalled() error {
	for i, arrived := range r.arrived {
		if slot := slices.Index(arrived, false); slot >= 0 {
			j := r.joins[i]
			return fmt.Errorf("graph %q: the join into %q still waits for %q, and nothing is left to run",
				r.name, r.nodes[j.to].name, r.nodes[j.from[slot]].name)
		}
	}
	return nil
}
