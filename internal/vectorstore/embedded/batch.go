package embedded

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// batch writes the points of one batch. The first error sticks and turns
// everything after it into nothing, so that the writing reads as a list.
type batch struct {
	ctx       context.Context
	tx        *sql.Tx
	workspace int64
	cursor    int64
	prepared  map[string]*sql.Stmt
	sizes     map[vectorstore.Collection]int // bytes of a collection's vectors, once known
	deleted   bool                           // a document's words have gone from the file
	err       error
}

func newBatch(ctx context.Context, tx *sql.Tx, workspace, cursor int64) *batch {
	return &batch{ctx: ctx, tx: tx, workspace: workspace, cursor: cursor,
		prepared: map[string]*sql.Stmt{}, sizes: map[vectorstore.Collection]int{}}
}

func (b *batch) apply(in vectorstore.Batch) error {
	for _, id := range in.DeleteDocuments {
		for _, p := range b.pointsOf(id) {
			b.deleted = true
			b.delete(p)
		}
	}
	for _, ref := range in.Delete {
		if p, ok := b.find(ref); ok {
			b.delete(p)
		}
	}
	for _, p := range in.Upsert {
		b.put(p)
	}
	return b.err
}

// stored is a point's row.
type stored struct {
	num        int64
	collection vectorstore.Collection
	document   domain.DocumentID
}

func (b *batch) pointsOf(id domain.DocumentID) []stored {
	var points []stored
	b.each(func(rows *sql.Rows) error {
		var p stored
		err := rows.Scan(&p.num, &p.collection, &p.document)
		points = append(points, p)
		return err
	}, `SELECT num, collection, document FROM points WHERE workspace = ? AND document = ? AND document <> '' ORDER BY num`,
		b.workspace, string(id))
	return points
}

func (b *batch) find(ref vectorstore.Ref) (stored, bool) {
	p := stored{collection: ref.Collection}
	b.each(func(rows *sql.Rows) error { return rows.Scan(&p.num, &p.document) },
		`SELECT num, document FROM points WHERE workspace = ? AND collection = ? AND id = ?`,
		b.workspace, string(ref.Collection), ref.ID)
	return p, p.num != 0
}

func (b *batch) delete(p stored) {
	b.exec(`DELETE FROM `+wordsTable(b.workspace, p.collection)+` WHERE rowid = ?`, p.num)
	b.deleteVector(p)
	b.exec(`DELETE FROM points WHERE num = ?`, p.num)
}

// put writes what differs from the stored point.
func (b *batch) put(p vectorstore.Point) {
	if err := checkCollection(p.Collection); err != nil {
		b.err = errors.Join(b.err, err)
		return
	}
	old, ok := b.find(p.Ref)
	if !ok {
		b.each(func(rows *sql.Rows) error { return rows.Scan(&old.num) },
			`INSERT INTO points (workspace, collection, id, document) VALUES (?, ?, ?, ?) RETURNING num`,
			b.workspace, string(p.Collection), p.ID, string(p.Document))
	} else if old.document != p.Document {
		b.exec(`UPDATE points SET document = ? WHERE num = ?`, string(p.Document), old.num)
	}
	b.putWords(old.num, ok, p)
	b.putVector(old, ok, p)
}

func (b *batch) putWords(num int64, had bool, p vectorstore.Point) {
	table := wordsTable(b.workspace, p.Collection)
	if had {
		var title, text string
		b.each(func(rows *sql.Rows) error { return rows.Scan(&title, &text) },
			`SELECT title, text FROM `+table+` WHERE rowid = ?`, num)
		if title == p.Title && text == p.Text {
			return
		}
		b.exec(`DELETE FROM `+table+` WHERE rowid = ?`, num)
	}
	b.exec(`INSERT INTO `+table+` (rowid, title, text) VALUES (?, ?, ?)`, num, p.Title, p.Text)
}

func (b *batch) putVector(old stored, had bool, p vectorstore.Point) {
	vector := encodeVector(p.Vector)
	if had {
		var have []byte
		b.each(func(rows *sql.Rows) error { return rows.Scan(&have) }, `SELECT vector FROM vectors WHERE num = ?`, old.num)
		if bytes.Equal(have, vector) && old.document == p.Document {
			return
		}
		if len(vector) == 0 {
			b.deleteVector(old)
		}
	}
	if len(vector) == 0 {
		return
	}
	b.checkSize(p.Collection, len(vector))
	b.exec(`INSERT OR REPLACE INTO vectors (num, workspace, collection, cursor, vector) VALUES (?, ?, ?, ?, ?)`,
		old.num, b.workspace, string(p.Collection), b.cursor, vector)
}

// checkSize fails the batch when a collection would hold vectors of two
// dimensions, which cannot be compared.
func (b *batch) checkSize(c vectorstore.Collection, size int) {
	have, ok := b.sizes[c]
	if !ok {
		b.each(func(rows *sql.Rows) error { return rows.Scan(&have) },
			`SELECT length(vector) FROM vectors WHERE workspace = ? AND collection = ? LIMIT 1`, b.workspace, string(c))
		if have == 0 {
			have = size
		}
		b.sizes[c] = have
	}
	if have != size && b.err == nil {
		b.err = dimensionError(c, size/4, have/4)
	}
}

func dimensionError(c vectorstore.Collection, got, want int) error {
	return domain.Errorf(domain.Invalid,
		"A vector of %d dimensions does not fit the %s, whose vectors have %d; after a change of the embedding model, rebuild the search index.", got, c, want)
}

func (b *batch) deleteVector(p stored) {
	b.exec(`INSERT OR IGNORE INTO removed (workspace, collection, cursor, num)
		SELECT workspace, collection, ?, num FROM vectors WHERE num = ?`, b.cursor, p.num)
	b.exec(`DELETE FROM vectors WHERE num = ?`, p.num)
}

func (b *batch) stmt(query string) *sql.Stmt {
	if b.err != nil {
		return nil
	}
	st, ok := b.prepared[query]
	if !ok {
		if st, b.err = b.tx.PrepareContext(b.ctx, query); b.err != nil {
			b.err = fmt.Errorf("prepare: %w", b.err)
			return nil
		}
		b.prepared[query] = st
	}
	return st
}

func (b *batch) exec(query string, args ...any) {
	if st := b.stmt(query); st != nil {
		_, b.err = st.ExecContext(b.ctx, args...)
	}
}

// each calls f for every row of query. f must not write.
func (b *batch) each(f func(*sql.Rows) error, query string, args ...any) {
	st := b.stmt(query)
	if st == nil {
		return
	}
	rows, err := st.QueryContext(b.ctx, args...)
	if err != nil {
		b.err = err
		return
	}
	defer rows.Close()
	for rows.Next() {
		if b.err = f(rows); b.err != nil {
			return
		}
	}
	b.err = rows.Err()
}
