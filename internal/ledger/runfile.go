package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A RunFile is a run of another installation as its file came. It holds what the person who brought it wants to keep here,
// whatever happens to documents.
type RunFile struct {
	Workspace domain.WorkspaceID
	Run       domain.RunID
	Title     string // of the run's subject there
	Data      []byte
}

// AddRunFile calls run, which adds the file's run, and stores the file in the same transaction.
func (l *Ledger) AddRunFile(ctx context.Context, f RunFile, run func(*sql.Tx) error) error {
	return l.tx(ctx, "add run file", func(tx *sql.Tx, _ time.Time) error {
		if err := run(tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO run_files (workspace_id, run_id, title, data) VALUES (?, ?, ?, ?)`, f.Workspace, f.Run, f.Title, f.Data)
		return err
	})
}

// RunFile returns the bytes of an imported run's file, or an error of kind NotFound.
func (l *Ledger) RunFile(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) (data []byte, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT data FROM run_files WHERE workspace_id = ? AND run_id = ?`, ws, run).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noRunFile(run)
	}
	return data, l.wrap("read run file", err)
}

func noRunFile(run domain.RunID) error {
	return domain.Errorf(domain.NotFound, "There is no imported run %s here.", run)
}

// RunFileTitles returns what imported runs are about.
func (l *Ledger) RunFileTitles(ctx context.Context, ws domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID]string, error) {
	titles := make(map[domain.RunID]string, len(runs))
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.RunID
		var title string
		err := rows.Scan(&id, &title)
		titles[id] = title
		return err
	}, `SELECT run_id, title FROM run_files WHERE workspace_id = ? AND run_id IN (%s)`, []any{ws}, runs)
	return titles, l.wrap("read titles of run files", err)
}

// DeleteRunFile deletes an imported run. The error is NotFound if there is none.
func (l *Ledger) DeleteRunFile(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) error {
	return l.erase(ctx, "delete run file", func(tx *sql.Tx, _ time.Time) error {
		found, err := changed(tx.ExecContext(ctx, `DELETE FROM runs WHERE workspace_id = ? AND id = ? AND id IN (SELECT run_id FROM run_files)`, ws, run))
		if err == nil && !found {
			return noRunFile(run)
		}
		return err
	})
}

// A RunCall is a recorded call of a model.
type RunCall struct {
	Key    string
	At     time.Time
	Answer []byte
}

// RunCalls lists the calls that were recorded for a run, or for the document that it is about, in their order.
func (l *Ledger) RunCalls(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, document domain.DocumentID) ([]RunCall, error) {
	calls, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c RunCall, err error) {
		return c, rows.Scan(&c.Key, instant{&c.At}, &c.Answer)
	}, `SELECT key, at, response FROM model_calls WHERE workspace_id = ? AND run_id = ?
		UNION SELECT key, at, response FROM model_calls WHERE workspace_id = ? AND document_id = ? AND document_id <> '' ORDER BY at, key`, ws, run, ws, document)
	return calls, l.wrap("read the calls of a run", err)
}
