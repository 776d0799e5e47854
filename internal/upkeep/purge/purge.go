// Package purge permanently removes the data of deleted workspaces.
package purge

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Store is a store that is filled from the ledger.
type Store interface {
	// Reset removes the store's data about a workspace.
	Reset(ctx context.Context, w domain.WorkspaceID, token int64) error
}

// Params configure a Service. All are required.
type Params struct {
	Writer *sql.DB // of the ledger
	Disk   Disk
	Leases Leases  // lend a workspace's stores
	Stores []Store // the graph and the search index
	Now    domain.Clock
	Log    *slog.Logger

	Removed func(ctx context.Context, name string, rows int) // called for each workspace that is gone
}

// A Disk is where the ledger and the files are.
type Disk interface {
	// Erased is called in each transaction that deletes words of the ledger.
	Erased(ctx context.Context, tx *sql.Tx) error
	// Explain translates the errors of the ledger's database into domain errors.
	Explain(err error) error
	// Forget removes the files of a workspace.
	Forget(ctx context.Context, w domain.WorkspaceID) error
}

// Leases lend the stores of a workspace to one process at a time.
type Leases interface {
	Hold(ctx context.Context, w domain.WorkspaceID, work func(ctx context.Context, token int64) error) error
}

// Service removes deleted workspaces.
type Service struct{ Params }

// New returns a Service.
func New(p Params) *Service { return &Service{p} }

// few is the number of rows deleted at once, so that no writer waits long for one of these transactions, and parents is
// the same for rows that take others with them.
const (
	few     = 500
	parents = 20
)

// due are the workspaces whose deletion can't be undone any more.
const due = ` FROM workspaces WHERE delete_at > 0 AND delete_at <= ?`

