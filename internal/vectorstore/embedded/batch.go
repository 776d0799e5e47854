package embedded

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
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

// findAll returns the stored points of some collection with some ids, by id.
func (b *batch) findAll(c vectorstore.Collection, ids []string) map[string]stored {
	found := map[string]stored{}
	list, err := json.Marshal(ids)
	b.Fail(err)
	b.Each(func(rows *sql.Rows) error {
		p := stored{collection: c}
		var id string
		err := rows.Scan(&id, &p.num, &p.document)
		found[id] = p
		return err
	}, `SELECT id, num, document FROM points WHERE workspace = ? AND collection = ? AND id IN (SELECT value FROM json_each(?))`,
		b.Num, string(c), string(list))
	return found
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
	have := b.have(points)
	rows := b.newPoints()
	last := make(map[vectorstore.Ref]int, len(points))
	for i, p := range points {
		last[p.Ref] = i
	}
	nums := make([]int64, len(points)) // of points whose words are to be written
	for i, p := range points {
		if last[p.Ref] == i {
			nums[i] = rows.put(p, have[p.Ref])
		}
	}
	rows.Flush()
	for _, p := range b.gone {
		b.Exec(`DELETE FROM `+wordsTable(b.Num, p.collection)+` WHERE rowid = ?`, p.num)
	}
	for i, p := range points {
		if nums[i] != 0 {
			b.Exec(`INSERT INTO `+wordsTable(b.Num, p.Collection)+` (rowid, title, text) VALUES (?, ?, ?)`, nums[i], p.Title, p.Text)
		}
	}
}

// pointsAtOnce is how many stored points are looked up together.
const pointsAtOnce = 512

// have returns the stored rows of points.
func (b *batch) have(points []vectorstore.Point) map[vectorstore.Ref]stored {
	byCollection := map[vectorstore.Collection][]string{}
	for _, p := range points {
		byCollection[p.Collection] = append(byCollection[p.Collection], p.ID)
	}
	have := map[vectorstore.Ref]stored{}
	for c, all := range byCollection {
		for ids := range slices.Chunk(all, pointsAtOnce) {
			for id, p := range b.findAll(c, ids) {
				have[vectorstore.Ref{Collection: c, ID: id}] = p
			}
		}
	}
	return have
}

// pointWriter writes the rows of points without their words.
type pointWriter struct {
	*batch
	*projected.Rows       // of new points
	last            int64 // number of the point that was added last
}

func (b *batch) newPoints() *pointWriter {
	// A failure ends the batch, so there is no need to be able to undo single statements.
	w := &pointWriter{batch: b, Rows: b.Rows(`INSERT OR FAIL INTO points (num, workspace, collection, id, document)`, 5)}
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&w.last) }, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'points'`)
	return w
}

// put writes a point that differs from the stored one. It returns the number of a
// new point, or 0. A point that changes other than by its vector is another point:
// copies in memory know it by its number.
func (w *pointWriter) put(p vectorstore.Point, old stored) (num int64) {
	if err := p.Collection.Check(); err != nil {
		w.Fail(err)
		return 0
	}
	vector := encodeVector(p.Vector)
	if old.num != 0 {
		title, text, have := w.contents(old)
		if old.document == p.Document && title == p.Title && text == p.Text && (len(vector) > 0 || len(have) == 0) {
			if !bytes.Equal(have, vector) {
				w.putVector(old.num, p.Collection, vector)
			}
			return 0
		}
		w.delete(old)
	}
	w.last++
	w.Add(w.last, w.Num, string(p.Collection), p.ID, string(p.Document))
	if len(vector) > 0 {
		w.putVector(w.last, p.Collection, vector)
	}
	return w.last
}

// contents returns the stored values of a point.
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
		have = cmp.Or(have, size)
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

// Apply implements vectorstore.Writer.
func (x *index) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	move := projected.Move{Token: b.Token, After: b.After, Cursor: b.Cursor}
	return x.file.Apply(ctx, x.room(w), move, func(to *projected.Batch) { x.write(to, b) })
}

func (x *index) write(to *projected.Batch, b vectorstore.Batch) {
	if to.New {
		createWords(to)
	}
	x.adopt(to, b.Upsert)
	(&batch{Batch: to, sizes: map[vectorstore.Collection]int{}}).apply(b)
}

// wordsPage is the size of a page of the full-text tables, in bytes. To overwrite a
// deleted word, FTS5 walks through up to four pages of the word's list, and writes
// one; its default of 4,050 makes that twice as long.
const wordsPage = "512"

// wordsSegments is from how many segments of a level on FTS5 merges them at once. A
// deleted word is looked up in every segment for each row that held it. FTS5's own 16
// is meant for when it falls behind merging a little with each transaction, which it
// does where documents come one by one: each leaves a segment.
const wordsSegments = "4"

// createWords creates a workspace's full-text tables.
func createWords(b *projected.Batch) {
	for _, c := range vectorstore.Collections() {
		table := wordsTable(b.Num, c)
		b.Exec(`CREATE VIRTUAL TABLE ` + table + ` USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2')`)
		b.Exec(`INSERT INTO ` + table + ` (` + table + `, rank) VALUES ('secure-delete', 1), ('pgsz', ` + wordsPage + `), ('crisismerge', ` + wordsSegments + `)`)
	}
}

// Reset implements vectorstore.Writer.
func (x *index) Reset(ctx context.Context, w domain.WorkspaceID, token int64) error {
	return x.file.Reset(ctx, x.room(w), token, func(b *projected.Batch) { empty(b, b.Num) })
}

// Claim implements vectorstore.Store.
func (s *Store) Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	return s.file.Claim(ctx, s.room(w), owner, takeOver, func(b *projected.Batch) { empty(b, b.Num) })
}

// empty deletes the rows of one workspace.
func empty(b *projected.Batch, num int64) {
	for _, c := range vectorstore.Collections() {
		b.Exec(`DROP TABLE ` + wordsTable(num, c))
	}
	for _, table := range []string{"points", "vectors", "removed"} {
		b.Exec(`DELETE FROM `+table+` WHERE workspace = ?`, num)
	}
}
