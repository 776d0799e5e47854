package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// MentionRow is a node of one chunk's graph document, under its key.
type MentionRow struct {
	Key        string
	Label      string
	Name       string
	Aliases    []string
	Properties domain.Properties
	Chunk      domain.ChunkID
	Document   domain.DocumentID
	Ordinal    int // of the chunk
	Spans      []domain.Span

	position int
}

const insertMentions = `INSERT INTO mentions
	(workspace_id, chunk_id, position, entity_key, label, name, aliases, properties, spans)`

// mentionValues are the values of one row of insertMentions.
func mentionValues(ws domain.WorkspaceID, chunk domain.ChunkID, position int, key string, n domain.GraphNode) ([]any, error) {
	aliases, errA := encode(n.Aliases)
	properties, errP := encode(n.Properties)
	spans, errS := encode(n.Spans)
	return []any{ws, chunk, position, key, n.Label, n.Name, aliases, properties, spans}, errors.Join(errA, errP, errS)
}

// Mentions lists every node under one of keys that a published document
// contributes, by key, document, ordinal and place in the graph document.
func (l *Ledger) Mentions(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]MentionRow, error) {
	rows, err := collectIn(ctx, l.reader, scanMention, `SELECT m.entity_key, m.label, m.name, m.aliases, m.properties,
		m.chunk_id, c.document_id, c.ordinal, m.spans, m.position`+publishedRows("mentions m")+`
		WHERE m.workspace_id = ? AND d.published = 1 AND m.entity_key IN (%s)`, []any{ws}, distinct(keys))
	slices.SortFunc(rows, func(a, b MentionRow) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Document, b.Document),
			cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.position, b.position))
	})
	return rows, l.wrap("read mentions", err)
}

func scanMention(rows *sql.Rows) (m MentionRow, err error) {
	return m, rows.Scan(&m.Key, &m.Label, &m.Name, column{&m.Aliases}, column{&m.Properties},
		&m.Chunk, &m.Document, &m.Ordinal, column{&m.Spans}, &m.position)
}

// publishedRows joins an index table, named with the alias m, to the chunk and
// the document it came from.
func publishedRows(table string) string {
	return ` FROM ` + table + ` JOIN chunks c ON c.workspace_id = m.workspace_id AND c.id = m.chunk_id
		JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id`
}

// distinct is keys sorted, each once.
func distinct[K ~string](keys []K) []K { return slices.Compact(slices.Sorted(slices.Values(keys))) }
