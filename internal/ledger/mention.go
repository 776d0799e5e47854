package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// A MentionRow is a node of one chunk's graph document, under its key.
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
	ByRule     bool // it is one of the graph document's Names

	position int
}

const insertMentions = `INSERT INTO mentions
	(workspace_id, chunk_id, position, entity_key, label, name, aliases, properties, spans, by_rule)`

// Mentions lists the nodes of published documents under the given keys, sorted
// by key, document, ordinal and position in the graph document.
func (l *Ledger) Mentions(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]MentionRow, error) {
	rows, err := collectIn(ctx, l.reader, new(pool).mention, `SELECT m.entity_key, m.label, m.name, m.aliases, m.properties,
		m.chunk_id, c.document_id, c.ordinal, m.spans, m.position, m.by_rule`+publishedRows("mentions m")+`
		WHERE m.workspace_id = ? AND d.published = 1 AND m.entity_key IN (%s)`, []any{ws}, distinct(keys))
	slices.SortFunc(rows, func(a, b MentionRow) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Document, b.Document),
			cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.position, b.position))
	})
	return rows, l.wrap("read mentions", err)
}

func (p *pool) mention(rows *sql.Rows) (m MentionRow, err error) {
	err = rows.Scan(&m.Key, &m.Label, &m.Name, column{&m.Aliases}, column{&m.Properties}, &m.Chunk, &m.Document, &m.Ordinal, column{&m.Spans}, &m.position, &m.ByRule)
	m.Key, m.Label, m.Name, m.Chunk, m.Document = p.of(m.Key), p.of(m.Label), p.of(m.Name), domain.ChunkID(p.of(string(m.Chunk))), domain.DocumentID(p.of(string(m.Document)))
	return m, err
}

// publishedRows joins an index table with the alias m to its chunk and document.
func publishedRows(table string) string {
	return ` FROM ` + table + ` JOIN chunks c ON c.workspace_id = m.workspace_id AND c.id = m.chunk_id
		JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id`
}

// distinct returns the keys sorted, each once.
func distinct[K ~string](keys []K) []K { return slices.Compact(slices.Sorted(slices.Values(keys))) }
