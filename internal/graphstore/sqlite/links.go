package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Links implements graphstore.Reader.
func (s *Store) Links(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]graphstore.Link, error) {
	var links []graphstore.Link
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		links, err = sqlio.Collect(ctx, tx, scanLink, `SELECT c.id, c.document, l.kind, l.spans FROM entities e
			JOIN links l ON l.workspace = e.workspace AND l.entity = e.num
			JOIN chunks c ON c.num = l.chunk
			WHERE e.workspace = ? AND e.id = ? ORDER BY c.document, c.ordinal, c.id LIMIT ?`,
			r.Num, string(id), sqlLimit(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	return links, nil
}

// sqlLimit converts limit to SQLite's convention, in which negative means none.
func sqlLimit(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}

// scanLink scans chunk, document, kind and spans.
func scanLink(row *sql.Rows) (graphstore.Link, error) {
	var l graphstore.Link
	var spans []byte
	if err := row.Scan(&l.Chunk, &l.Document, &l.Kind, &spans); err != nil {
		return l, err
	}
	var err error
	l.Spans, err = decodeSpans(spans)
	return l, err
}

// InDocument implements graphstore.Reader.
func (s *Store) InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]graphstore.Entity, error) {
	found, err := s.linked(ctx, w, id)
	return slices.DeleteFunc(found, func(e graphstore.Entity) bool { return e.Unlisted }), err
}

// Linked implements graphstore.Writer.
func (s *Store) Linked(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]graphstore.Entity, error) {
	all := map[domain.DocumentID][]graphstore.Entity{}
	for _, id := range documents {
		found, err := s.linked(ctx, w, id)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			all[id] = found
		}
	}
	return all, nil
}

func (s *Store) linked(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]graphstore.Entity, error) {
	var found []graphstore.Entity
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) error {
		at := map[int64]int{} // row number of an entity → index in found
		var nums []int64
		err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
			var num int64
			var spans []byte
			l := graphstore.Link{Document: id}
			if err := rows.Scan(&num, &l.Chunk, &l.Kind, &spans); err != nil {
				return err
			}
			i, ok := at[num]
			if !ok {
				i = len(found)
				at[num], found, nums = i, append(found, graphstore.Entity{}), append(nums, num)
			}
			var err error
			l.Spans, err = decodeSpans(spans)
			found[i].Links = append(found[i].Links, l)
			return err
		}, `SELECT l.entity, c.id, l.kind, l.spans FROM chunks c
			JOIN links k ON k.chunk = c.num
			JOIN links l ON l.workspace = c.workspace AND l.entity = k.entity AND l.chunk = c.num
			WHERE c.workspace = ? AND c.document = ? ORDER BY c.ordinal, c.id`, r.Num, string(id))
		if err != nil {
			return err
		}
		return fillEntities(ctx, tx, nums, func(num int64, e domain.Entity) { found[at[num]].Entity = e })
	})
	if err != nil {
		return nil, fmt.Errorf("list entities of document: %w", err)
	}
	graphstore.SortByFirstSpan(found)
	return found, nil
}

// CountIn implements graphstore.Reader.
func (s *Store) CountIn(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID]int, error) {
	return pairs[domain.DocumentID, int](ctx, s, w, "count entities of documents", `SELECT c.document, count(DISTINCT l.entity) FROM chunks c
		JOIN links k ON k.chunk = c.num
		JOIN links l ON l.workspace = c.workspace AND l.entity = k.entity AND l.chunk = c.num
		JOIN entities e ON e.num = l.entity AND e.unlisted = 0
		WHERE c.workspace = ? AND c.document IN (SELECT value FROM json_each(?)) AND length(l.spans) > 0 GROUP BY c.document`, sqlio.JSON(documents))
}

// fillEntities reads entities by row number.
func fillEntities(ctx context.Context, tx *sql.Tx, nums []int64, put func(int64, domain.Entity)) error {
	return sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		var num int64
		e, err := scanEntity(rows, &num)
		if err == nil {
			put(num, e)
		}
		return err
	}, `SELECT `+ownColumns+`, 0, e.num FROM entities e WHERE e.num IN (SELECT value FROM json_each(?))`, sqlio.JSON(nums))
}

// Chunks implements graphstore.Reader.
func (s *Store) Chunks(ctx context.Context, w domain.WorkspaceID, q graphstore.ChunkQuery) ([]graphstore.AdjacentChunk, error) {
	where, args := ``, []any{}
	switch {
	case len(q.IDs) > 0:
		where, args = ` AND id IN (SELECT value FROM json_each(?))`, append(args, sqlio.JSON(q.IDs))
	case len(q.Documents) > 0:
		where, args = ` AND document IN (SELECT value FROM json_each(?))`, append(args, sqlio.JSON(q.Documents))
	}
	return list(ctx, s, w, "look up chunks", func(rows *sql.Rows) (c graphstore.AdjacentChunk, err error) {
		err = rows.Scan(&c.ID, &c.Document)
		return c, err
	}, `SELECT id, document FROM chunks WHERE workspace = ?`+where+` ORDER BY id LIMIT ?`, append(args, sqlLimit(q.Limit))...)
}

// encodeSpans packs spans as pairs of varints, start and length, because links
// are the most numerous rows and most have one or two spans.
func encodeSpans(spans []domain.Span) []byte {
	b := make([]byte, 0, 4*len(spans))
	for _, s := range spans {
		b = binary.AppendVarint(b, int64(s.Start))
		b = binary.AppendVarint(b, int64(s.Len()))
	}
	return b
}

func decodeSpans(b []byte) ([]domain.Span, error) {
	var spans []domain.Span
	for len(b) > 0 {
		start, n := binary.Varint(b)
		if n <= 0 {
			return nil, fmt.Errorf("damaged spans")
		}
		length, m := binary.Varint(b[n:])
		if m <= 0 {
			return nil, fmt.Errorf("damaged spans")
		}
		b = b[n+m:]
		spans = append(spans, domain.Span{Start: int(start), End: int(start + length)})
	}
	return spans, nil
}
