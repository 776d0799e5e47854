package lease_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/testkit/servers"
)

const ws domain.WorkspaceID = "main"

var here, elsewhere = lease.Process{Host: "here", Boot: "boot", PID: 1, Started: "1"}, lease.Process{Host: "elsewhere", Boot: "boot", PID: 1, Started: "1"}

// opened returns the leases of a process, as often as it is called of another
// one on the same database.
type opened func(p lease.Process) *lease.Leases

func onSQLite(t *testing.T) (opened, *sql.DB) {
	t.Helper()
	db := database.Open(t, filepath.Join(t.TempDir(), "clew.db"))
	return opening(db.Writer, db.Reader), db.Writer
}

func opening(writer, reader *sql.DB) opened {
	return func(p lease.Process) *lease.Leases {
		return lease.New(lease.Options{Writer: writer, Reader: reader, Process: p, Now: time.Now, Log: slog.New(slog.DiscardHandler), Wire: sessions{name: p.Host}})
	}
}

// sessions is a wire on which a process is known by its host, and which tells that of "killed" has ended.
type sessions struct {
	sqlio.Unwired
	name string
}

func (w sessions) Session() string { return w.name }

func (sessions) Ended(_ context.Context, names []string) ([]string, error) {
	return slices.DeleteFunc(names, func(s string) bool { return s != "killed" }), nil
}

// TestOneAtATime has several holders in several processes take the lease again
// and again.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) opened{
		"SQLite":   func(t *testing.T) opened { o, _ := onSQLite(t); return o },
		"Postgres": func(t *testing.T) opened { db := servers.Postgres(t); return opening(db.Writer, db.Reader) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			another := open(t)
			var holding atomic.Int32
			var last int64
			var wg sync.WaitGroup
			for _, l := range []*lease.Leases{another(here), another(here), another(elsewhere)} {
				for range 2 {
					wg.Go(func() {
						for range 10 {
							err := l.Hold(t.Context(), ws, func(_ context.Context, token int64) error {
								if n := holding.Add(1); n != 1 || token <= last {
									t.Errorf("%d hold the lease, token %d after %d", n, token, last)
								}
								last = token
								holding.Add(-1)
								return nil
							})
							if err != nil {
								t.Error(err)
							}
						}
					})
				}
			}
			wg.Wait()
		})
	}
}

// holds takes the lease in the background and keeps it until release is called,
// which returns what became of it.
func holds(t *testing.T, l *lease.Leases) (release func() error) {
	t.Helper()
	held, free, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- l.Hold(t.Context(), ws, func(ctx context.Context, _ int64) error {
			close(held)
			select {
			case <-free:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	<-held
	return func() error { close(free); return <-ended }
}

func granted(t *testing.T, l *lease.Leases) {
	t.Helper()
	if err := l.Hold(t.Context(), ws, func(context.Context, int64) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestRenewed works much longer than a lease lasts.
func TestRenewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		another, _ := onSQLite(t)
		release := holds(t, another(here))
		wait, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if err := another(elsewhere).Hold(wait, ws, func(context.Context, int64) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got the lease that somebody holds: %v", err)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
		granted(t, another(elsewhere))
	})
}

// TestSilent has a process fall silent: another gets its lease, which the first
// notices.
func TestSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		another, db := onSQLite(t)
		release := holds(t, another(elsewhere))
		// As if its renewals did not arrive.
		if _, err := db.ExecContext(t.Context(), `CREATE TRIGGER silent BEFORE UPDATE OF lease_until ON store_leases WHEN NEW.host = 'elsewhere' BEGIN SELECT RAISE(IGNORE); END`); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		granted(t, another(here))
		if waited := time.Since(began); waited < 25*time.Second || waited > 31*time.Second {
			t.Errorf("the lease of a silent process ended after %v, want 30 s", waited)
		}
		if err := release(); domain.KindOf(err) != domain.Conflict {
			t.Errorf("who lost the lease got %v, want a conflict", err)
		}
	})
}

// TestDead has a process on this machine die with the lease.
func TestDead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		another, db := onSQLite(t)
		granted(t, another(lease.Process{Host: "here", Boot: "an earlier boot", PID: 7, Started: "7"}))
		later := time.Now().Add(25 * time.Second).UnixMilli()
		if _, err := db.ExecContext(t.Context(), `UPDATE store_leases SET lease_until = ?`, later); err != nil { // it never gave it back
			t.Fatal(err)
		}
		began := time.Now()
		granted(t, another(here))
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("the lease of a dead process was free after %v, want at once", waited)
		}
	})
}

// TestDeadElsewhere has a process on another machine die with the lease: its session is over. One that goes on keeps the lease, although
// its session is taken to be over.
func TestDeadElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		another, db := onSQLite(t)
		killed := another(lease.Process{Host: "killed", Boot: "boot", PID: 1, Started: "1"})
		release := holds(t, killed)
		wait, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := another(here).Hold(wait, ws, func(context.Context, int64) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got the lease of a process that signs: %v", err)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
		if _, err := db.ExecContext(t.Context(), `UPDATE store_leases SET lease_until = ?`, time.Now().Add(30*time.Second).UnixMilli()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		granted(t, another(here))
		if waited := time.Since(began); waited < lease.SilentFor || waited > lease.SilentFor+time.Second {
			t.Errorf("the lease of a dead process was free after %v, want %v", waited, lease.SilentFor)
		}
	})
}

// TestNotGivenBack loses the database when a lease is given back: its holder
// gets it again at once.
func TestNotGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		another, db := onSQLite(t)
		l := another(here)
		later := time.Now().Add(25 * time.Second).UnixMilli()
		granted(t, l)
		if _, err := db.ExecContext(t.Context(), `UPDATE store_leases SET lease_until = ?`, later); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		granted(t, l)
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("waited %v for a lease of its own", waited)
		}
	})
}

// TestWorkspacesAreLentApart holds one workspace and takes another.
func TestWorkspacesAreLentApart(t *testing.T) {
	t.Parallel()
	another, _ := onSQLite(t)
	l := another(here)
	failed := errors.New("failed")
	err := l.Hold(t.Context(), "one", func(ctx context.Context, _ int64) error {
		return l.Hold(ctx, "two", func(context.Context, int64) error { return failed })
	})
	if !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of the work", err)
	}
}
