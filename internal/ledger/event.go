package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// An EventRow is one event of a run, as the trace package encoded it.
type EventRow struct {
	Seq  int // from 1
	At   time.Time
	JSON []byte
}

// AppendEvents stores the next events of a run, and then calls each of also in the
// same transaction. The error is NotFound when there is no such run (any more), and
// Conflict when the number of an event is taken.
func (l *Ledger) AppendEvents(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, rows []EventRow, also ...func(context.Context, *sql.Tx) error) error {
	return l.tx(ctx, "append events", func(tx *sql.Tx, _ time.Time) error {
		_, err := l.appendEvents(ctx, tx, ws, run, rows, func(int) []EventRow { return rows })
		for _, f := range also {
			if err == nil {
				err = f(ctx, tx)
			}
		}
		return err
	})
}

// AddEventsTx stores events of a run in a transaction on the ledger's database.
// It numbers them after the run's last event and ignores their Seq. The error is
// NotFound when there is no such run (any more). The caller sees to it that
// nobody else writes the run's events meanwhile. It reports whether earlier events
// were removed, because the run has read a document that is gone.
func (l *Ledger) AddEventsTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, rows []EventRow) (removed bool, err error) {
	removed, err = l.appendEvents(ctx, tx, ws, run, rows, func(last int) []EventRow {
		numbered := slices.Clone(rows)
		for i := range numbered {
			numbered[i].Seq = last + i + 1
		}
		return numbered
	})
	return removed, l.wrap("add events", err)
}

// appendEvents stores the rows as number returns them for the run's last event, and
// reports whether earlier ones were removed.
func (l *Ledger) appendEvents(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, rows []EventRow, number func(last int) []EventRow) (removed bool, err error) {
	named, err := documentsNamed(ctx, tx, ws, rows)
	if err != nil {
		return false, err
	}
	if err := l.holdRead(ctx, tx, run, ws, named...); err != nil {
		return false, err
	}
	last, err := l.lastEvent(ctx, tx, ws, run)
	if err != nil {
		return false, err
	}
	if err := insertEvents(ctx, tx, ws, run, number(last)); err != nil {
		return false, err
	}
	if err := noteDocuments(ctx, tx, ws, run, named); err != nil {
		return false, err
	}
	return forgetDeleted(ctx, tx, run)
}

// lastEvent returns the number of a run's last event, 0 if it has none. It checks
// that the run exists and prevents its deletion.
func (l *Ledger) lastEvent(ctx context.Context, q querier, ws domain.WorkspaceID, run domain.RunID) (last int, err error) {
	err = q.QueryRowContext(ctx, `SELECT (SELECT COALESCE(MAX(seq), 0) FROM events WHERE run_id = runs.id) FROM runs WHERE workspace_id = ? AND id = ?`+l.lock.Staying, ws, run).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, domain.Errorf(domain.NotFound, "There is no run %s here. Its document may have been deleted.", run)
	}
	return last, err
}

// maxInserted is how many rows one statement inserts.
const maxInserted = 16

func insertEvents(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, rows []EventRow) error {
	for part := range slices.Chunk(rows, maxInserted) {
		args := make([]any, 0, 5*len(part))
		for _, r := range part {
			args = append(args, ws, run, r.Seq, sqlio.Millis(r.At), string(r.JSON))
		}
		done, err := tx.ExecContext(ctx, `INSERT INTO events (workspace_id, run_id, seq, at, json) VALUES `+tuples(len(part), 5)+` ON CONFLICT (run_id, seq) DO NOTHING`, args...)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || int(n) < len(part) {
			return cmp.Or[error](err, domain.Errorf(domain.Conflict, "Run %s has an event after %d already: another worker is at work on it.", run, part[0].Seq-1))
		}
	}
	return nil
}

// tuples returns the placeholders of so many rows of so many columns.
func tuples(rows, columns int) string {
	return strings.TrimSuffix(strings.Repeat("("+sqlio.Marks(columns)+"),", rows), ",")
}

// idLength is the length of the ids of documents and chunks, which begin with d
// or c and go on with hexadecimal digits, see domain.NewDocumentID.
const idLength = 21

