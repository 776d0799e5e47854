package stategraph

import (
	"context"
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

// History returns the newest checkpoints of a thread, at most limit, newest
// first.
func (g *Graph[S]) History(ctx context.Context, thread string, limit int) ([]Checkpoint[S], error) {
	var all []Checkpoint[S]
	keep := func(p *replay[S]) { all = append(all, p.checkpoint()) }
	last, err := g.load(ctx, thread, math.MaxInt32, math.MaxInt32, keep)
	if err == nil && len(all) < limit && all[0].Step > 0 { // the last snapshot is too young
		all = nil
		_, err = g.load(ctx, thread, max(0, last.step-limit+1), math.MaxInt32, keep)
	}
	slices.Reverse(all)
	return all[:min(max(limit, 0), len(all))], err
}

func (p *replay[S]) checkpoint() Checkpoint[S] {
	return Checkpoint[S]{Step: p.step, Nodes: p.names(p.ran), State: p.merger.Snapshot(), At: p.at}
}

// StateAt returns the state of a thread after a super-step; step 0 is what it
// began with. A step that was not finished is [ErrNoThread].
func (g *Graph[S]) StateAt(ctx context.Context, thread string, step int) (S, error) {
	p, err := g.stand(ctx, thread, step)
	if err != nil {
		var none S
		return none, err
	}
	return p.merger.Snapshot(), nil
}

// Fork begins the thread to at a super-step of the thread from, with a state
// that edit may change. What follows the step is decided again, from the
// edited state, when to is resumed.
func (g *Graph[S]) Fork(ctx context.Context, from string, step int, to string, edit func(*S)) (err error) {
	p, err := g.stand(ctx, from, step)
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
	token, err := g.store.Acquire(ctx, to, DefaultLease, false)
	if err != nil {
		return fmt.Errorf("fork into thread %q: %w", to, err)
	}
	defer func() { err = errors.Join(err, g.store.Release(context.WithoutCancel(ctx), to, token)) }()
	if err := g.unused(ctx, to); err != nil {
		return err
	}
	return g.store.Append(ctx, to, token, []Record{{
		Kind: RecordSnapshot, Step: step, Version: g.schema.Version(), At: p.at, Data: data,
	}})
}

// Questions returns what a thread's run waits for, in the order asked.
func (g *Graph[S]) Questions(ctx context.Context, thread string) ([]Question, error) {
	if err := g.kept(); err != nil {
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

// kept is an error when there is no checkpointer.
func (g *Graph[S]) kept() error {
	if g.store == nil {
		return fmt.Errorf("graph %q was compiled without a checkpointer and has no threads", g.name)
	}
	return nil
}

// unused is an error when a thread has been begun.
func (g *Graph[S]) unused(ctx context.Context, thread string) error {
	for _, err := range g.store.Load(ctx, thread, "", math.MaxInt32, 0) {
		if err == nil {
			err = fmt.Errorf("thread %q: %w", thread, ErrThreadExists)
		}
		return err
	}
	return nil
}

// stand replays a thread to the end of a step.
func (g *Graph[S]) stand(ctx context.Context, thread string, step int) (*replay[S], error) {
	p, err := g.load(ctx, thread, step, step, nil)
	if err == nil && p.step != step {
		err = fmt.Errorf("step %d of thread %q: %w", step, thread, ErrNoThread)
	}
	return p, err
}

// load replays a thread from the last snapshot at or before a step. A last
// step whose updates can't be merged is no checkpoint.
func (g *Graph[S]) load(ctx context.Context, thread string, from, to int, each func(*replay[S])) (*replay[S], error) {
	if err := g.kept(); err != nil {
		return nil, err
	}
	p := g.newReplay()
	if each != nil {
		p.each = func() { each(p) }
	}
	if err := p.read(g.store.Load(ctx, thread, "", from, to)); err != nil {
		return nil, fmt.Errorf("thread %q: %w", thread, err)
	}
	var conflict *ConflictError
	if err := p.settle(); err != nil && !errors.As(err, &conflict) {
		return nil, fmt.Errorf("thread %q: %w", thread, err)
	}
	return p, nil
}
