package ledger

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A TagCount is a tag with the number of its documents.
type TagCount struct {
	Tag   string
	Count int
}

// SetTags replaces a document's tags. The error is NotFound when there is no
// such document.
func (l *Ledger) SetTags(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, tags []string) error {
	return l.tx(ctx, "tag a document", func(tx *sql.Tx, _ time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM document_tags WHERE workspace_id = ? AND document_id = ?`, ws, id); err != nil {
			return err
		}
		for _, tag := range tags {
			_, err := tx.ExecContext(ctx, `INSERT INTO document_tags (workspace_id, tag, document_id) VALUES (?, ?, ?)
				ON CONFLICT (workspace_id, tag, document_id) DO NOTHING`, ws, tag, id)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Tags lists the tags of a workspace, sorted.
func (l *Ledger) Tags(ctx context.Context, ws domain.WorkspaceID) ([]TagCount, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (t TagCount, err error) {
		return t, rows.Scan(&t.Tag, &t.Count)
	}, `SELECT t.tag, COUNT(*) FROM document_tags t JOIN documents d ON d.workspace_id = t.workspace_id AND d.id = t.document_id
		WHERE t.workspace_id = ? AND d.delete_at = 0 GROUP BY t.tag ORDER BY t.tag`, ws)
	return all, l.wrap("list tags", err)
}

// TagsOf lists a document's tags, sorted.
func (l *Ledger) TagsOf(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]string, error) {
	tags, err := sqlio.Collect(ctx, l.reader, sqlio.Column[string],
		`SELECT tag FROM document_tags WHERE workspace_id = ? AND document_id = ? ORDER BY tag`, ws, id)
	return tags, l.wrap("list tags", err)
}

// TagsOfAll returns the tags of documents, each sorted.
func (l *Ledger) TagsOfAll(ctx context.Context, ws domain.WorkspaceID, docs []domain.Document) (map[domain.DocumentID][]string, error) {
	ids := make([]domain.DocumentID, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	tags := map[domain.DocumentID][]string{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.DocumentID
		var tag string
		err := rows.Scan(&id, &tag)
		tags[id] = append(tags[id], tag)
		return err
	}, `SELECT document_id, tag FROM document_tags WHERE workspace_id = ? AND document_id IN (%s) ORDER BY document_id, tag`, []any{ws}, ids)
	return tags, l.wrap("list tags", err)
}

// errAsBefore says that a change would leave everything as it is.
var errAsBefore = errors.New("nothing changes")

// TagDocuments gives tags to the documents that a query selects and takes others off them, and returns the entry of the
// curation log by which that can be undone: the zero one if all tags were so before.
func (l *Ledger) TagDocuments(ctx context.Context, ws domain.WorkspaceID, who string, dq DocumentQuery, add, remove []string) (c Curation, err error) {
	c = Curation{Who: who, Kind: CurationTag, Operation: Operation{Tags: add, Untags: remove}}
	cond, args := dq.where(ws)
	err = l.tx(ctx, "tag documents", func(tx *sql.Tx, now time.Time) (err error) {
		c.At = now
		if c.Seq, err = appendChange(ctx, tx, ws, Change{}, now); errors.Is(err, sql.ErrNoRows) { // no document was ever added
			return errAsBefore
		}
		if err != nil {
			return err
		}
		note := func(tag string, given int, there string) error { // all of them before any changes: the query may select by tag
			_, err := tx.ExecContext(ctx, `INSERT INTO retagged (workspace_id, seq, tag, document_id, given)
				SELECT workspace_id, CAST(? AS BIGINT), CAST(? AS TEXT), id, CAST(? AS INTEGER) FROM documents WHERE `+cond+` AND `+there+`
				EXISTS (SELECT 1 FROM document_tags t WHERE t.workspace_id = documents.workspace_id AND t.tag = ? AND t.document_id = documents.id)`,
				slices.Concat([]any{c.Seq, tag, given}, args, []any{tag})...)
			return err
		}
		for _, tag := range add {
			if err := note(tag, 1, "NOT"); err != nil {
				return err
			}
		}
		for _, tag := range remove {
			if err := note(tag, 0, ""); err != nil {
				return err
			}
		}
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(DISTINCT document_id) FROM retagged WHERE workspace_id = ? AND seq = ?`, ws, c.Seq).Scan(&c.Documents); err != nil {
			return err
		}
		if c.Documents == 0 {
			return errAsBefore
		}
		if err := insertCuration(ctx, tx, ws, c); err != nil {
			return err
		}
		return retag(ctx, tx, ws, c.Seq, true)
	})
	if errors.Is(err, errAsBefore) {
		return Curation{}, nil
	}
	return c, err
}

// retag carries out what an entry does to tags, or takes it back.
func retag(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, seq int64, forth bool) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO document_tags (workspace_id, tag, document_id)
		SELECT workspace_id, tag, document_id FROM retagged WHERE workspace_id = ? AND seq = ? AND given = ?
		ON CONFLICT (workspace_id, tag, document_id) DO NOTHING`, ws, seq, flag(forth))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM document_tags WHERE workspace_id = ? AND EXISTS (SELECT 1 FROM retagged r
		WHERE r.workspace_id = document_tags.workspace_id AND r.seq = ? AND r.given = ? AND r.tag = document_tags.tag AND r.document_id = document_tags.document_id)`,
		ws, seq, flag(!forth))
	return err
}
