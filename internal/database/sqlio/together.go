package sqlio

import (
	"context"
	"sync"
)

// Together writes in one go what several callers want to have written at the same
// time: while one writes, the others gather. A transaction of SQLite costs more
// than what most of them write.
type Together[T any] struct {
	write func(ctx context.Context, items []T) error
	apart bool // each item separately

	mu   sync.Mutex
	next *round[T] // collects items until somebody writes it

	writing sync.Mutex
}

// round is a group of writes that share a transaction.
type round[T any] struct {
	items   []T
	written bool
	err     error
}

// NewTogether returns a Together that writes to a database with write, all of the
// items or none. It must be possible to write an item again after it has failed.
// Postgres writes each by itself: its transactions don't wait for each other.
func NewTogether[T any](d Dialect, write func(ctx context.Context, items []T) error) *Together[T] {
	return &Together[T]{write: write, apart: d.Postgres}
}

// Write returns when the item is written, or its own error: what fails together is
// written one by one.
func (g *Together[T]) Write(ctx context.Context, item T) error {
	if g.apart {
		return g.write(ctx, []T{item})
	}
	r := g.join(item)
	err, alone := g.finish(ctx, r)
	if err == nil || alone {
		return err
	}
	return g.write(ctx, []T{item})
}

// join adds an item to the round that gathers.
func (g *Together[T]) join(item T) *round[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next == nil {
		g.next = new(round[T])
	}
	g.next.items = append(g.next.items, item)
	return g.next
}

// finish waits until a round is written, or writes it.
func (g *Together[T]) finish(ctx context.Context, r *round[T]) (err error, alone bool) {
	g.writing.Lock()
	defer g.writing.Unlock()
	if !r.written {
		g.mu.Lock()
		if g.next == r {
			g.next = nil
		}
		g.mu.Unlock()
		if len(r.items) > 1 {
			ctx = context.WithoutCancel(ctx) // the others have not been stopped
		}
		r.err = g.write(ctx, r.items)
		r.written = true
	}
	return r.err, len(r.items) == 1
}
