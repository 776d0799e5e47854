package ingest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/ingest"
)

// gathering counts projections.
type gathering struct {
	*ingest.Gatherer
	mu    sync.Mutex
	times int
	takes time.Duration // a projection
	fail  error         // of the first projection
}

func newGathering() *gathering {
	g := &gathering{}
	g.Gatherer = ingest.NewGatherer(func(context.Context, domain.WorkspaceID) error {
		time.Sleep(g.takes)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.times++
		if g.times == 1 {
			return g.fail
		}
		return nil
	})
	return g
}

// readAll reads documents at the same time, each of which is ready after so long.
func (g *gathering) readAll(t *testing.T, ready ...time.Duration) {
	var all sync.WaitGroup
	for _, takes := range ready {
		end := g.Read() // before any of them is ready
		all.Go(func() {
			defer end()
			time.Sleep(takes)
			if err := g.Project(t.Context(), domain.DefaultWorkspace); err != nil && !errors.Is(err, g.fail) {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestDocumentsAreProjectedTogether reads documents at the same time: those that
// are ready shortly after each other share a projection, and nobody waits for one
// that takes long.
func TestDocumentsAreProjectedTogether(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	for _, tt := range []struct {
		name  string
		ready []time.Duration
		times int
		took  time.Duration // until all are projected
	}{
		{"one alone does not wait", []time.Duration{0}, 1, 0},
		{"the last to be ready ends the wait", []time.Duration{0, 30 * ms, 60 * ms}, 1, 60 * ms},
		{"one that takes long comes later", []time.Duration{0, 0, 1000 * ms}, 2, 1000 * ms},
		{"each by itself", []time.Duration{0, 500 * ms}, 2, 500 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, began := newGathering(), time.Now()
				g.readAll(t, tt.ready...)
				if took := time.Since(began); g.times != tt.times || took != tt.took {
					t.Errorf("%d projections in %v, want %d in %v", g.times, took, tt.times, tt.took)
				}
			})
		})
	}
}

// TestDocumentsGatherWhileOthersAreProjected has a projection take longer than one waits for others: those that are ready
// meanwhile share the next one.
func TestDocumentsGatherWhileOthersAreProjected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, s := newGathering(), time.Second
		g.takes = 10 * s
		g.readAll(t, 0, 2*s, 4*s, 6*s, 8*s, 60*s)
		if g.times != 3 {
			t.Errorf("%d projections, want one of the first document, one of those that were ready during it, and one of the last", g.times)
		}
	})
}

// TestAFailedProjectionIsTriedByEach has the projection of two documents fail: the
// one that did not lead it projects by itself.
func TestAFailedProjectionIsTriedByEach(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGathering()
		g.fail = errors.New("the first was stopped")
		g.readAll(t, 0, 0)
		if g.times != 2 {
			t.Errorf("%d projections, want one more after the failure", g.times)
		}
	})
}
