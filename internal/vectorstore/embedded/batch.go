package embedded

import (
	"bytes"
	"database/sql"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

// batch writes the points of one batch.
type batch struct {
	*projected.Batch
	sizes map[vectorstore.Collection]int // of a collection's vectors in bytes, once known
}

func (b *batch) apply(in vectorstore.Batch) {
	for _, id := range in.DeleteDocuments {
		for _, p := range b.pointsOf(id) {
			b.Forget()
			b.delete(p)
		}
	}
	b.put(in.Upsert)
}

// stored is a point's row.
type stored struct {
	num        int64
	collection vectorstore.Collection
	document   domain.DocumentID
}

func (b *batch) pointsOf(id domain.DocumentID) []stored {
	var points []stored
	b.Each(func(rows *sql.Rows) error {
		var p stored
		err := rows.Scan(&p.num, &p.collection, &p.document)
		points = append(points, p)
		return err
	}, `SELECT num, collection, document FROM points WHERE workspace = ? AND document = ? ORDER BY num`,
		b.Num, string(id))
	return points
}

func (b *batch) find(ref vectorstore.Ref) (stored, bool) {
	p := stored{collection: ref.Collection}
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&p.num, &p.document) },
		`SELECT num, document FROM points WHERE workspace = ? AND collection = ? AND id = ?`,
		b.Num, string(ref.Collection), ref.ID)
	return p, p.num != 0
}

func (b *batch) delete(p stored) {
	b.Exec(`DELETE FROM `+wordsTable(b.Num, p.collection)+` WHERE rowid = ?`, p.num)
	b.deleteVector(p)
	b.Exec(`DELETE FROM points WHERE num = ?`, p.num)
}

// put writes what differs from the stored points. All rows are written before
// the first words: a row's statement sets a savepoint, at which SQLite's full-text
// search flushes its buffer. Interleaved, it would flush at every point.
func (b *batch) put(points []vectorstore.Point) {
	nums, had := make([]int64, len(points)), make([]bool, len(points))
	for i, p := range points {
		nums[i], had[i] = b.putRow(p)
	}
	for i, p := range points {
		b.putWords(nums[i], had[i], p)
	}
}

// putRow writes a point without its words. It returns the point's number and
// whether it existed.
func (b *batch) putRow(p vectorstore.Point) (num int64, had bool) {
	if err := p.Collection.Check(); err != nil {
		b.Fail(err)
		return 0, false
	}
	old, had := b.find(p.Ref)
	if !had {
		b.Each(func(rows *sql.Rows) error { return rows.Scan(&old.num) },
			`INSERT INTO points (workspace, collection, id, document) VALUES (?, ?, ?, ?) RETURNING num`,
			b.Num, string(p.Collection), p.ID, string(p.Document))
	} else if old.document != p.Document {
		b.Exec(`UPDATE points SET document = ? WHERE num = ?`, string(p.Document), old.num)
	}
	b.putVector(old, had, p)
	return old.num, had
}

func (b *batch) putWords(num int64, had bool, p vectorstore.Point) {
	table := wordsTable(b.Num, p.Collection)
	if had {
		var title, text string
		b.Each(func(rows *sql.Rows) error { return rows.Scan(&title, &text) },
			`SELECT title, text FROM `+table+` WHERE rowid = ?`, num)
		if title == p.Title && text == p.Text {
			return
		}
		b.Exec(`DELETE FROM `+table+` WHERE rowid = ?`, num)
	}
	b.Exec(`INSERT INTO `+table+` (rowid, title, text) VALUES (?, ?, ?)`, num, p.Title, p.Text)
}

func (b *batch) putVector(old stored, had bool, p vectorstore.Point) {
	vector := encodeVector(p.Vector)
	if had {
		var have []byte
		b.Each(func(rows *sql.Rows) error { return rows.Scan(&have) }, `SELECT vector FROM vectors WHERE num = ?`, old.num)
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
	b.Exec(`INSERT OR REPLACE INTO vectors (num, workspace, collection, cursor, vector) VALUES (?, ?, ?, ?, ?)`,
		old.num, b.Num, string(p.Collection), b.Cursor, vector)
}

// checkSize fails the batch if a collection would get vectors of two dimensions.
func (b *batch) checkSize(c vectorstore.Collection, size int) {
	have, ok := b.sizes[c]
	if !ok {
		b.Each(func(rows *sql.Rows) error { return rows.Scan(&have) },
			`SELECT length(vector) FROM vectors WHERE workspace = ? AND collection = ? LIMIT 1`, b.Num, string(c))
		if have == 0 {
			have = size
		}
		b.sizes[c] = have
	}
	if have != size {
		b.Fail(dimensionError(c, size/4, have/4))
	}
}

func dimensionError(c vectorstore.Collection, got, want int) error {
	return domain.Errorf(domain.Invalid,
		"A vector of %d dimensions does not fit the %s, whose vectors have %d; after a change of the embedding model, rebuild the search index.", got, c, want)
}

func (b *batch) deleteVector(p stored) {
	b.Exec(`INSERT OR IGNORE INTO removed (workspace, collection, cursor, num)
		SELECT workspace, collection, ?, num FROM vectors WHERE num = ?`, b.Cursor, p.num)
	b.Exec(`DELETE FROM vectors WHERE num = ?`, p.num)
}
