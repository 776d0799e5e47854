package stategraph

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/stategraph/emit"
)

// Context is passed to a node beside its input. It says where in the run the
// node is and carries the context of the attempt, which is cancelled when the
// run is, when a node of the same super-step fails, and when the node's time is
// up.
type Context struct {
	context.Context
	run     *host
	emit    func(kind string, payload any)
	at      *location
	node    string
	step    int
	task    int
	attempt int
	inquiry *inquiry  // of a node that may interrupt
	began   time.Time // of the attempt, or zero if nobody observes
}

// location says where a graph runs and what the thread holds of it.
type location struct {
	path  []string
	scope string // of its records

	mayResume  bool // the thread may have records of the scope
	mustResume bool
}

// NewContext returns a context for calling a node's function outside a run, for
// instance in a test. What the function emits goes to emit; nil discards it.
func NewContext(ctx context.Context, emit func(kind string, payload any)) *Context {
	return &Context{Context: ctx, emit: emit, attempt: 1}
}

// Emit reports something of the node's own, such as progress or a token of
// text, as a [Custom] event. Events of one node keep their order. The payload
// must not be changed afterwards.
func (c *Context) Emit(kind string, payload any) {
	switch {
	case c.run != nil && c.run.observed():
		c.event(Event{Kind: Custom, Custom: kind, Payload: payload})
	case c.emit != nil:
		c.emit(kind, payload)
	}
}

// Flush writes the updates of the steps before this one to the thread. Only a gathered run may still hold some of them, see
// [Gathered]. A node calls Flush before a side effect after which the tasks before it could not be called again.
func (c *Context) Flush() error {
	if c.run == nil || c.run.journal == nil {
		return nil
	}
	return c.run.flush()
}

// Value adds the node's emitter to the values of the context, for what the node
// calls, see [emit.Emit].
func (c *Context) Value(key any) any {
	if key == (emit.Key{}) {
		return c
	}
	return c.Context.Value(key)
}

// Node returns the node's name.
func (c *Context) Node() string { return c.node }

// Path returns the graph's name, then the subgraph nodes leading to the node. It must not be changed.
func (c *Context) Path() []string { return c.at.path }

// Step returns the number of the super-step, from 1.
func (c *Context) Step() int { return c.step }

// Attempt returns the number of the attempt, from 1.
func (c *Context) Attempt() int { return c.attempt }

// Now returns the time by the run's clock.
func (c *Context) Now() time.Time {
	if c.run == nil {
		return time.Now()
	}
	return c.run.clock.Now()
}

// locate fills in where the node is in the run.
func (c *Context) locate(e Event) Event {
	e.Path, e.Node, e.Step, e.Task, e.Attempt = c.at.path, c.node, c.step, c.task, c.attempt
	return e
}

func (c *Context) event(e Event) { c.run.send(c.locate(e)) }

// fail wraps err with where the node is in the run.
func (c *Context) fail(err error) *NodeError {
	return &NodeError{Path: c.at.path, Node: c.node, Step: c.step, Attempt: c.attempt, Err: err}
}
