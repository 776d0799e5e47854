package embedded

import (
	"context"
	"database/sql"
	"runtime"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

// flatKey names one flat index.
type flatKey struct {
	workspace  domain.WorkspaceID
	collection vectorstore.Collection
}

// flat holds the vectors of one collection in memory, one after the other. It
// is a copy of the file as of a cursor; before each search the rows written
// and removed since, by this process or another, are brought in.
type flat struct {
	collection vectorstore.Collection

	mu   sync.RWMutex
	room projected.Room
	dim  int // 0 while empty
	nums []int64
	ids  []string
	docs []domain.DocumentID
	data []float32 // len(nums) * dim
	at   map[int64]int
}

// flat is the index of a collection, empty at first.
func (x *index) flat(w domain.WorkspaceID, c vectorstore.Collection) *flat {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := flatKey{w, c}
	if x.flats[key] == nil {
		x.flats[key] = &flat{collection: c, at: map[int64]int{}}
	}
	return x.flats[key]
}

// fresh reports whether f is as of r or later.
func (f *flat) fresh(r projected.Room) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.room.Num == r.Num && f.room.Cursor >= r.Cursor
}

// refresh brings f to the state of the file that tx sees.
func (f *flat) refresh(ctx context.Context, tx *sql.Tx, r projected.Room) error {
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
	f.room, f.dim = projected.Room{Num: workspace}, 0
	f.nums, f.ids, f.docs, f.data = nil, nil, nil, nil
	clear(f.at)
}

// load brings in what was removed and written after f.room.Cursor.
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
	return sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
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
}

func (f *flat) put(num int64, id string, doc domain.DocumentID, vector []byte) {
	i, ok := f.at[num]
	if ok {
		decodeVector(f.data[i*f.dim:i*f.dim], vector)
		f.docs[i] = doc
		return
	}
	if len(f.nums) == 0 {
		f.dim = len(vector) / 4
	}
	f.at[num] = len(f.nums)
	f.nums, f.ids, f.docs = append(f.nums, num), append(f.ids, id), append(f.docs, doc)
	f.data = decodeVector(f.data, vector)
}

// remove moves the last vector to the place of the one that goes.
func (f *flat) remove(num int64) {
	i, ok := f.at[num]
	if !ok {
		return
	}
	last := len(f.nums) - 1
	f.nums[i], f.ids[i], f.docs[i] = f.nums[last], f.ids[last], f.docs[last]
	copy(f.data[i*f.dim:(i+1)*f.dim], f.data[last*f.dim:])
	f.at[f.nums[i]] = i
	delete(f.at, num)
	f.nums, f.ids, f.docs, f.data = f.nums[:last], f.ids[:last], f.docs[:last], f.data[:last*f.dim]
}

// search compares q, of unit length, with every vector of the documents, or
// of all when there are none.
func (f *flat) search(q []float32, k int, documents []domain.DocumentID) ([]vectorstore.Hit, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if len(f.nums) == 0 {
		return nil, nil
	}
	if len(q) != f.dim {
		return nil, dimensionError(f.collection, len(q), f.dim)
	}
	only := map[domain.DocumentID]bool{}
	for _, d := range documents {
		only[d] = true
	}
	tops := make([]topK, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range tops {
		tops[i].k = k
		from, to := i*len(f.nums)/len(tops), (i+1)*len(f.nums)/len(tops)
		wg.Go(func() { f.scan(q, from, to, only, &tops[i]) })
	}
	wg.Wait()
	return merge(k, tops), nil
}

// scan offers the vectors from one position to another.
func (f *flat) scan(q []float32, from, to int, only map[domain.DocumentID]bool, top *topK) {
	for i := from; i < to; i++ {
		if len(only) > 0 && !only[f.docs[i]] {
			continue
		}
		if score := dot(q, f.data[i*f.dim:(i+1)*f.dim]); score >= top.floor() {
			top.offer(f.ids[i], score)
		}
	}
}
