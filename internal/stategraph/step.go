package stategraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// task is one call of a node in a super-step and what became of it.
type task[S any] struct {
	visit[S]
	index  int // among the calls of the node
	place  int // among the tasks of the step
	size   int // of the update on the thread, in bytes
	ctx    Context
	update state.Update[S]
	err    error
	done   bool
	asked  []Question // it waits for an answer
	cut    bool       // it failed when the step was cancelled already
}

// settled reports whether nothing is to be done: the thread holds the update, or
// the question that the task waits with.
func (t *task[S]) settled() bool { return t.done || t.asked != nil }

// work runs the tasks of a step, at most as many at a time as the run allows.
// When one fails, no other is begun, those at work are cancelled and waited
// for, and the failure that comes first in the order of the tasks is returned.
func (r *run[S]) work(tasks []task[S]) error {
	if len(tasks) == 1 {
		if !tasks[0].settled() {
			r.do(&tasks[0])
		}
		return cmp.Or(tasks[0].err, questions(tasks))
	}
	var begun atomic.Int64
	var workers sync.WaitGroup
	for range min(len(tasks), r.host.concurrency) {
		workers.Go(func() {
			for r.ctx.Err() == nil {
				i := int(begun.Add(1)) - 1
				if i >= len(tasks) {
					return
				}
				if tasks[i].settled() {
					continue
				}
				if r.do(&tasks[i]); tasks[i].err != nil {
					r.cancel()
				}
			}
		})
	}
	workers.Wait()
	return r.outcome(tasks)
}

// outcome is what went wrong in a step. What failed after the step was
// cancelled gives way to what had it cancelled.
func (r *run[S]) outcome(tasks []task[S]) error {
	var cut error
	for i := range tasks {
		switch t := &tasks[i]; {
		case t.err != nil && !t.cut:
			return t.err
		case t.err != nil:
			cut = cmp.Or(cut, t.err)
		case !t.done && t.asked == nil && r.ctx.Err() == nil:
			return t.ctx.fail(errExited)
		}
	}
	if cut == nil && r.ctx.Err() != nil {
		return fmt.Errorf("graph %q stopped in step %d: %w", r.name, r.step, context.Cause(r.ctx))
	}
	return cmp.Or(cut, questions(tasks))
}

// do calls a node as often as its retries allow.
func (r *run[S]) do(t *task[S]) {
	t.ctx = Context{Context: r.ctx, run: r.host, at: r.at, node: t.node.name, step: r.step, task: t.index}
	for ctx := &t.ctx; ; {
		ctx.attempt++
		if t.node.policy.interrupts && r.host.journal != nil {
			ctx.talk = &talk{codec: r.codec, scope: r.at.scope, answers: r.answers}
		}
		t.update, t.err = r.attempt(ctx, t)
		if t.err == nil {
			r.finished(ctx, t)
			return
		}
		if r.waits(t) {
			return
		}
		pause, again := t.node.policy.retry.again(ctx.attempt, t.err, r.host.jitter)
		again = again && r.ctx.Err() == nil
		t.err = r.failed(ctx, t, again)
		if !again || r.host.clock.Sleep(r.ctx, pause) != nil {
			t.cut = r.ctx.Err() != nil
			return
		}
		copied := *ctx // what an attempt left behind may still look at its own
		ctx = &copied
	}
}

// finished makes the update of a task durable and then tells of it.
func (r *run[S]) finished(ctx *Context, t *task[S]) {
	var end Event
	if r.host.observed() {
		end = ctx.place(Event{Kind: NodeEnd, Took: r.host.since(ctx.began)})
		end.Update, end.Err = t.update.MarshalJSON()
	}
	t.err = r.host.sendWith(end, func() error { return r.commit(t) })
	t.done = t.err == nil
}

// failed wraps the error of an attempt and reports it. That of a node within a
// subgraph says where it comes from already.
func (r *run[S]) failed(ctx *Context, t *task[S], again bool) error {
	err := t.err
	var inner *NodeError
	if !t.node.nested() || !errors.As(err, &inner) {
		err = ctx.fail(err)
	}
	kind := NodeFailed
	if again {
		kind = NodeRetry
	}
	ctx.event(Event{Kind: kind, Took: r.host.since(ctx.began), Err: err})
	return err
}

// attempt calls a node once.
func (r *run[S]) attempt(ctx *Context, t *task[S]) (state.Update[S], error) {
	if r.host.slots != nil && !t.node.nested() {
		select {
		case r.host.slots <- struct{}{}:
			defer func() { <-r.host.slots }()
		case <-r.ctx.Done():
			return state.Update[S]{}, context.Cause(r.ctx)
		}
	}
	ctx.event(Event{Kind: NodeStart})
	ctx.began = r.host.time()
	return r.call(ctx, t)
}

// call calls a node within its time.
func (r *run[S]) call(ctx *Context, t *task[S]) (state.Update[S], error) {
	limit := t.node.policy.timeout
	if limit == 0 {
		return r.protected(ctx, t)
	}
	late := fmt.Errorf("took longer than %v: %w", limit, context.DeadlineExceeded)
	timed, cancel := context.WithTimeoutCause(r.ctx, limit, late)
	defer cancel()
	ctx.Context = timed
	u, err := r.protected(ctx, t)
	if err != nil && errors.Is(context.Cause(timed), late) {
		err = fmt.Errorf("%w: %w", late, err)
	}
	return u, err
}

// protected calls a node, holds it to what it declares, and turns a panic into
// an error.
func (r *run[S]) protected(ctx *Context, t *task[S]) (u state.Update[S], err error) {
	defer recovered(&err)
	input := t.payload
	if t.node.kind != KindTask {
		input = &r.shown
	}
	if r.host.around == nil {
		u, err = t.node.work(ctx, input)
	} else {
		u, err = around(r.host, ctx, Call{Input: input, Unread: r.unread(t.node)}, t.node.work)
	}
	if err != nil {
		return u, err
	}
	return u, t.node.permits(u)
}

// recovered is deferred around what is not the engine's own.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// event sends an event of the run itself.
func (r *run[S]) event(e Event) {
	e.Path, e.Step = r.at.path, r.step
	r.host.send(e)
}

// called lists the nodes of a step, each once.
func called[S any](tasks []task[S]) []string {
	var all []string
	for i := range tasks {
		all = append(all, tasks[i].node.name)
	}
	return slices.Compact(all)
}
