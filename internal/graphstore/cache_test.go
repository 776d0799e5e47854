package graphstore_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// shelf counts how often its graph is read.
type shelf struct{ cursor, reads int64 }

func (s *shelf) Cursor(context.Context, domain.WorkspaceID) (int64, error) { return s.cursor, nil }

func (s *shelf) Adjacency(context.Context, domain.WorkspaceID) (*graphstore.Adjacency, error) {
	s.reads++
	return &graphstore.Adjacency{Cursor: s.cursor}, nil
}

func TestACacheDropsWhatIsNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		c := graphstore.NewCache(s, 1, time.Minute, func(a *graphstore.Adjacency) int64 { return a.Cursor })
		get := func(want, reads int64) {
			t.Helper()
			got, err := c.Get(t.Context(), "w")
			if err != nil || got != want || s.reads != reads {
				t.Errorf("got %d, %v after %d reads, want %d after %d", got, err, s.reads, want, reads)
			}
		}
		get(0, 1)
		time.Sleep(40 * time.Second)
		get(0, 1)
		time.Sleep(40 * time.Second)
		get(0, 1)
		time.Sleep(2 * time.Minute)
		get(0, 2)
		s.cursor = 5
		get(5, 3)
		time.Sleep(2 * time.Minute)
	})
}
