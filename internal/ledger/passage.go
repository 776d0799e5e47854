package ledger

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

const passagesFrom = `SELECT ` + chunkColumns + `, d.name, d.title, d.version
	FROM chunks c JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id`

// inSight leaves out the passages of documents that are hidden by a deletion. A run that
// still reads one needs them: its deletion may be taken back.
const inSight = ` AND NOT (d.delete_at > 0 AND d.status NOT IN ('waiting', 'working'))`

// Passages returns chunks with their documents' names, in the order of ids and
// without those that are gone or hidden by a deletion.
func (l *Ledger) Passages(ctx context.Context, ws domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	rows, err := collectIn(ctx, l.reader, scanPassage, passagesFrom+` WHERE c.workspace_id = ? AND c.id IN (%s)`+inSight, []any{ws}, ids)
	if err != nil {
		return nil, l.wrap("read passages", err)
	}
	by := make(map[domain.ChunkID]domain.Passage, len(rows))
	for _, p := range rows {
		by[p.ID] = p
	}
	found := make([]domain.Passage, 0, len(rows))
	for _, id := range ids {
		if p, ok := by[id]; ok {
			found = append(found, p)
		}
	}
	return found, nil
}

func scanPassage(rows *sql.Rows) (p domain.Passage, err error) {
	return p, rows.Scan(append(chunkFields(&p.Chunk), &p.Name, &p.Title, &p.Version)...)
}

// EachChunk calls f with every chunk of every published document, by document
// and then in reading order, until f fails. It reads in batches: f may use the
// ledger, and may or may not see what is written meanwhile.
func (l *Ledger) EachChunk(ctx context.Context, ws domain.WorkspaceID, f func(domain.Passage) error) error {
	var last domain.Passage
	last.Ordinal = -1
	for {
		part, err := sqlio.Collect(ctx, l.reader, scanPassage, passagesFrom+`
			WHERE c.workspace_id = ? AND d.published = 1
			AND (c.document_id > ? OR (c.document_id = ? AND c.ordinal > ?))
			ORDER BY c.document_id, c.ordinal LIMIT ?`, ws, last.Document, last.Document, last.Ordinal, batch)
		if err != nil {
			return l.wrap("read chunks", err)
		}
		for _, p := range part {
			if err := f(p); err != nil {
				return err
			}
		}
		if len(part) < batch {
			return nil
		}
		last = part[len(part)-1]
	}
}