// appendIDs appends what stands in a text as a word and is formed like the id of
// a document or a chunk. It is called for every event.
func appendIDs(all []string, text []byte) []string {
	for i := 0; i+idLength <= len(text); i++ {
		if text[i] != 'd' && text[i] != 'c' || i > 0 && isWord(text[i-1]) {
			continue
		}
		end := i + 1
		for end < len(text) && isHex(text[end]) {
			end++
		}
		if end-i == idLength && (end == len(text) || !isWord(text[end])) {
			all = append(all, string(text[i:end]))
		}
		i = end - 1
	}
	return all
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// documentsNamed lists the documents that events name. A run reads published
// documents only, and these have a change even when they were just deleted.
func documentsNamed(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, rows []EventRow) ([]domain.DocumentID, error) {
	var ids []string
	for _, r := range rows {
		ids = appendIDs(ids, r.JSON)
	}
	ids = distinct(ids)
	first := slices.IndexFunc(ids, func(id string) bool { return id[0] == 'd' })
	if first < 0 {
		first = len(ids)
	}
	named, err := collectIn(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT document_id FROM changes WHERE workspace_id = ? AND document_id IN (%s)`, []any{ws}, ids[first:])
	if err != nil {
		return nil, fmt.Errorf("find documents of events: %w", err)
	}
	of, err := collectIn(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT document_id FROM chunks WHERE workspace_id = ? AND id IN (%s)`, []any{ws}, ids[:first])
	if err != nil {
		return nil, fmt.Errorf("find documents of events: %w", err)
	}
	return distinct(append(named, of...)), nil
}

// noteDocuments stores which documents a run has read.
func noteDocuments(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, documents []domain.DocumentID) error {
	for part := range slices.Chunk(documents, maxInserted) {
		args := make([]any, 0, 3*len(part))
		for _, id := range part {
			args = append(args, ws, run, id)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO run_documents (workspace_id, run_id, document_id) VALUES `+tuples(len(part), 3)+` ON CONFLICT (run_id, document_id) DO NOTHING`, args...)
		if err != nil {
			return fmt.Errorf("note documents of a run: %w", err)
		}
	}
	return nil
}

// NoteHistory notes that a run reads the answers of earlier ones: what these have read of documents
// that are still there counts as read by it. It is called before the answers are read.
func (l *Ledger) NoteHistory(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, earlier []domain.RunID) error {
	return l.tx(ctx, "note what a run reads", func(tx *sql.Tx, _ time.Time) error {
		read, err := collectIn(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT document_id FROM run_documents WHERE workspace_id = ? AND run_id IN (%s)`, []any{ws}, earlier)
		if err != nil || len(read) == 0 {
			return err
		}
		there, err := collectIn(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT id FROM documents WHERE workspace_id = ? AND id IN (%s)`+l.lock.Staying, []any{ws}, distinct(read))
		if err != nil {
			return err
		}
		return noteDocuments(ctx, tx, ws, run, there)
	})
}

// readDeleted reports whether the run has read a document that is deleted.
func readDeleted(ctx context.Context, q querier, run any) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM run_documents r LEFT JOIN documents d
		ON d.workspace_id = r.workspace_id AND d.id = r.document_id WHERE r.run_id = ? AND d.id IS NULL`, run).Scan(&n)
	return n > 0, err
}

// forgetDeleted removes all events of a run that has read a deleted document,
// except the last one, which says how the run ended.
func forgetDeleted(ctx context.Context, tx *sql.Tx, run domain.RunID) (removed bool, err error) {
	gone, err := readDeleted(ctx, tx, run)
	if !gone || err != nil {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM events WHERE run_id = ? AND seq < (SELECT MAX(seq) FROM events WHERE run_id = ?)`, run, run)
	return true, err
}

// RunOver reports whether no event of a run will follow: its end was noted, or it
// is gone.
func (l *Ledger) RunOver(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) (over bool, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT settled FROM runs WHERE workspace_id = ? AND id = ?`, ws, run).Scan(&over)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return over, l.wrap("look for the end of a run", err)
}

// LastEvent returns the number of a run's last event, 0 if it has none.
func (l *Ledger) LastEvent(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) (last int, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT COALESCE(MAX(seq), 0) FROM events WHERE workspace_id = ? AND run_id = ?`, ws, run).Scan(&last)
	return last, l.wrap("number events", err)
}

// Events lists a run's events after the given number in order: none for a run
// that is gone.
func (l *Ledger) Events(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, after int) ([]EventRow, error) {
	rows, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (r EventRow, err error) {
		return r, rows.Scan(&r.Seq, instant{&r.At}, &r.JSON)
	}, `SELECT seq, at, json FROM events WHERE workspace_id = ? AND run_id = ? AND seq > ? ORDER BY seq`, ws, run, after)
	return rows, l.wrap("read events", err)
}
