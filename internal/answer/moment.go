package answer

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// moment is how long the passages of a search that a grader has read are handed on to the
// others.
const moment = 100 * time.Millisecond

// sharedPassages reads passages once for all tasks of a run that want the same within a
// moment. They must not change them.
type sharedPassages struct {
	from Passages

	mu    sync.Mutex
	reads map[string]*read // by workspace, run and ids
}

// read is one reading of passages.
type read struct {
	done     chan struct{} // closed when the others are set
	passages []domain.Passage
	err      error
}

// of reads passages for a run. Without an id, runs can't be told apart, and share nothing.
func (s *sharedPassages) of(ctx context.Context, w domain.WorkspaceID, run domain.RunID, ids []domain.ChunkID) ([]domain.Passage, error) {
	if run == "" {
		return s.from.Passages(ctx, w, ids)
	}
	var key strings.Builder
	key.WriteString(string(w) + " " + string(run))
	for _, id := range ids {
		key.WriteString(" " + string(id))
	}
	r, first := s.join(key.String())
	if first {
		s.carryOut(ctx, r, key.String(), w, ids)
		return r.passages, r.err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r.err != nil { // perhaps of a run that was stopped
		return s.from.Passages(ctx, w, ids)
	}
	return r.passages, nil
}

func (s *sharedPassages) join(key string) (r *read, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.reads[key]; ok {
		return r, false
	}
	r = &read{done: make(chan struct{})}
	s.reads[key] = r
	return r, true
}

func (s *sharedPassages) carryOut(ctx context.Context, r *read, key string, w domain.WorkspaceID, ids []domain.ChunkID) {
	defer close(r.done)
	forget := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.reads, key)
	}
	if r.passages, r.err = s.from.Passages(ctx, w, ids); r.err != nil {
		forget()
		return
	}
	time.AfterFunc(moment, forget)
}
