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
	gone  []stored                       // whose words are to be deleted
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

// delete deletes a point but for its words, and notes that for the copies in memory.
func (b *batch) delete(p stored) {
	b.gone = append(b.gone, p)
	b.Exec(`INSERT OR IGNORE INTO removed (workspace, collection, cursor, num) VALUES (?, ?, ?, ?)`, b.Num, string(p.collection), b.Cursor, p.num)
	b.Exec(`DELETE FROM vectors WHERE num = ?`, p.num)
	b.Exec(`DELETE FROM points WHERE num = ?`, p.num)
}

// put writes what differs from the stored points. All rows are deleted and written
// before the first words: a row's statement sets a savepoint, at which SQLite's
// full-text search flushes its buffer. Interleaved, it would flush at every point.
func (b *batch) put(points []vectorstore.Point) {
	last := make(map[vectorstore.Ref]int, len(points))
	for i, p := range points {
		last[p.Ref] = i
	}
	nums := make([]int64, len(points)) // of those whose words are to be written
	for i, p := range points {
		if last[p.Ref] == i {
			nums[i] = b.putRow(p)
		}
	}
	for _, p := range b.gone {
		b.Exec(`DELETE FROM `+wordsTable(b.Num, p.collection)+` WHERE rowid = ?`, p.num)
	}
	for i, p := range points {
		if nums[i] != 0 {
			b.Exec(`INSERT INTO `+wordsTable(b.Num, p.Collection)+` (rowid, title, text) VALUES (?, ?, ?)`, nums[i], p.Title, p.Text)
		}
	}
}

// putRow writes a point without its words. It returns the number of a new point,
// or 0. A point that changes other than by its vector is another point: copies
// in memory know it by its number.
func (b *batch) putRow(p vectorstore.Point) (num int64) {
	if err := p.Collection.Check(); err != nil {
		b.Fail(err)
		return 0
	}
	vector := encodeVector(p.Vector)
	old, had := b.find(p.Ref)
	if had {
		title, text, have := b.contents(old)
		if old.document == p.Document && title == p.Title && text == p.Text && (len(vector) > 0 || len(have) == 0) {
			if !bytes.Equal(have, vector) {
				b.putVector(old.num, p.Collection, vector)
			}
			return 0
		}
		b.delete(old)
	}
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&num) },
		`INSERT INTO points (workspace, collection, id, document) VALUES (?, ?, ?, ?) RETURNING num`,
		b.Num, string(p.Collection), p.ID, string(p.Document))
	if len(vector) > 0 {
		b.putVector(num, p.Collection, vector)
	}
	return num
}

// contents returns what is stored of a point.
func (b *batch) contents(p stored) (title, text string, vector []byte) {
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&title, &text) },
		`SELECT title, text FROM `+wordsTable(b.Num, p.collection)+` WHERE rowid = ?`, p.num)
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&vector) }, `SELECT vector FROM vectors WHERE num = ?`, p.num)
	return title, text, vector
}

func (b *batch) putVector(num int64, c vectorstore.Collection, vector []byte) {
	b.checkSize(c, len(vector))
	b.Exec(`INSERT OR REPLACE INTO vectors (num, workspace, collection, cursor, vector) VALUES (?, ?, ?, ?, ?)`,
		num, b.Num, string(c), b.Cursor, vector)
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
