package stategraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Checkpoint is a thread after one of its super-steps.
type Checkpoint[S any] struct {
	Step  int
	Nodes []string // that ran in it; the start for step 0
	State S
	At    time.Time
}

// History returns up to limit checkpoints of a thread, newest first.
func (g *Graph[S]) History(ctx context.Context, thread string, limit int) ([]Checkpoint[S], error) {
	var all []Checkpoint[S]
	keep := func(p *replay[S]) { all = append(all, p.checkpoint()) }
	last, err := g.load(ctx, thread, math.MaxInt32, math.MaxInt32, keep)
	if err == nil && len(all) < limit && all[0].Step > 0 { // begin at an earlier snapshot
		all = nil
		_, err = g.load(ctx, thread, max(0, last.step-limit+1), math.MaxInt32, keep)
	}
	slices.Reverse(all)
	return all[:min(max(limit, 0), len(all))], err
}

func (p *replay[S]) checkpoint() Checkpoint[S] {
	return Checkpoint[S]{Step: p.step, Nodes: p.names(p.ran), State: p.merger.Snapshot(), At: p.at}
}

// StateAt returns the state of a thread after a super-step; step 0 is the state
// it began with. A step that was not finished is [ErrNoThread].
func (g *Graph[S]) StateAt(ctx context.Context, thread string, step int) (S, error) {
	c, err := g.CheckpointAt(ctx, thread, step)
	return c.State, err
}

// CheckpointAt returns a thread after a super-step, with the errors of StateAt.
func (g *Graph[S]) CheckpointAt(ctx context.Context, thread string, step int) (Checkpoint[S], error) {
	p, err := g.replayTo(ctx, thread, step)
	if err != nil {
		return Checkpoint[S]{}, err
	}
	return p.checkpoint(), nil
}

// Visit is one run of a node: the super-step it ran in, and its index among the
// tasks that a branch sent to it, 0 for a node that is not a task.
type Visit struct {
	Node string
	Step int
	Task int
}

// scope returns the scope of the records of a subgraph that runs as the visit.
func (v Visit) scope(outer string) string {
	scope := fmt.Sprintf("%s%d:%s", outer, v.Step, v.Node)
	if v.Task > 0 {
		scope += fmt.Sprintf("#%d", v.Task)
	}
	return scope + "/"
}

// encoder returns a state of a graph on a thread as JSON; see [Graph.EncodedAt].
type encoder func(ctx context.Context, store Checkpointer, thread, scope string, within []Visit, step int) (json.RawMessage, error)

// EncodedAt returns what [Graph.StateAt] returns, as JSON. within leads to the
// state of a subgraph: the visits of the nodes around it, outermost first.
func (g *Graph[S]) EncodedAt(ctx context.Context, thread string, within []Visit, step int) (json.RawMessage, error) {
	if err := g.checkThreads(); err != nil {
		return nil, err
	}
	return g.encodedAt(ctx, g.store, thread, "", within, step)
}

func (g *Graph[S]) encodedAt(ctx context.Context, store Checkpointer, thread, scope string, within []Visit, step int) (json.RawMessage, error) {
	if len(within) > 0 {
		v := within[0]
		i, known := g.index[v.Node]
		if !known || !g.nodes[i].nested() {
			return nil, fmt.Errorf("graph %q has no subgraph %q: %w", g.name, v.Node, ErrNoThread)
		}
		return g.nodes[i].encoded(ctx, store, thread, v.scope(scope), within[1:], step)
	}
	p, err := g.loadScope(ctx, store, thread, scope, step, step, nil)
	if err == nil && p.step != step {
		err = fmt.Errorf("step %d of thread %q: %w", step, thread, ErrNoThread)
	}
	if err != nil {
		return nil, err
	}
	return g.schema.Encode(g.codec, p.merger.Snapshot())
}

