// Package memory keeps the threads of state graphs in memory: for tests, and
// for runs that interrupt but need not outlive their process.
package memory

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/stategraph"
)

// Checkpointer keeps threads in memory.
type Checkpointer struct {
	now domain.Clock

	mu      sync.Mutex
	threads map[string]*thread
}

var _ stategraph.Checkpointer = (*Checkpointer)(nil)

type thread struct {
	records []stategraph.Record
	events  []stategraph.Event
	token   int64
	touched time.Time
}

// New returns an empty checkpointer that uses the given clock for the age of threads.
func New(now func() time.Time) *Checkpointer {
	return &Checkpointer{now: now, threads: map[string]*thread{}}
}

// Acquire implements stategraph.Checkpointer.
func (c *Checkpointer) Acquire(_ context.Context, id string) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.threads[id]
	if t == nil {
		t = &thread{}
		c.threads[id] = t
	}
	t.token++
	t.touched = c.now()
	return t.token, nil
}

// Append implements stategraph.Checkpointer. Events are kept for Events.
func (c *Checkpointer) Append(_ context.Context, id string, token int64, records []stategraph.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.threads[id]
	if t == nil || t.token != token {
		return stategraph.ErrThreadTaken
	}
	for _, rec := range records {
		if rec.Kind == stategraph.RecordEvent {
			t.events = append(t.events, *rec.Event)
			continue
		}
		t.records = append(t.records, rec)
	}
	t.touched = c.now()
	return nil
}

// Events returns the events recorded on a thread, in the order written.
func (c *Checkpointer) Events(id string) []stategraph.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.threads[id]; t != nil {
		return slices.Clone(t.events)
	}
	return nil
}

// Load implements stategraph.Checkpointer.
func (c *Checkpointer) Load(_ context.Context, id, scope string, from, to int) iter.Seq2[stategraph.Record, error] {
	return func(yield func(stategraph.Record, error) bool) {
		for _, rec := range c.load(id, scope, from, to) {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func (c *Checkpointer) load(id, scope string, from, to int) []stategraph.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.threads[id]
	if t == nil {
		return nil
	}
	var found []stategraph.Record
	for _, rec := range t.records {
		switch {
		case rec.Scope != scope:
		case rec.Kind == stategraph.RecordSnapshot && rec.Step <= from:
			found = append(found[:0], rec)
		case len(found) > 0 && rec.Step <= to:
			found = append(found, rec)
		}
	}
	return found
}

// Questions implements stategraph.Checkpointer.
func (c *Checkpointer) Questions(_ context.Context, id string) ([]stategraph.Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.threads[id]; t != nil {
		return t.questions(), nil
	}
	return nil, nil
}

func (t *thread) questions() []stategraph.Record {
	return lists.Filter(t.records, func(rec stategraph.Record) bool {
		return rec.Kind == stategraph.RecordInterrupt || rec.Kind == stategraph.RecordAnswer
	})
}

// waiting reports whether a question of the thread has no answer.
func (t *thread) waiting() bool {
	open := map[string]bool{}
	for _, rec := range t.questions() {
		if rec.Kind == stategraph.RecordAnswer {
			delete(open, rec.ID)
		} else {
			open[rec.ID] = true
		}
	}
	return len(open) > 0
}

// Delete implements stategraph.Checkpointer.
func (c *Checkpointer) Delete(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.threads, id)
	return nil
}

// Prune implements stategraph.Checkpointer.
func (c *Checkpointer) Prune(_ context.Context, before time.Time) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := len(c.threads)
	maps.DeleteFunc(c.threads, func(_ string, t *thread) bool { return t.touched.Before(before) && !t.waiting() })
	return all - len(c.threads), nil
}
