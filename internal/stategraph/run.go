package stategraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Run runs the graph from s until nothing is left to do and returns the last
// state. If it fails, the state is the one after the last super-step that
// succeeded. s is not changed.
func (g *Graph[S]) Run(ctx context.Context, s S, opts ...RunOption) (S, error) {
	return g.start(ctx, newHost(g.nested, opts), s, false)
}

// Resume continues a thread and returns the last state. Tasks that finished are
// not called again; those that were running are. A run that has ended returns
// its result again. A node whose question has no [Answer] keeps waiting. The
// thread must have been begun with this graph or one with the same nodes.
func (g *Graph[S]) Resume(ctx context.Context, thread string, opts ...RunOption) (S, error) {
	var none S
	return g.start(ctx, newHost(g.nested, append(slices.Clip(opts), Thread(thread))), none, true)
}

// start runs the graph, on its thread if it has one.
func (g *Graph[S]) start(ctx context.Context, h *host, s S, resume bool) (S, error) {
	defer h.end()
	at := &location{path: []string{g.name}, mustResume: resume, mayResume: resume || h.orResume}
	if h.thread == "" {
		if resume || len(h.before)+len(h.after)+len(h.answers) > 0 || h.recorded != nil {
			return s, fmt.Errorf("graph %q: stops, answers, resumption and recorded events need a thread", g.name)
		}
		return g.run(ctx, h, at, h.limit, s)
	}
	if err := g.checkThreads(); err != nil {
		return s, err
	}
	acquire := g.acquireNew
	if at.mayResume {
		acquire = g.store.Acquire
	}
	token, err := acquire(ctx, h.thread)
	if err != nil {
		return s, fmt.Errorf("thread %q: %w", h.thread, err)
	}
	h.journal = &journal{ctx: context.WithoutCancel(ctx), store: g.store, thread: h.thread, token: token}
	if len(h.answers) > 0 {
		if h.given, err = g.given(ctx, h); err != nil {
			return s, err
		}
	}
	return g.run(ctx, h, at, h.limit, s)
}

// given encodes the answers to the thread's questions. The nodes that asked decode them, which is when they are written.
func (g *Graph[S]) given(ctx context.Context, h *host) (*given, error) {
	records, err := g.store.Questions(ctx, h.thread)
	if err != nil {
		return nil, err
	}
	open := unanswered(records)
	answers := &given{records: map[string]Record{}}
	for _, a := range h.answers {
		i := slices.IndexFunc(open, func(asked Record) bool { return asked.ID == a.id })
		if i < 0 {
			return nil, fmt.Errorf("thread %q waits for no answer to %q", h.thread, a.id)
		}
		if _, twice := answers.records[a.id]; twice {
			return nil, fmt.Errorf("thread %q: %q is answered twice", h.thread, a.id)
		}
		rec := open[i]
		if rec.Data, err = g.codec.Marshal(a.value); err != nil {
			return nil, fmt.Errorf("encode the answer to %q: %w", a.id, err)
		}
		rec.Kind, rec.At = RecordAnswer, h.clock.Now()
		answers.records[a.id] = rec
	}
	return answers, nil
}

// run is a running graph.
type run[S any] struct {
	*Graph[S]
	position[S]
	host   *host
	at     *location
	limit  int
	ctx    context.Context
	cancel context.CancelFunc

	shown   S                // the snapshot that nodes and branches see
	next    []visit[S]       // of the next super-step
	planned map[int]struct{} // nodes in next without a payload

	unwritten *storedPlan // of the current step, to be written with its only update
	answers   map[string][]byte
}

func (g *Graph[S]) run(ctx context.Context, h *host, at *location, limit int, s S) (S, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run[S]{Graph: g, host: h, at: at, limit: limit, ctx: ctx, cancel: cancel, planned: map[int]struct{}{}}
	p, err := r.stored()
	switch {
	case err != nil:
		return s, err
	case p != nil:
		r.position, r.answers = p.position, p.answers
	case at.mustResume:
		return s, fmt.Errorf("thread %q: %w", h.thread, ErrNoThread)
	default:
		r.position = position[S]{merger: g.schema.Merger(s), ran: []int{startIndex}, arrived: make([][]int, len(g.joins))}
	}
	r.shown = r.merger.Snapshot()
	began := h.time()
	r.event(Event{Kind: RunStart, Resumed: p != nil})
	err = r.loop(p)
	end := Event{Kind: RunEnd, Path: at.path, Step: r.step, Err: err, Took: h.since(began)}
	if failed := r.finish(end); failed != nil {
		err = cmp.Or(err, failed)
		r.event(Event{Kind: RunEnd, Err: err, Took: end.Took})
	}
	return r.shown, err
}

// stored replays what the thread holds of the run, or nil if it holds nothing.
func (r *run[S]) stored() (*replay[S], error) {
	if r.host.journal == nil || !r.at.mayResume || r.host.journal.token == 1 && r.at.scope == "" {
		return nil, nil
	}
	// A second attempt at a subgraph reads what the first may not have written yet.
	if err := r.host.journal.write(); err != nil {
		return nil, err
	}
	p := r.newReplay()
	err := p.read(r.host.journal.store.Load(r.ctx, r.host.thread, r.at.scope, math.MaxInt32, math.MaxInt32))
	if errors.Is(err, ErrNoThread) {
		return nil, nil
	}
	if err == nil {
		err = p.markAsked(r.host.given)
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

// loop runs super-steps until nothing is left to do. p is nil for a new run.
func (r *run[S]) loop(p *replay[S]) error {
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

// enter plans the first super-step, after completing the one that a replayed
// run was in.
func (r *run[S]) enter(p *replay[S]) error {
	switch {
	case p == nil:
		if err := r.begin(); err != nil {
			return err
		}
	case p.open != nil && p.missing > 0:
		if err := r.mayContinue(); err != nil {
			return err
		}
		r.step++
		return r.execute(p.open)
	case p.open != nil: // complete, but its exits were not taken
		r.step++
		if err := r.merge(p.open); err != nil {
			return err
		}
	}
	return r.leaveAll()
}