// Fork begins the thread to at a super-step of the thread from. If edit is not
// nil it may change the state. Resuming to decides again what follows the step,
// from the edited state.
func (g *Graph[S]) Fork(ctx context.Context, from string, step int, to string, edit func(*S)) (err error) {
	p, err := g.replayTo(ctx, from, step)
	if err != nil {
		return err
	}
	s := p.merger.Snapshot()
	if edit != nil {
		edit(&s)
	}
	data, err := g.snapshot(s, &p.position)
	if err != nil {
		return err
	}
	token, err := g.acquireNew(ctx, to)
	if err != nil {
		return fmt.Errorf("fork into thread %q: %w", to, err)
	}
	return g.store.Append(ctx, to, token, []Record{{
		Kind: RecordSnapshot, Step: step, Version: g.schema.Version(), At: p.at, Data: data,
	}})
}

// Questions returns the questions a thread's run waits on, in the order asked.
func (g *Graph[S]) Questions(ctx context.Context, thread string) ([]Question, error) {
	if err := g.checkThreads(); err != nil {
		return nil, err
	}
	records, err := g.store.Questions(ctx, thread)
	if err != nil {
		return nil, err
	}
	var open []Question
	for _, rec := range unanswered(records) {
		q, err := rec.question()
		if err != nil {
			return nil, err
		}
		open = append(open, q)
	}
	return open, nil
}

// Answers returns the answers that were given to the questions of a thread's run,
// by their ids.
func (g *Graph[S]) Answers(ctx context.Context, thread string) (map[string]json.RawMessage, error) {
	if err := g.checkThreads(); err != nil {
		return nil, err
	}
	records, err := g.store.Questions(ctx, thread)
	answers := map[string]json.RawMessage{}
	for _, rec := range records {
		if rec.Kind == RecordAnswer {
			answers[rec.ID] = rec.Data
		}
	}
	return answers, err
}

// checkThreads returns an error if there is no checkpointer.
func (g *Graph[S]) checkThreads() error {
	if g.store == nil {
		return fmt.Errorf("graph %q was compiled without a checkpointer and has no threads", g.name)
	}
	return nil
}

// acquireNew acquires a thread that must not have been begun. It checks before
// acquiring, so as not to take the thread from a running writer, and again after,
// when no other writer can begin it.
func (g *Graph[S]) acquireNew(ctx context.Context, thread string) (token int64, err error) {
	if err := g.checkNew(ctx, thread); err != nil {
		return 0, err
	}
	if token, err = g.store.Acquire(ctx, thread); err != nil {
		return 0, err
	}
	return token, g.checkNew(ctx, thread)
}

func (g *Graph[S]) checkNew(ctx context.Context, thread string) error {
	for _, err := range g.store.Load(ctx, thread, "", math.MaxInt32, 0) {
		if err == nil {
			err = ErrThreadExists
		}
		return err
	}
	return nil
}

// replayTo replays a thread to the end of a step.
func (g *Graph[S]) replayTo(ctx context.Context, thread string, step int) (*replay[S], error) {
	p, err := g.load(ctx, thread, step, step, nil)
	if err == nil && p.step != step {
		err = fmt.Errorf("step %d of thread %q: %w", step, thread, ErrNoThread)
	}
	return p, err
}

// load replays a thread to step to, from the last snapshot at step from or
// earlier. It leaves out a last step whose updates conflict.
func (g *Graph[S]) load(ctx context.Context, thread string, from, to int, each func(*replay[S])) (*replay[S], error) {
	if err := g.checkThreads(); err != nil {
		return nil, err
	}
	return g.loadScope(ctx, g.store, thread, "", from, to, each)
}

// loadScope is load for a scope of a thread.
func (g *Graph[S]) loadScope(ctx context.Context, store Checkpointer, thread, scope string, from, to int, each func(*replay[S])) (*replay[S], error) {
	p := g.newReplay()
	if each != nil {
		p.each = func() { each(p) }
	}
	if err := p.read(store.Load(ctx, thread, scope, from, to)); err != nil {
		return nil, fmt.Errorf("thread %q: %w", thread, err)
	}
	var conflict *ConflictError
	if err := p.settle(); err != nil && !errors.As(err, &conflict) {
		return nil, fmt.Errorf("thread %q: %w", thread, err)
	}
	return p, nil
}
