package graphstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Whole is the part of Reader that reads whole graphs.
type Whole interface {
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)
	Adjacency(ctx context.Context, w domain.WorkspaceID) (*Adjacency, error)
}

// A Placed is a Whole that shows the same workspace to different viewers in different ways.
type Placed interface {
	// Place returns the store's workspace that the viewer of ctx reads in place of w.
	Place(ctx context.Context, w domain.WorkspaceID) (domain.WorkspaceID, error)
}

// A Cache keeps what is made from the graphs of the workspaces used last, as each viewer sees them if the store is Placed. A
// graph is read again when its store has moved on, or when what was made of it has not been used for some time. It is safe for
// concurrent use.
type Cache[T any] struct {
	store   Whole
	most    int
	unused  time.Duration
	prepare func(*Adjacency) T
	shelf   Shelf[T] // nil if nobody else needs the values

	mu   sync.Mutex
	kept []*kept[T] // least recently used first
}

type kept[T any] struct {
	workspace domain.WorkspaceID
	mu        sync.Mutex
	made      *Made[T]
	drop      *time.Timer // drops the value
}

// Made is a value made from a graph.
type Made[T any] struct {
	Value  T
	Cursor int64 // of the graph
	At     time.Time
	Took   time.Duration
}

// A Shelf shares values made from graphs between processes. A place is the workspace of the store that holds the graph.
type Shelf[T any] interface {
	// Take returns the latest value made from the graph of a place of w, if its cursor was later than
	// after, or nil.
	Take(ctx context.Context, w, place domain.WorkspaceID, after int64) (*Made[T], error)
	// Put replaces the stored value.
	Put(ctx context.Context, w, place domain.WorkspaceID, m Made[T]) error
	// Hold calls work as soon as no other process or goroutine makes the shelf's value for a place.
	Hold(ctx context.Context, place domain.WorkspaceID, work func(ctx context.Context) error) error
}

// NewCache returns a cache of the values that prepare makes from the graphs of at most a number of workspaces. Large
// values are kept for a time after their last use; 0 keeps them.
func NewCache[T any](store Whole, most int, unused time.Duration, prepare func(*Adjacency) T) *Cache[T] {
	return &Cache[T]{store: store, most: most, unused: unused, prepare: prepare}
}

// NewShared returns a cache like that of NewCache that also looks for values on a shelf, and puts them there. It keeps
// the last one.
func NewShared[T any](store Whole, most int, shelf Shelf[T], prepare func(*Adjacency) T) *Cache[T] {
	return &Cache[T]{store: store, most: most, shelf: shelf, prepare: prepare}
}

// Get returns the value made from a workspace's current graph. Concurrent callers share one read.
func (c *Cache[T]) Get(ctx context.Context, w domain.WorkspaceID) (T, error) {
	value, _, err := c.get(ctx, w, false)
	return value, err
}

// Limits on what Recent returns.
const (
	slow = time.Second // making a value is postponed only if it takes longer
	rest = 20          // a value is kept for this many times as long as it took to make
)

// Recent is Get, except that it may return an earlier value, and then reports that the graph has
// moved on since. So a library that changes all the time is read again in a twentieth of the
// time at most, and while it is small at each change.
func (c *Cache[T]) Recent(ctx context.Context, w domain.WorkspaceID) (value T, behind bool, err error) {
	return c.get(ctx, w, true)
}

func (c *Cache[T]) get(ctx context.Context, w domain.WorkspaceID, recent bool) (value T, behind bool, err error) {
	place := w
	if p, ok := c.store.(Placed); ok {
		if place, err = p.Place(ctx, w); err != nil {
			return value, false, err
		}
	}
	k := c.entry(place)
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.unused > 0 {
		defer k.dropAfter(c.unused)
	}
	cursor, err := c.store.Cursor(ctx, w)
	if err != nil {
		return value, false, err
	}
	if !k.of(cursor) && c.shelf != nil {
		if err := c.take(ctx, w, k); err != nil {
			return value, false, err
		}
	}
	if !k.of(cursor) && !(recent && k.rests()) {
		if err := c.renew(ctx, w, k, cursor); err != nil {
			return value, false, err
		}
		return k.made.Value, false, nil
	}
	return k.made.Value, !k.of(cursor), nil
}

// of reports whether what was made is of the graph at a cursor.
func (k *kept[T]) of(cursor int64) bool { return k.made != nil && k.made.Cursor == cursor }

// rests reports whether a value may be returned although the graph has changed since.
func (k *kept[T]) rests() bool {
	return k.made != nil && k.made.Took > slow && time.Since(k.made.At) < rest*k.made.Took
}

// take takes over what others have made since.
func (c *Cache[T]) take(ctx context.Context, w domain.WorkspaceID, k *kept[T]) error {
	after := int64(-1)
	if k.made != nil {
		after = k.made.Cursor
	}
	m, err := c.shelf.Take(ctx, w, k.workspace, after)
	if m != nil {
		k.made = m
	}
	return err
}

// renew takes over the value that another process makes from the graph at a cursor, or makes it.
func (c *Cache[T]) renew(ctx context.Context, w domain.WorkspaceID, k *kept[T], cursor int64) error {
	if c.shelf == nil {
		return c.make(ctx, w, k)
	}
	return c.shelf.Hold(ctx, k.workspace, func(ctx context.Context) error {
		if err := c.take(ctx, w, k); err != nil || k.of(cursor) {
			return err
		}
		if err := c.make(ctx, w, k); err != nil {
			return err
		}
		return c.shelf.Put(ctx, w, k.workspace, *k.made)
	})
}

// make makes a value from the graph.
func (c *Cache[T]) make(ctx context.Context, w domain.WorkspaceID, k *kept[T]) error {
	began := time.Now()
	a, err := c.store.Adjacency(ctx, w)
	if err != nil {
		return err
	}
	value := c.prepare(a)
	now := time.Now()
	k.made = &Made[T]{value, a.Cursor, now, now.Sub(began)}
	return nil
}

// dropAfter drops what was made after a time, unless it is called again.
func (k *kept[T]) dropAfter(unused time.Duration) {
	if k.drop != nil {
		k.drop.Reset(unused)
		return
	}
	k.drop = time.AfterFunc(unused, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.made = nil
	})
}

// entry returns the entry of a workspace. If there are too many, it replaces the least recently used one.
func (c *Cache[T]) entry(w domain.WorkspaceID) *kept[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.kept, func(k *kept[T]) bool { return k.workspace == w })
	if i < 0 {
		if len(c.kept) == c.most {
			c.kept = slices.Delete(c.kept, 0, 1)
		}
		c.kept = append(c.kept, &kept[T]{workspace: w})
		return c.kept[len(c.kept)-1]
	}
	k := c.kept[i]
	c.kept = append(slices.Delete(c.kept, i, i+1), k)
	return k
}
