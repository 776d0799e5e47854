package explore_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/explore/exploretest"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/testkit/database"
)

// shared returns where a ledger of its own keeps what graphs of the workspace w are divided into.
func shared(t *testing.T) explore.Shared {
	t.Helper()
	db := database.Open(t, filepath.Join(t.TempDir(), "clew.db"))
	if _, err := db.Writer.ExecContext(t.Context(), `INSERT INTO workspaces (id, head, name, title) VALUES ('w', 0, 'w', 'w')`); err != nil {
		t.Fatal(err)
	}
	return explore.Shared{Divisions: ledger.Open(db.Writer, db.Reader, time.Now), Leases: new(lease.Local), Program: "1"}
}

// TestOneProcessDividesForAll opens the overview in two processes at the same time, in a later one, and in one of another version.
func TestOneProcessDividesForAll(t *testing.T) {
	t.Parallel()
	store := stored(t, exploretest.Graph(60, 90)).Graph.(graphstore.Store)
	ctx, all := domain.WithWorkspace(t.Context(), "w"), shared(t)
	slow := &slowly{Reader: store}
	divided := func(shared explore.Shared) *explore.Divided {
		d, behind, err := explore.Reader{Graph: store, Library: explore.NewLibrary(slow, 1, shared)}.Divided(ctx)
		if err != nil || behind {
			t.Errorf("behind %v, %v", behind, err)
		}
		return d
	}
	var both sync.WaitGroup
	var first, second *explore.Divided
	both.Go(func() { first = divided(all) })
	both.Go(func() { second = divided(all) })
	both.Wait()
	for _, d := range []*explore.Divided{second, divided(all)} {
		if diff := cmp.Diff(first, d); diff != "" {
			t.Errorf("divided otherwise (-first +other)\n%s", diff)
		}
	}
	if slow.reads != 1 {
		t.Errorf("the graph was read %d times, want once", slow.reads)
	}
	if all.Program = "2"; divided(all) == nil || slow.reads != 2 {
		t.Errorf("another version read the graph %d times, want once", slow.reads-1)
	}
}

// TestADivisionIsKeptForARestart changes a graph that takes long to read. A process that starts then shows what it was divided into before.
func TestADivisionIsKeptForARestart(t *testing.T) {
	t.Parallel()
	store := stored(t, exploretest.Graph(60, 90)).Graph.(graphstore.Store)
	ctx, all := domain.WithWorkspace(t.Context(), "w"), shared(t)
	slow := &slowly{Reader: store}
	for i, want := range []bool{false, true} {
		_, behind, err := explore.Reader{Graph: store, Library: explore.NewLibrary(slow, 1, all)}.Divided(ctx)
		if err != nil || behind != want || slow.reads != 1 {
			t.Errorf("start %d: behind %v after %d reads, %v", i+1, behind, slow.reads, err)
		}
		if err := store.Apply(ctx, "w", graphstore.Batch{After: int64(i) + 1, Cursor: int64(i) + 2}); err != nil {
			t.Fatal(err)
		}
	}
}
