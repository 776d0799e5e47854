package stategraph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Run runs the graph from s until nothing is left to do and returns the last
// state. When it fails, the state is the one after the last super-step that
// succeeded. s is not changed.
func (g *Graph[S]) Run(ctx context.Context, s S, opts ...RunOption) (S, error) {
	return g.start(ctx, newHost(g.nested, opts), s, false)
}

// Resume goes on with a thread where it stands and returns the last state: no
// task that finished is called again, those that were at work are. What has
// ended is returned as it ended. A node that waits for an answer that [Answer]
// does not give goes on waiting. The thread must have been begun with this
// graph or one that has its nodes.
func (g *Graph[S]) Resume(ctx context.Context, thread string, opts ...RunOption) (S, error) {
	var none S
	return g.start(ctx, newHost(g.nested, append(slices.Clip(opts), Thread(thread))), none, true)
}

// start runs the graph on its thread, if it is to have one.
func (g *Graph[S]) start(ctx context.Context, h *host, s S, resume bool) (S, error) {
	defer h.end()
	at := &place{path: []string{g.name}}
	if h.thread == "" {
		if resume || len(h.before)+len(h.after)+len(h.answers) > 0 || h.recorded != nil {
			return s, fmt.Errorf("graph %q: stops, answers, resumption and recorded events need a thread", g.name)
		}
		return g.run(ctx, h, at, h.limit, s)
	}
	if err := g.kept(); err != nil {
		return s, err
	}
	j, ctx, closed, err := openJournal(ctx, g.store, &h.settings)
	if err != nil {
		return s, err
	}
	defer closed()
	h.journal = j
	at.resumes, at.loads = resume, resume || h.orResume
	if !at.loads {
		err = g.unused(ctx, h.thread)
	} else if len(h.answers) > 0 {
		err = g.answer(ctx, h)
	}
	if err != nil {
		return s, err
	}
	return g.run(ctx, h, at, h.limit, s)
}

// answer writes the answers to what the thread asks.
func (g *Graph[S]) answer(ctx context.Context, h *host) error {
	records, err := g.store.Questions(ctx, h.thread)
	if err != nil {
		return err
	}
	open := unanswered(records)
	for _, a := range h.answers {
		i := slices.IndexFunc(open, func(asked Record) bool { return asked.ID == a.id })
		if i < 0 {
			return fmt.Errorf("thread %q waits for no answer to %q", h.thread, a.id)
		}
		rec := open[i]
		if rec.Data, err = g.codec.Marshal(a.value); err != nil {
			return fmt.Errorf("encode the answer to %q: %w", a.id, err)
		}
		rec.Kind, rec.At = RecordAnswer, h.clock.Now()
		h.journal.note(rec)
	}
	return h.journal.write()
}

// run is a graph at work.
type run[S any] struct {
	*Graph[S]
	position[S]
	host   *host
	at     *place
	limit  int
	ctx    context.Context
	cancel context.CancelFunc

	shown   S                // the snapshot that nodes and branches see
	next    []visit[S]       // what the next super-step does
	planned map[int]struct{} // nodes that it visits without payload

	held    *storedPlan // of the step, until its task is done
	answers map[string][]byte
}

func (g *Graph[S]) run(ctx context.Context, h *host, at *place, limit int, s S) (S, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run[S]{Graph: g, host: h, at: at, limit: limit, ctx: ctx, cancel: cancel, planned: map[int]struct{}{}}
	p, err := r.stored()
	switch {
	case err != nil:
		return s, err
	case p != nil:
		r.position, r.answers = p.position, p.answers
	case at.resumes:
		return s, fmt.Errorf("thread %q: %w", h.thread, ErrNoThread)
	default:
		r.position = position[S]{merger: newMerger(g.fields, s), ran: []int{startIndex}, arrived: make([][]int, len(g.joins))}
	}
	r.shown = r.merger.snapshot()
	began := h.time()
	r.event(Event{Kind: RunStart, Resumed: p != nil})
	err = r.goOn(p)
	end := Event{Kind: RunEnd, Path: at.path, Step: r.step, Err: err, Took: h.since(began)}
	if written := h.sendWith(end, func() error { return r.finish(err) }); written != nil {
		err = cmp.Or(err, written)
		r.event(Event{Kind: RunEnd, Err: err, Took: end.Took})
	}
	return r.shown, err
}

