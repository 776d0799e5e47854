package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A DroppedItem is a finding that was left out of the graph.
type DroppedItem struct {
	Chunk   domain.ChunkID `json:"chunk"`
	Ordinal int            `json:"ordinal"` // of the chunk, from 0
	domain.Dropped
}

const insertDropped = `INSERT INTO dropped (workspace_id, chunk_id, position, document_id, item)`

// Dropped lists at most n dropped items of a document in reading order, all when
// n is 0.
func (l *Ledger) Dropped(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, n int) ([]DroppedItem, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (d DroppedItem, err error) {
		return d, rows.Scan(&d.Chunk, &d.Ordinal, column{&d.Dropped})
	}, `SELECT d.chunk_id, c.ordinal, d.item FROM dropped d JOIN chunks c ON c.workspace_id = d.workspace_id AND c.id = d.chunk_id
		WHERE d.workspace_id = ? AND d.document_id = ? ORDER BY c.ordinal, d.position LIMIT ?`, ws, id, limit(n))
	return all, l.wrap("list dropped items", err)
}

// CountDropped returns the number of a document's dropped items.
func (l *Ledger) CountDropped(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (n int, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM dropped WHERE workspace_id = ? AND document_id = ?`, ws, id).Scan(&n)
	return n, l.wrap("count dropped items", err)
}

// A MinedChunk holds what was mined from a chunk before a schema was applied.
type MinedChunk struct {
	Chunk  domain.ChunkID
	Reader string
	Schema int64  // the number of the schema with which it was mined, 0 for none
	Mined  string // JSON, as recorded with the contribution
}

// Mined lists what was mined from a document's chunks, in reading order, without
// the chunks that have no contribution.
func (l *Ledger) Mined(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]MinedChunk, error) {
	all, err := sqlio.Collect(ctx, l.reader, scanMined, minedColumns+
		` JOIN chunks c ON c.workspace_id = g.workspace_id AND c.id = g.chunk_id
		WHERE g.workspace_id = ? AND g.document_id = ? ORDER BY c.ordinal`, ws, id)
	return all, l.wrap("read what was mined", err)
}

// MinedIn returns what was mined from one chunk, and false when it has no
// contribution.
func (l *Ledger) MinedIn(ctx context.Context, ws domain.WorkspaceID, id domain.ChunkID) (MinedChunk, bool, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanMined, minedColumns+` WHERE g.workspace_id = ? AND g.chunk_id = ?`, ws, id)
	if err != nil || len(found) == 0 {
		return MinedChunk{}, false, l.wrap("read what was mined", err)
	}
	return found[0], true, nil
}

const minedColumns = `SELECT g.chunk_id, g.reader, g.mined_schema, CASE g.mined WHEN '' THEN '{"graph":' || g.graph || '}' ELSE g.mined END FROM contributions g`

func scanMined(rows *sql.Rows) (m MinedChunk, err error) {
	return m, rows.Scan(&m.Chunk, &m.Reader, &m.Schema, &m.Mined)
}

// ReplaceGraph replaces the graphs of chunks' contributions, all or none, and keeps
// what was mined and dropped. The errors are those of RecordContribution.
func (l *Ledger) ReplaceGraph(ctx context.Context, ws domain.WorkspaceID, all ...Contribution) error {
	for _, c := range all {
		if err := checkEnds(c); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	return l.tx(ctx, "replace graph", func(tx *sql.Tx, _ time.Time) error {
		for _, c := range all {
			if err := l.replaceGraph(ctx, tx, ws, c); err != nil {
				return err
			}
		}
		return l.index(ctx, tx, ws, all)
	})
}

func (l *Ledger) replaceGraph(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Contribution) error {
	if err := l.holdsChunk(ctx, tx, ws, c); err != nil {
		return err
	}
	for _, statement := range []string{
		`UPDATE contributions SET mined = CASE mined WHEN '' THEN '{"graph":' || graph || '}' ELSE mined END WHERE workspace_id = ? AND chunk_id = ?`,
		`DELETE FROM mentions WHERE workspace_id = ? AND chunk_id = ?`,
		`DELETE FROM statements WHERE workspace_id = ? AND chunk_id = ?`,
	} {
		if _, err := tx.ExecContext(ctx, statement, ws, c.Chunk); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE contributions SET graph = ? WHERE workspace_id = ? AND chunk_id = ?`, column{c.Graph}, ws, c.Chunk)
	return err
}
