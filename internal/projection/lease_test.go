package projection_test

import (
	"context"
	"database/sql"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/vectorstore"
)

// TestProjectorsThatLoseTheirLease has two processes project the same library
// while documents come and go. Now and then one is suspended before it writes,
// loses its lease, and writes when the other has gone on.
func TestProjectorsThatLoseTheirLease(t *testing.T) {
	t.Parallel()
	s := embeddedSet(t)
	late := &lateWrites{db: s.db.Writer}
	projector := func(pid int, graph graphstore.Store, vectors vectorstore.Index) *projection.Projector {
		return projection.New(projection.Params{
			Ledger: s.ledger, Graph: graph, Vectors: vectors, Log: slog.New(slog.DiscardHandler),
			Key: prose.Key, Sentences: prose.Sentences,
			Leases: lease.New(lease.Options{
				Writer: s.db.Writer, Reader: s.db.Reader, Process: lease.Process{Host: "here", PID: pid}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
				Length: 300 * time.Millisecond, // renewed every 100 ms, by which a lost one is noticed
			}),
		})
	}
	one, other := projector(1, lateGraph{s.graph, late}, lateVectors{s.vectors, late}), projector(2, s.graph, s.vectors)
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() { // always there to take the lease
		r := rand.New(rand.NewPCG(2, 2))
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
			if r.IntN(8) == 0 {
				if err := other.Reset(t.Context(), s.ws, projection.Stores{Graph: true, Vectors: true}); err != nil {
					t.Errorf("reset: %v", err)
				}
			}
			if err := other.Apply(t.Context(), s.ws); err != nil {
				t.Errorf("apply: %v", err)
			}
		}
	})
	s.Projector = one
	r := rand.New(rand.NewPCG(1, 1))
	for i := 0; i < 25 || late.written.Load() < 5 && i < 500; i++ {
		s.add(r)
		if id, ok := s.any(r); ok && r.IntN(2) == 0 {
			_, err := s.ledger.DeleteDocument(t.Context(), s.ws, id)
			s.check(err)
		}
		late.next.Store(int32(r.IntN(3))) //nolint:gosec // small
		s.check(one.Apply(t.Context(), s.ws))
	}
	close(done)
	wg.Wait()
	late.next.Store(0)
	s.add(r)
	s.check(one.Apply(t.Context(), s.ws))
	got := s.snapshot()
	s.check(one.Reset(t.Context(), s.ws, projection.Stores{Graph: true, Vectors: true}))
	s.check(one.Apply(t.Context(), s.ws))
	if d := diff(s.snapshot(), got); d != "" {
		t.Errorf("differs from a rebuild (-rebuilt +this):\n%s", d)
	}
	if late.written.Load() < 5 {
		t.Errorf("only %d writes came late: the test proves little", late.written.Load())
	}
}

// lateWrites suspend the process before its next write, or the one after that.
type lateWrites struct {
	db      *sql.DB
	next    atomic.Int32 // which write is late; 0 for none
	written atomic.Int32 // late writes
}

// delay waits until another process has the lease, if this write is a late one.
// It reports whether it is.
func (l *lateWrites) delay(w domain.WorkspaceID, token int64) (bool, error) {
	if l.next.Add(-1) != 0 {
		return false, nil
	}
	ctx := context.Background() // the process notices nothing meanwhile
	for now := token; now == token; time.Sleep(time.Millisecond) {
		// Again and again: the heartbeat may have renewed it before the other looked.
		if _, err := l.db.ExecContext(ctx, `UPDATE store_leases SET lease_until = 0 WHERE workspace_id = ? AND token = ?`, w, token); err != nil {
			return false, err
		}
		if err := l.db.QueryRowContext(ctx, `SELECT token FROM store_leases WHERE workspace_id = ?`, w).Scan(&now); err != nil {
			return false, err
		}
	}
	l.written.Add(1)
	return true, nil
}

type lateGraph struct {
	graphstore.Store
	late *lateWrites
}

func (g lateGraph) Apply(ctx context.Context, w domain.WorkspaceID, b graphstore.Batch) error {
	late, err := g.late.delay(w, b.Token)
	if err != nil {
		return err
	}
	if late {
		ctx = context.WithoutCancel(ctx)
	}
	return g.Store.Apply(ctx, w, b)
}

type lateVectors struct {
	vectorstore.Store
	late *lateWrites
}

func (v lateVectors) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	late, err := v.late.delay(w, b.Token)
	if err != nil {
		return err
	}
	if late {
		ctx = context.WithoutCancel(ctx)
	}
	return v.Store.Apply(ctx, w, b)
}
