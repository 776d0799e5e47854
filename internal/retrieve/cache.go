package retrieve

import (
	"context"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
)

// maxSnapshots bounds how many workspaces are cached.
const maxSnapshots = 16

// snapshots caches the graphs of the workspaces used last.
type snapshots struct {
	mu   sync.Mutex
	list []*cached // least recently used first
}

type cached struct {
	workspace domain.WorkspaceID
	mu        sync.Mutex
	snapshot  *snapshot
}

// entry returns the cache entry of a workspace.
func (c *snapshots) entry(w domain.WorkspaceID) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.list, func(e *cached) bool { return e.workspace == w })
	if i < 0 {
		if len(c.list) == maxSnapshots {
			c.list = slices.Delete(c.list, 0, 1)
		}
		c.list = append(c.list, &cached{workspace: w})
		return c.list[len(c.list)-1]
	}
	e := c.list[i]
	c.list = append(slices.Delete(c.list, i, i+1), e)
	return e
}

// snapshot returns the workspace's current graph. Concurrent callers share one
// read.
func (r *Retriever) snapshot(ctx context.Context, w domain.WorkspaceID) (*snapshot, error) {
	e := r.snapshots.entry(w)
	e.mu.Lock()
	defer e.mu.Unlock()
	cursor, err := r.Graph.Cursor(ctx, w)
	if err != nil {
		return nil, err
	}
	if e.snapshot != nil && e.snapshot.cursor == cursor {
		return e.snapshot, nil
	}
	a, err := r.Graph.Adjacency(ctx, w)
	if err != nil {
		return nil, err
	}
	e.snapshot = newSnapshot(a, r.tuning)
	return e.snapshot, nil
}
