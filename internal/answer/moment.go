package answer

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// moment is how long passages that were read are handed on to others who want the same:
// the graders of a search, and who writes from what they found relevant.
const moment = 100 * time.Millisecond

// sharedPassages reads passages once for all who want the same within a moment. They
// must not change them.
type sharedPassages struct {
	from Passages

	mu    sync.Mutex
	reads map[string]*read // by workspace and ids
}

// read is one reading of passages.
type read struct {
	done     chan struct{} // closed when the others are set
	passages []domain.Passage
	err      error
}

// Passages implements Passages.
func (s *sharedPassages) Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	var key strings.Builder
	key.WriteString(string(w))
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
