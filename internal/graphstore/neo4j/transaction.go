package neo4j

import (
	"context"
	"maps"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
)

type params map[string]any

type tx struct {
	driver.ManagedTransaction
	watched   *watched
	workspace domain.WorkspaceID
	store     *Store
	rows      int
}

// read and write run work in a transaction and retry it after conflicts and
// lost connections, so work must be repeatable.
func (s *Store) read(ctx context.Context, work func(*tx) error) error {
	return s.readIn(ctx, "", work)
}

func (s *Store) readIn(ctx context.Context, ws domain.WorkspaceID, work func(*tx) error) error {
	if err := s.standing(); err != nil {
		return err
	}
	w := s.watch(ctx, readLimit)
	defer w.stop()
	session := s.session(w, driver.AccessModeRead)
	defer s.release(ctx, session)
	_, err := session.ExecuteRead(w.ctx, s.managed(w, ws, work), driver.WithTxTimeout(readLimit))
	return s.explain(ctx, w, err)
}

func (s *Store) write(ctx context.Context, work func(*tx) error) error {
	return s.writeIn(ctx, "", work)
}

func (s *Store) writeIn(ctx context.Context, ws domain.WorkspaceID, work func(*tx) error) error {
	if err := s.standing(); err != nil {
		return err
	}
	w := s.watch(ctx, writeLimit)
	defer w.stop()
	session := s.session(w, driver.AccessModeWrite)
	defer s.release(ctx, session)
	_, err := session.ExecuteWrite(w.ctx, s.managed(w, ws, work), driver.WithTxTimeout(writeLimit))
	return s.explain(ctx, w, err)
}

// standing returns the error of a server that is known to be away.
func (s *Store) standing() error {
	if s.outage == nil {
		return nil
	}
	return s.outage.Standing()
}

func (s *Store) session(w *watched, mode driver.AccessMode) driver.SessionWithContext {
	return s.driver.NewSession(w.ctx, driver.SessionConfig{AccessMode: mode, DatabaseName: s.Database, BookmarkManager: s.bookmarks})
}

// release returns a session's connection even if the work was abandoned.
func (s *Store) release(ctx context.Context, session driver.SessionWithContext) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = session.Close(ctx) // the work is done, or its error is known
}

func (s *Store) managed(w *watched, ws domain.WorkspaceID, work func(*tx) error) driver.ManagedTransactionWork {
	return func(t driver.ManagedTransaction) (any, error) {
		w.heard()
		return nil, work(&tx{ManagedTransaction: t, watched: w, workspace: ws, store: s, rows: s.Rows})
	}
}

// each runs a statement, which finds its workspace in $workspace, and calls
// take with each row.
func (t *tx) each(take func(row), statement string, p params) error {
	all := map[string]any{"workspace": string(t.workspace)}
	maps.Copy(all, p)
	result, err := t.Run(t.watched.ctx, statement, all)
	if err != nil {
		return err
	}
	for result.Next(t.watched.ctx) {
		t.watched.heard()
		r := row{values: result.Record().Values, at: new(int)}
		take(r)
	}
	t.watched.heard()
	return result.Err()
}

// exec runs a statement and discards its result.
func (t *tx) exec(statement string, p params) error {
	return t.each(func(row) {}, statement, p)
}

// unwind runs a statement over rows, available as $rows, a part at a time, so
// that neither side holds a whole batch as one message.
func unwind[R any](t *tx, rows []R, statement string) error {
	return unwindEach(t, rows, func(row) {}, statement)
}

func unwindEach[R any](t *tx, rows []R, take func(row), statement string) error {
	return unwindWith(t, rows, take, statement, params{})
}

// unwindWith also gives the statement more parameters.
func unwindWith[R any](t *tx, rows []R, take func(row), statement string, more params) error {
	for len(rows) > 0 {
		n := min(t.rows, len(rows))
		more["rows"] = rows[:n]
		if err := t.each(take, statement, more); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
