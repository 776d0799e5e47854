package stategraph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// mayContinue returns an error if there must not be another super-step.
func (r *run[S]) mayContinue() error {
	if err := context.Cause(r.ctx); err != nil {
		return fmt.Errorf("graph %q stopped after step %d: %w", r.name, r.step, err)
	}
	if r.host.gathered {
		if err := r.host.journal.failed(); err != nil {
			return err
		}
	}
	if r.step == r.limit {
		return fmt.Errorf("graph %q: %w: %d super-steps were not enough", r.name, ErrRecursionLimit, r.limit)
	}
	return nil
}

// superstep calls all planned nodes on one snapshot, merges their updates and
// plans the next step.
func (r *run[S]) superstep() error {
	if err := r.mayContinue(); err != nil {
		return err
	}
	r.step++
	tasks := r.tasks()
	if err := r.notePlan(tasks); err != nil {
		return err
	}
	if stop := r.stopsAt(r.host.before, tasks); len(stop) > 0 {
		return &StoppedError{Step: r.step, Nodes: stop}
	}
	return r.execute(tasks)
}

// execute runs the tasks of a step that are not settled, merges, and takes the
// exits.
func (r *run[S]) execute(tasks []task[S]) error {
	if r.host.observed() {
		r.event(Event{Kind: StepStart, Targets: nodeNames(tasks)})
	}
	if err := r.work(tasks); err != nil {
		return err
	}
	if err := r.merge(tasks); err != nil {
		return err
	}
	if err := r.saved(); err != nil {
		return err
	}
	if stop := r.stopsAt(r.host.after, tasks); len(stop) > 0 {
		return &StoppedError{Step: r.step, Nodes: stop, After: true}
	}
	return r.leaveAll()
}

// tasks turns the planned visits into tasks, in the order in which updates are
// merged: nodes as declared, and for each node its sends in order.
func (r *run[S]) tasks() []task[S] {
	byNode := func(a, b visit[S]) int { return cmp.Compare(a.node.index, b.node.index) }
	if !slices.IsSortedFunc(r.next, byNode) {
		slices.SortStableFunc(r.next, byNode)
	}
	tasks := make([]task[S], len(r.next))
	for i, v := range r.next {
		t := &tasks[i]
		t.visit, t.pos, t.beside = v, i, len(r.next) > 1
		if i > 0 && tasks[i-1].node == v.node {
			t.index = tasks[i-1].index + 1
		}
	}
	clear(r.next)
	clear(r.planned)
	r.next = r.next[:0]
	return tasks
}

// merge merges the updates of a step and shows the new state.
func (r *run[S]) merge(tasks []task[S]) error {
	if err := r.take(tasks, r.step); err != nil {
		return fmt.Errorf("graph %q: %w", strings.Join(r.at.path, "/"), err)
	}
	r.shown = r.merger.Snapshot()
	return nil
}

// leaveAll takes the exits of each node that ran.
func (r *run[S]) leaveAll() error {
	for _, i := range r.ran {
		if err := r.leave(i); err != nil {
			return err
		}
	}
	return nil
}

func (r *run[S]) leave(from int) error {
	out := &r.out[from]
	for _, to := range out.edges {
		r.visit(to)
	}
	for _, join := range out.joins {
		r.arrive(join, from)
	}
	for _, b := range out.branches {
		if err := r.decide(b); err != nil {
			return err
		}
	}
	return nil
}

// visit plans a call without a payload, once per step.
func (r *run[S]) visit(to int) {
	if _, twice := r.planned[to]; twice || to == endIndex {
		return
	}
	r.planned[to] = struct{}{}
	r.next = append(r.next, visit[S]{node: r.nodes[to]})
}

// arrive counts a node towards a join, and takes the join once it is complete.
func (r *run[S]) arrive(join, from int) {
	here := r.arrived[join]
	if !slices.Contains(here, from) {
		here = append(here, from)
	}
	if j := r.joins[join]; len(here) == len(j.from) {
		here = nil
		r.visit(j.to)
	}
	r.arrived[join] = here
}

// stalled returns an error if a join still waits when nothing is left to run.
func (r *run[S]) stalled() error {
	for i, here := range r.arrived {
		if len(here) == 0 {
			continue
		}
		j := r.joins[i]
		missing := slices.DeleteFunc(slices.Clone(j.from), func(n int) bool { return slices.Contains(here, n) })
		return fmt.Errorf("graph %q: the join into %q still waits for %q, and nothing is left to run",
			r.name, r.nodes[j.to].name, r.nodes[missing[0]].name)
	}
	return nil
}
