package retrieve

import (
	"context"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
)

// maxSnapshots bounds how many workspaces are kept ready.
const maxSnapshots = 16

// snapshots keeps the graphs of workspaces as long as they are current.
type snapshots struct {
	mu   sync.Mutex
	list []*kept // the latest used last
}

type kept struct {
	workspace domain.WorkspaceID
	mu        sync.Mutex
	snapshot  *snapshot
}

// of is the place where a workspace's snapshot is kept.
func (k *snapshots) of(w domain.WorkspaceID) *kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(e *kept) bool { return e.workspace == w })
	if i < 0 {
		if len(k.list) == maxSnapshots {
			k.list = slices.Delete(k.list, 0, 1)
		}
		k.list = append(k.list, &kept{workspace: w})
		return k.list[len(k.list)-1]
	}
	e := k.list[i]
	k.list = append(slices.Delete(k.list, i, i+1), e)
	return e
}

// snapshot is the workspace's graph as it is now. Who comes while it is being
// read waits for it.
func (r *Retriever) snapshot(ctx context.Context, w domain.WorkspaceID) (*snapshot, error) {
	e := r.snapshots.of(w)
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
