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
	// Place returns the workspace of the store that the viewer of ctx reads in place of w.
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

	mu   sync.Mutex
	kept []*kept[T] // least recently used first
}

type kept[T any] struct {
	workspace domain.WorkspaceID
	mu        sync.Mutex
	read      bool
	cursor    int64
	value     T
	made      time.Time
	took      time.Duration
	drop      *time.Timer // drops the value
}

// NewCache returns a cache of what prepare makes from the graphs of at most so
// many workspaces. What is large is kept for a time after its last use; 0 keeps it.
func NewCache[T any](store Whole, most int, unused time.Duration, prepare func(*Adjacency) T) *Cache[T] {
	return &Cache[T]{store: store, most: most, unused: unused, prepare: prepare}
}

// Get returns what was made from a workspace's current graph. Concurrent callers
// share one read.
func (c *Cache[T]) Get(ctx context.Context, w domain.WorkspaceID) (T, error) {
	value, _, err := c.get(ctx, w, false)
	return value, err
}

// The limits of what Recent returns.
const (
	slow = time.Second // making a value is put off only if it takes longer
	rest = 20          // times as long as making a value took, for which it is kept
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
	if k.read && k.cursor == cursor {
		return k.value, false, nil
	}
	if recent && k.read && k.took > slow && time.Since(k.made) < rest*k.took {
		return k.value, true, nil
	}
	began := time.Now()
	a, err := c.store.Adjacency(ctx, w)
	if err != nil {
		return value, false, err
	}
	k.read, k.cursor, k.value, k.made = true, a.Cursor, c.prepare(a), time.Now()
	k.took = k.made.Sub(began)
	return k.value, false, nil
}

// dropAfter drops the value after a time, unless it is called again.
func (k *kept[T]) dropAfter(unused time.Duration) {
	if k.drop != nil {
		k.drop.Reset(unused)
		return
	}
	k.drop = time.AfterFunc(unused, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		var none T
		k.read, k.value = false, none
	})
}

// entry returns the entry of a workspace, in place of the least recently used
// one if there are too many.
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
