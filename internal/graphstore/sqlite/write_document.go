package sqlite

import (
	"database/sql"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

func (b *batch) deleteDocument(id domain.DocumentID) {
	for _, num := range b.chunksOf(id) {
		b.deleteChunk(num)
	}
	b.Forget()
	b.Exec(`DELETE FROM documents WHERE workspace = ? AND id = ?`, b.Num, string(id))
	b.Exec(`DELETE FROM notes WHERE workspace = ? AND document = ?`, b.Num, string(id))
}

func (b *batch) putDocument(d graphstore.Document) {
	gone := b.chunksOf(d.ID)
	for _, c := range d.Chunks {
		delete(gone, c.ID)
	}
	for _, num := range gone {
		b.deleteChunk(num)
	}
	b.Exec(`INSERT OR REPLACE INTO documents (workspace, id, name, title) VALUES (?, ?, ?, ?)`,
		b.Num, string(d.ID), d.Name, d.Title)
	b.Exec(`INSERT OR REPLACE INTO notes (workspace, document, notes) VALUES (?, ?, ?)`, b.Num, string(d.ID), append([]byte{}, d.Notes...))
	for _, c := range d.Chunks {
		b.Exec(`INSERT INTO chunks (workspace, id, document, ordinal, page, start, stop) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (workspace, id) DO UPDATE SET document = excluded.document, ordinal = excluded.ordinal,
				page = excluded.page, start = excluded.start, stop = excluded.stop`,
			b.Num, string(c.ID), string(d.ID), c.Ordinal, c.Page, c.Span.Start, c.Span.End)
	}
}

// chunksOf returns the row numbers of a document's stored chunks.
func (b *batch) chunksOf(id domain.DocumentID) map[domain.ChunkID]int64 {
	chunks := map[domain.ChunkID]int64{}
	b.Each(func(rows *sql.Rows) error {
		var chunk domain.ChunkID
		var num int64
		err := rows.Scan(&chunk, &num)
		chunks[chunk] = num
		return err
	}, `SELECT id, num FROM chunks WHERE workspace = ? AND document = ?`, b.Num, string(id))
	return chunks
}

func (b *batch) deleteChunk(num int64) {
	b.Forget()
	b.Exec(`DELETE FROM links WHERE (workspace, entity, chunk) IN (SELECT ?1, entity, chunk FROM links WHERE chunk = ?2)`, b.Num, num)
	b.Exec(`DELETE FROM chunks WHERE num = ?`, num)
}

// chunk returns the row number of a stored chunk, or 0.
func (b *batch) chunk(id domain.ChunkID) int64 {
	num, ok := b.chunks[id]
	if !ok {
		b.Each(func(rows *sql.Rows) error { return rows.Scan(&num) },
			`SELECT num FROM chunks WHERE workspace = ? AND id = ?`, b.Num, string(id))
		b.chunks[id] = num
	}
	return num
}
