// Package memory keeps the threads of state graphs in memory: for tests, and
// for runs that have questions but need not outlive their process.
package memory

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
)

// Checkpointer keeps threads in memory.
type Checkpointer struct {
	now func() time.Time

	mu      sync.Mutex
	threads map[string]*thread
}

var _ stategraph.Checkpointer = (*Checkpointer)(nil)

type thread struct {
	records []stategraph.Record
	events  []stategraph.Event
	token   int64
	until   time.Time // of the lease
	touched time.Time
}

// New is an empty checkpointer that reads leases and ages off the given clock.
func New(now func() time.Time) *Checkpointer {
	return &Checkpointer{now: now, threads: map[string]*thread{}}
}

// Acquire is stategraph.Checkpointer.Acquire.
func (c *Checkpointer) Acquire(_ context.Context, id string, lease time.Duration, force bool) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.threads[id]
	if t == nil {
		t = &thread{touched: c.now()}
		c.threads[id] = t
	}
	if !force && t.until.After(c.now()) {
		return 0, stategraph.ErrThreadBusy
	}
	t.token++
	t.until = c.now().Add(lease)
	return t.token, nil
}

// held is the thread while the token stands for its writer.
func (c *Checkpointer) held(id string, token int64) (*thread, error) {
	t := c.threads[id]
	if t == nil || t.token != token {
		return nil, stategraph.ErrLeaseLost
	}
	return t, nil
}

// Renew is stategraph.Checkpointer.Renew.
func (c *Checkpointer) Renew(_ context.Context, id string, token int64, lease time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.held(id, token)
	if err == nil {
		t.until = c.now().Add(lease)
	}
	return err
}

// Release is stategraph.Checkpointer.Release.
func (c *Checkpointer) Release(_ context.Context, id string, token int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, err := c.held(id, token); err == nil {
		t.until = time.Time{}
	}
	return nil
}

// Append is stategraph.Checkpointer.Append.
func (c *Checkpointer) Append(_ context.Context, id string, token int64, records []stategraph.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.held(id, token)
	if err != nil {
		return err
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

// Events are what the runs on a thread have recorded, in the order of its
// writing.
func (c *Checkpointer) Events(id string) []stategraph.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.threads[id]; t != nil {
		return slices.Clone(t.events)
	}
	return nil
}

// Load is stategraph.Checkpointer.Load.
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

// Questions is stategraph.Checkpointer.Questions.
func (c *Checkpointer) Questions(_ context.Context, id string) ([]stategraph.Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.threads[id]; t != nil {
		return t.questions(), nil
	}
	return nil, nil
}

func (t *thread) questions() []stategraph.Record {
	var found []stategraph.Record
	for _, rec := range t.records {
		if rec.Kind == stategraph.RecordInterrupt || rec.Kind == stategraph.RecordAnswer {
			found = append(found, rec)
		}
	}
	return found
}

// waits reports whether a question of the thread has no answer.
func (t *thread) waits() bool {
	open := map[string]bool{}
	for _, rec := range t.questions() {
		open[rec.ID] = rec.Kind == stategraph.RecordInterrupt
	}
	for _, waiting := range open {
		if waiting {
			return true
		}
	}
	return false
}

// Delete is stategraph.Checkpointer.Delete.
func (c *Checkpointer) Delete(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.threads, id)
	return nil
}

// Prune is stategraph.Checkpointer.Prune.
func (c *Checkpointer) Prune(_ context.Context, before time.Time) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var old []string
	for id, t := range c.threads {
		if t.touched.Before(before) && !t.until.After(c.now()) && !t.waits() {
			old = append(old, id)
		}
	}
	for _, id := range slices.Sorted(slices.Values(old)) {
		delete(c.threads, id)
	}
	return len(old), nil
}
