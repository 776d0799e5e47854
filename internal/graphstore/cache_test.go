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
type shelf struct {
	cursor, reads int64
	takes         time.Duration // a read
}

func (s *shelf) Cursor(context.Context, domain.WorkspaceID) (int64, error) { return s.cursor, nil }

func (s *shelf) Adjacency(context.Context, domain.WorkspaceID) (*graphstore.Adjacency, error) {
	s.reads++
	time.Sleep(s.takes)
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

func TestACacheRestsAfterASlowRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		takes time.Duration
		want  []int64 // returned 10 s after each of four changes
		reads int64   // by then
	}{
		"quick": {50 * time.Millisecond, []int64{1, 2, 3, 4}, 5},
		"slow":  {1500 * time.Millisecond, []int64{0, 0, 3, 3}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shelf{takes: c.takes}
				cache := graphstore.NewCache(s, 1, 0, func(a *graphstore.Adjacency) int64 { return a.Cursor })
				if _, behind, err := cache.Recent(t.Context(), "w"); err != nil || behind {
					t.Fatalf("first read: behind %v, %v", behind, err)
				}
				for i, want := range c.want {
					time.Sleep(10 * time.Second)
					s.cursor++
					got, behind, err := cache.Recent(t.Context(), "w")
					if err != nil || got != want || behind != (want != s.cursor) {
						t.Errorf("change %d: got %d, behind %v, %v, want %d", i+1, got, behind, err, want)
					}
				}
				if s.reads != c.reads {
					t.Errorf("read %d times, want %d", s.reads, c.reads)
				}
				if got, err := cache.Get(t.Context(), "w"); err != nil || got != s.cursor {
					t.Errorf("Get: got %d, %v, want %d", got, err, s.cursor)
				}
			})
		})
	}
}
