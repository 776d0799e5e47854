package embedded

import (
	"context"
	"database/sql"
	"runtime"
	"sync"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/vectorstore"
)

// flatKey identifies a flat index.
type flatKey struct {
	workspace  domain.WorkspaceID
	collection vectorstore.Collection
}

// flat keeps the vectors of one collection in memory. It is a copy of the file as
// of a cursor; each search first loads the rows that any process wrote or removed
// since.
type flat struct {
	collection vectorstore.Collection

	mu   sync.RWMutex
	room projected.Workspace
	dim  int // 0 while empty
	nums []int64
	ids  []string
	docs []domain.DocumentID
	data []float32 // len(nums) * dim
	at   map[int64]int

	points int // of the collection, with a vector or without

	codes []code   // of the vectors
	words []uint64 // len(nums) * codeWords(dim)
}

// flat returns the flat index of a collection, which may be stale.
func (x *index) flat(w domain.WorkspaceID, c vectorstore.Collection) *flat {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := flatKey{w, c}
	if x.flats[key] == nil {
		x.flats[key] = &flat{collection: c, at: map[int64]int{}}
	}
	return x.flats[key]
}

// fresh reports whether f includes all batches up to r.
func (f *flat) fresh(r projected.Workspace) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.room.Num == r.Num && f.room.Cursor >= r.Cursor
}

// refresh updates f to the state of the file in tx.
func (f *flat) refresh(ctx context.Context, tx *sql.Tx, r projected.Workspace) error {
	if f.fresh(r) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room.Num == r.Num && f.room.Cursor >= r.Cursor {
		return nil
	}
	if f.room.Num != r.Num {
		f.clear(r.Num)
	}
	if err := f.load(ctx, tx); err != nil {
		f.clear(0)
		return err
	}
	f.room = r
	return nil
}

func (f *flat) clear(workspace int64) {
	f.room, f.dim, f.points = projected.Workspace{Num: workspace}, 0, 0
	f.nums, f.ids, f.docs, f.data, f.codes, f.words = nil, nil, nil, nil, nil, nil
	clear(f.at)
}

// load applies what was removed and written after f.room.Cursor.
func (f *flat) load(ctx context.Context, tx *sql.Tx) error {
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		var num int64
		err := rows.Scan(&num)
		f.remove(num)
		return err
	}, `SELECT num FROM removed WHERE workspace = ? AND collection = ? AND cursor > ?`,
		f.room.Num, string(f.collection), f.room.Cursor)
	if err != nil {
		return err
	}
	if len(f.nums) == 0 {
		if err := f.reserve(ctx, tx); err != nil {
			return err
		}
	}
	err = sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		var num int64
		var id string
		var doc domain.DocumentID
		var vector sql.RawBytes
		if err := rows.Scan(&num, &id, &doc, &vector); err != nil {
			return err
		}
		f.put(num, id, doc, vector)
		return nil
	}, `SELECT v.num, p.id, p.document, v.vector FROM vectors v JOIN points p ON p.num = v.num
		WHERE v.workspace = ? AND v.collection = ? AND v.cursor > ? ORDER BY v.cursor, v.num`,
		f.room.Num, string(f.collection), f.room.Cursor)
	if err != nil {
		return err
	}
	return sqlio.Each(ctx, tx, func(rows *sql.Rows) error { return rows.Scan(&f.points) },
		`SELECT count(*) FROM points WHERE workspace = ? AND collection = ?`, f.room.Num, string(f.collection))
}

// reserve allocates memory for all stored vectors.
func (f *flat) reserve(ctx context.Context, tx *sql.Tx) error {
	var n, bytes int
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error { return rows.Scan(&n, &bytes) },
		`SELECT count(*), coalesce(max(length(vector)), 0) FROM vectors WHERE workspace = ? AND collection = ?`, f.room.Num, string(f.collection))
	if err != nil {
		return err
	}
	f.nums, f.ids, f.docs, f.codes = make([]int64, 0, n), make([]string, 0, n), make([]domain.DocumentID, 0, n), make([]code, 0, n)
	f.data, f.words = make([]float32, 0, n*bytes/4), make([]uint64, 0, n*codeWords(bytes/4))
	return nil
}

func (f *flat) put(num int64, id string, doc domain.DocumentID, vector []byte) {
	i, ok := f.at[num]
	if ok {
		decodeVector(f.data[i*f.dim:i*f.dim], vector)
		f.docs[i] = doc
		f.codes[i] = encode(f.vector(i), f.word(i))
		return
	}
	if len(f.nums) == 0 {
		f.dim = len(vector) / 4
	}
	f.at[num] = len(f.nums)
	f.nums, f.ids, f.docs = append(f.nums, num), append(f.ids, id), append(f.docs, doc)
	f.data = decodeVector(f.data, vector)
	i = len(f.codes)
	f.words = append(f.words, make([]uint64, codeWords(f.dim))...)
	f.codes = append(f.codes, encode(f.vector(i), f.word(i)))
}

// vector returns the vector at a position.
func (f *flat) vector(i int) []float32 { return f.data[i*f.dim : (i+1)*f.dim] }

// word returns the words of its code.
func (f *flat) word(i int) []uint64 {
	n := codeWords(f.dim)
	return f.words[i*n : (i+1)*n]
}

// remove removes a vector and moves the last one to its position.
func (f *flat) remove(num int64) {
	i, ok := f.at[num]
	if !ok {
		return
	}
	last := len(f.nums) - 1
	f.nums[i], f.ids[i], f.docs[i] = f.nums[last], f.ids[last], f.docs[last]
	copy(f.vector(i), f.vector(last))
	copy(f.word(i), f.word(last))
	f.codes[i] = f.codes[last]
	f.at[f.nums[i]] = i
	delete(f.at, num)
	f.nums, f.ids, f.docs, f.data = f.nums[:last], f.ids[:last], f.docs[:last], f.data[:last*f.dim]
	f.codes, f.words = f.codes[:last], f.words[:last*codeWords(f.dim)]
}

// search returns the k vectors nearest to q, which has unit length. Without
// documents it searches all.
func (f *flat) search(q []float32, k int, documents []domain.DocumentID) ([]vectorstore.Hit, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if len(f.nums) == 0 {
		return nil, nil
	}
	if len(q) != f.dim {
		return nil, dimensionError(f.collection, len(q), f.dim)
	}
	only := lists.Set(documents)
	coded := newQuery(q)
	tops := make([]topK, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range tops {
		tops[i].k = k
		from, to := i*len(f.nums)/len(tops), (i+1)*len(f.nums)/len(tops)
		wg.Go(func() { f.scan(coded, from, to, only, &tops[i]) })
	}
	wg.Wait()
	return merge(k, tops), nil
}

// candidate is the position of a vector that may be among the nearest.
type candidate struct {
	at   int
	most float64
}

// scan offers the vectors between two positions to top, except those whose upper
// bound is below the lower bounds of k others.
func (f *flat) scan(q *query, from, to int, only map[domain.DocumentID]bool, top *topK) {
	var near []candidate
	least := newFloor(top.k)
	for i := from; i < to; i++ {
		if len(only) > 0 && !only[f.docs[i]] {
			continue
		}
		low, high := q.bounds(&f.codes[i], f.word(i))
		if high >= least.value() {
			near = append(near, candidate{i, high})
			least.offer(low)
		}
	}
	for _, c := range near {
		if c.most < least.value() {
			continue // below a lower bound found later
		}
		if score := dot(q.vector, f.vector(c.at)); score >= top.floor() {
			top.offer(f.ids[c.at], score)
		}
	}
}
