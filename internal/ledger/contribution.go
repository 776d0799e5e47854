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

// A Contribution holds what one chunk adds to the graph.
type Contribution struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Reader   string // the extractor that mined it, for instance "builtin/1"
	Graph    domain.GraphDocument

	// What Contributions doesn't read.
	Schema  int64            // the number of the schema with which it was mined, 0 for none
	Mined   string           // what was mined before a schema was applied, as JSON with a field graph; "" if it is the graph alone
	Dropped []domain.Dropped // what was mined and is not in the graph
}

// contributionColumns are all columns of contributions but the key.
const contributionColumns = `document_id, reader, graph, mined, mined_schema`

// RecordContribution replaces the contributions of chunks, all or none. The error is
// NotFound when the document doesn't hold a chunk (any more), and Invalid when a
// relationship points at no node.
func (l *Ledger) RecordContribution(ctx context.Context, ws domain.WorkspaceID, all ...Contribution) error {
	return l.tx(ctx, "record contribution", func(tx *sql.Tx, _ time.Time) error { return l.RecordContributionTx(ctx, tx, ws, all...) })
}

// RecordContributionTx does what RecordContribution does within the transaction of UpdateDocumentTx.
func (l *Ledger) RecordContributionTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, all ...Contribution) error {
	var dropped [][]any
	for _, c := range all {
		if err := checkEnds(c); err != nil {
			return err
		}
		if err := l.holdsChunk(ctx, tx, ws, c); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM contributions WHERE workspace_id = ? AND chunk_id = ?`, ws, c.Chunk)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO contributions (workspace_id, chunk_id, `+contributionColumns+`)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, ws, c.Chunk, c.Document, c.Reader, column{c.Graph}, c.Mined, c.Schema)
		if err != nil {
			return err
		}
		for i, d := range c.Dropped {
			dropped = append(dropped, []any{ws, c.Chunk, i, c.Document, column{d}})
		}
	}
	if err := insert(ctx, tx, insertDropped, dropped, ""); err != nil {
		return fmt.Errorf("keep dropped items: %w", err)
	}
	return l.index(ctx, tx, ws, all)
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

// holdsChunk checks that c's chunk exists and locks it, so that the second of two
// workers replaces the contribution of the first.
func (l *Ledger) holdsChunk(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Contribution) error {
	var one int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM chunks WHERE workspace_id = ? AND id = ? AND document_id = ?`+l.lock.Changing,
		ws, c.Chunk, c.Document).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Errorf(domain.NotFound, "Document %s holds no chunk %s. It may have been deleted or split again.", c.Document, c.Chunk)
	}
	return err
}

// index writes the rows that lead from names to contributions. What rules name has no
// label: it belongs to the entity of whoever else names it.
func (l *Ledger) index(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, all []Contribution) error {
	var mentions, statements [][]any
	for _, c := range all {
		keys := make([]string, len(c.Graph.Nodes))
		for i, n := range c.Graph.Nodes {
			keys[i] = l.key(n.Name)
			mentions = append(mentions, []any{ws, c.Chunk, i, keys[i], n.Label, n.Name, column{n.Aliases}, column{n.Properties}, column{n.Spans}, 0})
		}
		for i, n := range c.Graph.Names {
			mentions = append(mentions, []any{
				ws, c.Chunk, len(keys) + i, l.key(n.Name), domain.UnknownLabel, n.Name, column{n.Aliases}, column{n.Properties}, column{n.Spans}, 1,
			})
		}
		for i, r := range c.Graph.Relationships {
			statements = append(statements, []any{
				ws, c.Chunk, i, keys[r.Source], c.Graph.Nodes[r.Source].Label, r.Type, keys[r.Target], c.Graph.Nodes[r.Target].Label,
				column{r.Properties}, column{r.Spans},
			})
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

// Contributions lists the contributions of a document's chunks in reading order,
// without the chunks that have none.
func (l *Ledger) Contributions(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]Contribution, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c Contribution, err error) {
		return c, rows.Scan(&c.Chunk, &c.Document, &c.Reader, column{&c.Graph})
	}, `SELECT g.chunk_id, g.document_id, g.reader, g.graph
		FROM contributions g JOIN chunks c ON c.workspace_id = g.workspace_id AND c.id = g.chunk_id
		WHERE g.workspace_id = ? AND g.document_id = ? ORDER BY c.ordinal`, ws, id)
	return all, l.wrap("read contributions", err)
}
