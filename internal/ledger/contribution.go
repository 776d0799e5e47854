package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Contribution is what one chunk contributes to the graph.
type Contribution struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Reader   string // the extractor that mined it, for instance "builtin/1"
	Graph    domain.GraphDocument
}

// RecordContribution stores what was mined from a chunk in place of what was
// mined from it before. It is NotFound when the document does not hold the
// chunk (any more), and Invalid when a relationship points at no node.
func (l *Ledger) RecordContribution(ctx context.Context, ws domain.WorkspaceID, c Contribution) error {
	if err := checkEnds(c); err != nil {
		return err
	}
	graph, err := encode(c.Graph)
	if err != nil {
		return err
	}
	return l.tx(ctx, "record contribution", func(tx *sql.Tx, _ time.Time) error {
		if err := l.holdsChunk(ctx, tx, ws, c); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM contributions WHERE workspace_id = ? AND chunk_id = ?`, ws, c.Chunk)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO contributions (workspace_id, chunk_id, document_id, reader, graph)
			VALUES (?, ?, ?, ?, ?)`, ws, c.Chunk, c.Document, c.Reader, graph)
		if err != nil {
			return err
		}
		return l.index(ctx, tx, ws, c)
	})
}

func checkEnds(c Contribution) error {
	n := len(c.Graph.Nodes)
	for i, r := range c.Graph.Relationships {
		if r.Source < 0 || r.Source >= n || r.Target < 0 || r.Target >= n {
			return domain.Errorf(domain.Invalid, "Relationship %d (%s) of chunk %s points at a node that its graph document, with %d nodes, does not have.", i, r.Type, c.Chunk, n)
		}
	}
	return nil
}

// holdsChunk checks that there is c's chunk and locks it: of two workers that
// mine it the second replaces what the first has recorded.
func (l *Ledger) holdsChunk(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Contribution) error {
	var one int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM chunks WHERE workspace_id = ? AND id = ? AND document_id = ?`+l.lock.Changing,
		ws, c.Chunk, c.Document).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Errorf(domain.NotFound, "Document %s holds no chunk %s. It may have been deleted or split anew.", c.Document, c.Chunk)
	}
	return err
}

// index writes the rows by which a contribution is found by name.
func (l *Ledger) index(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Contribution) error {
	keys := make([]string, len(c.Graph.Nodes))
	mentions := make([][]any, len(c.Graph.Nodes))
	statements := make([][]any, len(c.Graph.Relationships))
	var err error
	for i, n := range c.Graph.Nodes {
		keys[i] = l.key(n.Name)
		if mentions[i], err = mentionValues(ws, c.Chunk, i, keys[i], n); err != nil {
			return err
		}
	}
	for i := range c.Graph.Relationships {
		if statements[i], err = statementValues(ws, c.Chunk, i, keys, c.Graph); err != nil {
			return err
		}
	}
	if err := insert(ctx, tx, insertMentions, mentions, ""); err != nil {
		return fmt.Errorf("index nodes: %w", err)
	}
	if err := insert(ctx, tx, insertStatements, statements, ""); err != nil {
		return fmt.Errorf("index relationships: %w", err)
	}
	return nil
}

// Contributions lists what a document's chunks contribute, in reading order.
// Chunks that have not been mined are left out.
func (l *Ledger) Contributions(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]Contribution, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c Contribution, err error) {
		return c, rows.Scan(&c.Chunk, &c.Document, &c.Reader, column{&c.Graph})
	}, `SELECT g.chunk_id, g.document_id, g.reader, g.graph
		FROM contributions g JOIN chunks c ON c.workspace_id = g.workspace_id AND c.id = g.chunk_id
		WHERE g.workspace_id = ? AND g.document_id = ? ORDER BY c.ordinal`, ws, id)
	return all, l.wrap("read contributions", err)
}
