package stategraph

import (
	"context"
	"time"
)

// Context is what a node gets beside its input: the context of its attempt,
// cancelled with the run, when a node of the same super-step fails, or when
// the node's time is up, and where in the run it stands.
type Context struct {
	context.Context
	run     *host
	emit    func(kind string, payload any)
	at      *place
	node    string
	step    int
	task    int
	attempt int
	talk    *talk     // of a node that may interrupt
	began   time.Time // of the attempt, when somebody observes
}

// place is where a graph runs: its path, and the scope of its records.
type place struct {
	path  []string
	scope string

	loads   bool // the thread may have records of the scope
	resumes bool // it must
}

// NewContext is a context for calling a node's function outside a run, in
// tests for instance. What the function emits goes to emit, which may be nil.
func NewContext(ctx context.Context, emit func(kind string, payload any)) *Context {
	return &Context{Context: ctx, emit: emit, attempt: 1}
}

// Emit reports something of the node's own, such as progress or a token of a
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

// Node is the node's name.
func (c *Context) Node() string { return c.node }

// Step is the number of the super-step, from 1.
func (c *Context) Step() int { return c.step }

// Attempt is the number of the attempt, from 1.
func (c *Context) Attempt() int { return c.attempt }

// Now is the time by the run's clock.
func (c *Context) Now() time.Time {
	if c.run == nil {
		return time.Now()
	}
	return c.run.clock.Now()
}

// place fills the node's place in the run in.
func (c *Context) place(e Event) Event {
	e.Path, e.Node, e.Step, e.Task, e.Attempt = c.at.path, c.node, c.step, c.task, c.attempt
	return e
}

// event sends e from the node's place in the run.
func (c *Context) event(e Event) { c.run.send(c.place(e)) }

// fail wraps err with the node's place in the run.
func (c *Context) fail(err error) *NodeError {
	return &NodeError{Path: c.at.path, Node: c.node, Step: c.step, Attempt: c.attempt, Err: err}
}
