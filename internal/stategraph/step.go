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
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// task is one call of a node in a super-step, and its outcome.
type task[S any] struct {
	visit[S]
	index     int // among the calls of the node
	pos       int // among the tasks of the step
	size      int // of the update on the thread, in bytes
	ctx       Context
	update    state.Update[S]
	err       error
	done      bool
	beside    bool       // others run in the same step, whose end makes all of them durable
	asked     []Question // it is waiting for an answer
	refused   error      // it is waiting for a different answer than the one given
	cancelled bool       // it failed after the step was cancelled
}

// settled reports whether the task needs no call: its update or its question is
// on the thread.
func (t *task[S]) settled() bool { return t.done || t.asked != nil || t.refused != nil }

// work runs the tasks of a step, as many at once as the run allows. When one
// fails, no other is started, running ones are cancelled and waited for, and the
// first failure in the order of the tasks is returned.
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
	if r.host.recorded != nil && !r.host.gathered {
		if err := r.host.flush(); err != nil {
			return err
		}
	}
	return r.outcome(tasks)
}

// outcome returns the error of a step. The failure that cancelled the step takes
// precedence over those that followed.
func (r *run[S]) outcome(tasks []task[S]) error {
	var followed error
	for i := range tasks {
		switch t := &tasks[i]; {
		case t.err != nil && !t.cancelled:
			return t.err
		case t.err != nil:
			followed = cmp.Or(followed, t.err)
		case !t.settled() && r.ctx.Err() == nil:
			return t.ctx.fail(errExited)
		}
	}
	if followed == nil && r.ctx.Err() != nil {
		return fmt.Errorf("graph %q stopped in step %d: %w", r.name, r.step, context.Cause(r.ctx))
	}
	return cmp.Or(followed, questions(tasks))
}

// do calls a node as often as its retries allow.
func (r *run[S]) do(t *task[S]) {
	t.ctx = Context{Context: r.ctx, run: r.host, at: r.at, node: t.node.name, step: r.step, task: t.index}
	for ctx := &t.ctx; ; {
		ctx.attempt++
		if t.node.policy.interrupts && r.host.journal != nil {
			ctx.inquiry = &inquiry{codec: r.codec, scope: r.at.scope, answers: r.answers, given: r.host.given, journal: r.host.journal}
		}
		t.update, t.err = r.attempt(ctx, t)
		if t.err == nil {
			r.finished(ctx, t)
			return
		}
		if r.interrupted(t) {
			return
		}
		pause, again := t.node.policy.retry.again(ctx.attempt, t.err, r.host.jitter)
		again = again && r.ctx.Err() == nil
		t.err = r.failed(ctx, t, again, pause)
		if !again || r.host.clock.Sleep(r.ctx, pause) != nil {
			t.cancelled = r.ctx.Err() != nil
			return
		}
		copied := *ctx // goroutines left behind by the attempt may still use theirs
		copied.Context = r.ctx
		ctx = &copied
	}
}

// finished makes the update of a task durable, then reports it. Tasks side by side
// may share a write, which their step waits for; a gathered run waits at its end.
func (r *run[S]) finished(ctx *Context, t *task[S]) {
	var end Event
	if r.host.observed() {
		end = ctx.locate(Event{Kind: NodeEnd, Took: r.host.since(ctx.began)})
		end.Update, end.Err = t.update.MarshalJSON()
	}
	r.host.given.settle(r.host.journal, r.at.scope, r.step, t.pos)
	rec, err := r.written(t)
	if err == nil {
		err = r.host.sendWith(end, rec, t.beside || r.host.gathered)
	}
	t.err = err
	t.done = t.err == nil
}

// failed wraps and reports the error of an attempt, and the pause until the next
// one. An error from within a subgraph already says where it comes from.
func (r *run[S]) failed(ctx *Context, t *task[S], again bool, pause time.Duration) error {
	err := t.err
	var inner *NodeError
	if !t.node.nested() || !errors.As(err, &inner) {
		err = ctx.fail(err)
	}
	e := Event{Kind: NodeFailed, Took: r.host.since(ctx.began), Err: err}
	if again {
		e.Kind, e.Pause = NodeRetry, pause
	}
	ctx.event(e)
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

// call calls a node under its timeout.
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

// protected calls a node, checks its declared writes, and turns a panic into an
// error.
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
	return u, t.node.checkWrites(u)
}

// recovered is deferred around calls out of the engine.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// event sends an event about the run itself.
func (r *run[S]) event(e Event) {
	e.Path, e.Step = r.at.path, r.step
	r.host.send(e)
}

// nodeNames returns the nodes of a step, each once.
func nodeNames[S any](tasks []task[S]) []string {
	var all []string
	for i := range tasks {
		all = append(all, tasks[i].node.name)
	}
	return slices.Compact(all)
}