// stored reads what the thread holds of the run; nil when it holds nothing.
func (r *run[S]) stored() (*replay[S], error) {
	if r.host.journal == nil || !r.at.loads {
		return nil, nil
	}
	// A second attempt at a subgraph reads what the first may not have written yet.
	if err := r.host.journal.write(); err != nil {
		return nil, err
	}
	records, err := r.host.journal.store.Load(r.ctx, r.host.thread, r.at.scope, math.MaxInt32, math.MaxInt32)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	p := r.newReplay()
	if err = p.read(records); err == nil {
		err = p.wait()
	}
	if err != nil {
		return nil, fmt.Errorf("thread %q, graph %q: %w", r.host.thread, strings.Join(r.at.path, "/"), err)
	}
	return p, nil
}

// visit is a planned call of a node.
type visit[S any] struct {
	node    *node[S]
	payload any
}

// goOn runs what is left to do: of a new run everything.
func (r *run[S]) goOn(p *replay[S]) error {
	if p != nil && p.done {
		return nil
	}
	err := r.enter(p)
	for err == nil && len(r.next) > 0 {
		err = r.superstep()
	}
	if err == nil {
		err = r.stalled()
	}
	return err
}

// enter does what comes before the first super-step that is planned anew.
func (r *run[S]) enter(p *replay[S]) error {
	switch {
	case p == nil:
		if err := r.begin(); err != nil {
			return err
		}
	case p.open != nil && p.missing > 0:
		if err := r.may(); err != nil {
			return err
		}
		r.step++
		return r.carryOut(p.open)
	case p.open != nil: // it stood between this step and what follows
		r.step++
		if err := r.merge(p.open); err != nil {
			return err
		}
	}
	return r.leaveAll()
}

// may is an error when there must not be another super-step.
func (r *run[S]) may() error {
	if err := context.Cause(r.ctx); err != nil {
		return fmt.Errorf("graph %q stopped after step %d: %w", r.name, r.step, err)
	}
	if r.step == r.limit {
		return fmt.Errorf("graph %q: %w: %d super-steps were not enough", r.name, ErrRecursionLimit, r.limit)
	}
	return nil
}

// superstep calls all planned nodes on one snapshot, merges what they change,
// and plans the next step.
func (r *run[S]) superstep() error {
	if err := r.may(); err != nil {
		return err
	}
	r.step++
	tasks := r.tasks()
	if err := r.notePlan(tasks); err != nil {
		return err
	}
	if stop := r.among(r.host.before, tasks); len(stop) > 0 {
		return &StoppedError{Step: r.step, Nodes: stop}
	}
	return r.carryOut(tasks)
}

// carryOut does what of a step is not done yet, and leaves it.
func (r *run[S]) carryOut(tasks []task[S]) error {
	if r.host.observed() {
		r.event(Event{Kind: StepStart, Targets: called(tasks)})
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
	if stop := r.among(r.host.after, tasks); len(stop) > 0 {
		return &StoppedError{Step: r.step, Nodes: stop, After: true}
	}
	return r.leaveAll()
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
		t.visit, t.place = v, i
		if i > 0 && tasks[i-1].node == v.node {
			t.index = tasks[i-1].index + 1
		}
	}
	clear(r.next)
	clear(r.planned)
	r.next = r.next[:0]
	return tasks
}

// merge puts the updates of a step into the state and shows it.
func (r *run[S]) merge(tasks []task[S]) error {
	if err := r.take(tasks, r.step); err != nil {
		return fmt.Errorf("graph %q: %w", strings.Join(r.at.path, "/"), err)
	}
	r.shown = r.merger.snapshot()
	return nil
}

// leaveAll leaves each node that ran, once.
func (r *run[S]) leaveAll() error {
	for _, i := range r.ran {
		if err := r.leave(i); err != nil {
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

// visit plans a call without payload, once a step.
func (r *run[S]) visit(to int) {
	if _, twice := r.planned[to]; twice || to == endIndex {
		return
	}
	r.planned[to] = struct{}{}
	r.next = append(r.next, visit[S]{node: r.nodes[to]})
}

// arrive counts a node towards a join and takes the join when it is complete.
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

// stalled is an error when a join still waits though nothing is left to run.
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
