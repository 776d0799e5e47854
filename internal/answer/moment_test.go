package answer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// counting is a Passages that counts what is read of it, and fails as often as it is told.
type counting struct{ reads, failures atomic.Int32 }

func (c *counting) Passages(_ context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	c.reads.Add(1)
	if c.failures.Add(-1) >= 0 {
		return nil, errors.New("the ledger failed")
	}
	var all []domain.Passage
	for _, id := range ids {
		all = append(all, domain.Passage{Name: string(w), Chunk: domain.Chunk{ID: id}})
	}
	return all, nil
}

// TestPassagesAreReadOnceInAMoment reads the same for many tasks of a run, others for
// another run or workspace, and the same again later; a failure is nobody else's.
func TestPassagesAreReadOnceInAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var from counting
		s := &sharedPassages{from: &from, reads: map[string]*read{}}
		wants := func(w domain.WorkspaceID, run domain.RunID, times int32, ids ...domain.ChunkID) {
			t.Helper()
			before := from.reads.Load()
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					got, err := s.of(t.Context(), w, run, ids)
					if err != nil || len(got) != len(ids) || got[0].Name != string(w) || got[0].ID != ids[0] {
						t.Errorf("%s %v: got %v, error %v", w, ids, got, err)
					}
				})
			}
			all.Wait()
			if n := from.reads.Load() - before; n != times {
				t.Errorf("%s %v: read %d times, want %d", w, ids, n, times)
			}
		}
		wants("one", "r1", 1, "a", "b")
		wants("one", "r1", 0, "a", "b")
		wants("one", "r2", 1, "a", "b")
		wants("two", "r1", 1, "a", "b")
		wants("one", "r1", 1, "b", "a")
		wants("one", "", 8, "a", "b")
		time.Sleep(2 * moment)
		wants("one", "r1", 1, "a", "b")
		from.failures.Store(1)
		if _, err := s.of(t.Context(), "one", "r1", []domain.ChunkID{"c"}); err == nil {
			t.Error("no failure")
		}
		wants("one", "r1", 1, "c")
		time.Sleep(2 * moment)
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.reads) != 0 {
			t.Errorf("%d readings are kept", len(s.reads))
		}
	})
}
