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

// query runs one statement that reads, and calls take with each row. It does so without a transaction around it, which would take
// two more round trips. If that fails in a way that may pass, it does it again in one, which is retried. Each time it calls begin first.
func (s *Store) query(ctx context.Context, ws domain.WorkspaceID, begin func(), take func(row), statement string, p params) error {
	if err := s.standing(); err != nil {
		return err
	}
	w := s.watch(ctx, readLimit)
	defer w.stop()
	session := s.driver.NewSession(w.ctx, driver.SessionConfig{
		AccessMode: driver.AccessModeRead, DatabaseName: s.Database, BookmarkManager: s.bookmarks, FetchSize: driver.FetchAll,
	})
	defer s.release(ctx, session)
	begin()
	result, err := session.Run(w.ctx, statement, p.in(ws), driver.WithTxTimeout(readLimit))
	if err == nil {
		err = w.each(result, take)
	}
	if driver.IsRetryable(err) && w.ctx.Err() == nil {
		return s.readIn(ctx, ws, func(t *tx) error {
			begin()
			return t.each(take, statement, p)
		})
	}
	return s.explain(ctx, w, err)
}

// steady is the prefix of statements that seek nodes by their ids and continue from there. Their plan is the same for
// an empty graph as for a large one, so the server need not make it again as the graph grows, which would take longer
// than carrying it out for a few documents.
const steady = `CYPHER replan=skip `

// queryEach runs a steady statement that reads over rows, available as $rows: like query if one statement takes them all, else a part at a time.
func queryEach[R any](ctx context.Context, s *Store, ws domain.WorkspaceID, rows []R, begin func(), take func(row), statement string) error {
	if len(rows) <= s.Rows {
		return s.query(ctx, ws, begin, take, steady+statement, params{"rows": rows})
	}
	return s.readIn(ctx, ws, func(t *tx) error {
		begin()
		return unwindEach(t, rows, take, steady+statement)
	})
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

// in adds the workspace to parameters.
func (p params) in(ws domain.WorkspaceID) map[string]any {
	all := map[string]any{"workspace": string(ws)}
	maps.Copy(all, p)
	return all
}

// each runs a statement, which finds its workspace in $workspace, and calls
// take with each row.
func (t *tx) each(take func(row), statement string, p params) error {
	result, err := t.Run(t.watched.ctx, statement, p.in(t.workspace))
	if err != nil {
		return err
	}
	return t.watched.each(result, take)
}

// each calls take with each row of a result.
func (w *watched) each(result driver.ResultWithContext, take func(row)) error {
	for result.Next(w.ctx) {
		w.heard()
		take(row{values: result.Record().Values, at: new(int)})
	}
	w.heard()
	return result.Err()
}

// exec runs a statement and discards its result.
func (t *tx) exec(statement string, p params) error {
	return t.each(func(row) {}, statement, p)
}

// unwind runs a steady statement over rows, available as $rows, a part at a time, so
// that neither side holds a whole batch as one message.
func unwind[R any](t *tx, rows []R, statement string) error {
	return unwindEach(t, rows, func(row) {}, steady+statement)
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
