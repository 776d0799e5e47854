package explore

import (
	"context"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// maxGraphs bounds how many workspaces are kept in memory.
const maxGraphs = 4

// A Library keeps the graphs explored last. They are read again when the store
// has moved on. The zero value with a Store is ready for use.
type Library struct {
	Store graphstore.Reader

	mu   sync.Mutex
	kept []*kept // least recently used first
}

type kept struct {
	workspace domain.WorkspaceID
	mu        sync.Mutex
	graph     *Graph
}

// Graph returns a workspace's current graph. Concurrent callers share one read.
func (l *Library) Graph(ctx context.Context, w domain.WorkspaceID) (*Graph, error) {
	k := l.entry(w)
	k.mu.Lock()
	defer k.mu.Unlock()
	cursor, err := l.Store.Cursor(ctx, w)
	if err != nil {
		return nil, err
	}
	if k.graph != nil && k.graph.Cursor == cursor {
		return k.graph, nil
	}
	a, err := l.Store.Adjacency(ctx, w)
	if err != nil {
		return nil, err
	}
	k.graph = New(a)
	return k.graph, nil
}

func (l *Library) entry(w domain.WorkspaceID) *kept {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.kept, func(k *kept) bool { return k.workspace == w })
	if i < 0 {
		if len(l.kept) == maxGraphs {
			l.kept = slices.Delete(l.kept, 0, 1)
		}
		l.kept = append(l.kept, &kept{workspace: w})
		return l.kept[len(l.kept)-1]
	}
	k := l.kept[i]
	l.kept = append(slices.Delete(l.kept, i, i+1), k)
	return k
}