// CarryOut removes the workspaces whose deletion can't be undone any more: what the stores, the files and the tables have of
// them, and at last the workspaces. It ends the work of one whose runs are still going on, and leaves it to the next call.
// When it is cut off, the next call goes on, in whatever process.
func (s *Service) CarryOut(ctx context.Context) error {
	all, err := sqlio.Collect(ctx, s.Writer, sqlio.Column[domain.WorkspaceID], `SELECT id`+due+` ORDER BY id`, sqlio.Millis(s.Now()))
	if err != nil {
		return s.wrap("list deleted workspaces", err)
	}
	var errs []error
	for _, w := range all {
		if err := s.Leases.Hold(ctx, w, func(ctx context.Context, token int64) error { return s.remove(ctx, w, token) }); err != nil {
			errs = append(errs, fmt.Errorf("remove the workspace %s: %w", w, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Service) wrap(op string, err error) error {
	if err == nil || domain.KindOf(err) != domain.Internal {
		return err
	}
	return fmt.Errorf("%s: %w", op, s.Disk.Explain(err))
}

// remove removes a workspace, unless a run is going on.
func (s *Service) remove(ctx context.Context, w domain.WorkspaceID, token int64) error {
	began := s.Now()
	name, err := sqlio.Value[string](ctx, s.Writer, `SELECT name FROM workspaces WHERE id = ?`, w)
	if err != nil {
		return s.wrap("name the workspace", err)
	}
	resting, err := s.stopRuns(ctx, w)
	if err != nil || !resting {
		return err
	}
	tables, err := Tables(ctx, s.Writer)
	if err != nil {
		return s.wrap("read the schema", err)
	}
	held, err := s.held(ctx, w)
	if err != nil {
		return err
	}
	for _, id := range held {
		for _, store := range s.Stores {
			if err := store.Reset(ctx, id, token); err != nil {
				return err
			}
		}
	}
	if err := s.Disk.Forget(ctx, w); err != nil {
		return err
	}
	rows := 0
	for _, t := range tables {
		n, err := s.empty(ctx, w, t)
		if rows += n; err != nil {
			return s.wrap("empty "+t.Name, err)
		}
	}
	err = s.stillDue(ctx, w, func(tx *sql.Tx) (bool, error) {
		prefix := string(w) + "~" // prefix of leases for its sights, and of values made for it
		err := sqlio.Exec(ctx, tx, `DELETE FROM store_leases WHERE workspace_id = ? OR SUBSTR(workspace_id, 1, ?) = ?`, w, len(prefix), prefix)
		if err != nil {
			return false, err
		}
		return true, sqlio.Exec(ctx, tx, `DELETE FROM workspaces WHERE id = ?`, w)
	})
	if err == nil {
		s.Removed(ctx, name, rows)
		s.Log.InfoContext(ctx, "workspace removed for good", "workspace", w, "rows", rows, "took", s.Now().Sub(began).Round(time.Millisecond))
	}
	return s.wrap("delete the workspace", err)
}

// held returns the ids under which the stores hold a workspace: that of the workspace, and that of each of its sights.
func (s *Service) held(ctx context.Context, w domain.WorkspaceID) ([]domain.WorkspaceID, error) {
	sights, err := sqlio.Collect(ctx, s.Writer, sqlio.Column[domain.WorkspaceID], `SELECT id FROM sights WHERE workspace_id = ? ORDER BY id`, w)
	return append([]domain.WorkspaceID{w}, sights...), s.wrap("list sights", err)
}

// stopRuns asks all runs of a workspace to stop, and reports whether none is carried out any more.
func (s *Service) stopRuns(ctx context.Context, w domain.WorkspaceID) (resting bool, err error) {
	err = s.stillDue(ctx, w, func(tx *sql.Tx) (bool, error) {
		err := sqlio.Exec(ctx, tx, `UPDATE runs SET stop_asked = 1, settled = 1,
			finished_at = CASE status WHEN 'running' THEN finished_at ELSE ? END, status = CASE status WHEN 'running' THEN status ELSE 'stopped' END
			WHERE workspace_id = ? AND finished_at = 0`, sqlio.Millis(s.Now()), w)
		if err != nil {
			return false, err
		}
		running, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM runs WHERE workspace_id = ? AND status = 'running' AND lease_until > ?`, w, sqlio.Millis(s.Now()))
		resting = running == 0
		return false, err
	})
	return resting, s.wrap("stop the runs", err)
}

// empty deletes the rows of a table, few at a time, and returns their number.
func (s *Service) empty(ctx context.Context, w domain.WorkspaceID, t Table) (rows int, err error) {
	for {
		deleted := 0
		err := s.stillDue(ctx, w, func(tx *sql.Tx) (bool, error) {
			if t.Name == "runs" { // their states are on threads with their names
				if err := sqlio.Exec(ctx, tx, `DELETE FROM threads WHERE id IN (SELECT id FROM runs WHERE workspace_id = ? ORDER BY id LIMIT ?)`, w, t.atOnce); err != nil {
					return false, err
				}
			}
			done, err := tx.ExecContext(ctx, t.deleteSome(), w, t.atOnce)
			if err != nil {
				return false, err
			}
			n, err := done.RowsAffected()
			deleted = int(n)
			return n > 0, err
		})
		if rows += deleted; err != nil || deleted == 0 {
			return rows, err
		}
	}
}

// stillDue calls f in a transaction, unless the deletion of the workspace has been undone. f reports whether it deletes words.
func (s *Service) stillDue(ctx context.Context, w domain.WorkspaceID, f func(tx *sql.Tx) (bool, error)) error {
	return sqlio.InTx(ctx, s.Writer, func(tx *sql.Tx) error {
		still, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*)`+due+` AND id = ?`, sqlio.Millis(s.Now()), w)
		switch {
		case err != nil:
			return err
		case still == 0:
			return domain.Errorf(domain.Conflict, "The workspace is not to be deleted any more.")
		}
		if deletes, err := f(tx); err != nil || !deletes {
			return err
		}
		return s.Disk.Erased(ctx, tx)
	})
}
