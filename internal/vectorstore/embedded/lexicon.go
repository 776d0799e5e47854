package embedded

import (
	"context"
	"database/sql"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// lexicon keeps in memory what ranking the points of a collection by words takes:
// how long each point is and, for each word that was asked for, how often it
// occurs where. Full-text search reads that for every question again.
//
// It is a copy of the file as of a cursor. Points are numbered in the order in
// which they are written, so what came since has higher numbers, and each word
// only reads those.
type lexicon struct {
	collection vectorstore.Collection

	mu     sync.Mutex // held while reading the file, never while scoring
	room   projected.Workspace
	nums   []int64 // of points, ascending
	points []lexiconPoint
	gone   []bool // points deleted since
	live   int
	tokens int64 // of the points that are left
	losses int   // how often points were deleted

	postings map[string]*posting
	kept     int // occurrences in postings

	scores sync.Pool // of []float64, all zero: one number per point
}

// lexiconPoint is never changed, so that it can be read without the lock.
type lexiconPoint struct {
	id       string
	document domain.DocumentID
	tokens   uint32
}

// posting lists the points that contain a word.
type posting struct {
	at     []occurrence // by point
	upto   int          // number of points examined
	losses int          // of the lexicon when deleted points were last removed
}

type occurrence struct {
	point int32
	times uint32
}

// maxKept bounds the occurrences kept of a collection, of eight bytes each.
const maxKept = 4 << 20

// lexiconKey identifies a lexicon.
type lexiconKey struct {
	workspace  domain.WorkspaceID
	collection vectorstore.Collection
}

// lexicon returns the lexicon of a collection, which may be stale.
func (x *index) lexicon(w domain.WorkspaceID, c vectorstore.Collection) *lexicon {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := lexiconKey{w, c}
	if x.lexicons[key] == nil {
		x.lexicons[key] = &lexicon{collection: c, postings: map[string]*posting{}}
	}
	return x.lexicons[key]
}

// ranking returns the scorer of the points that have words of a query, as of the file. It takes the lock before it
// looks at the file, so that nobody has seen a later state.
func (l *lexicon) ranking(ctx context.Context, file *projected.File, room domain.WorkspaceID, q vectorstore.LexicalQuery) (*ranking, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := &ranking{query: q, scores: &l.scores}
	err := file.Read(ctx, room, func(tx *sql.Tx, r projected.Workspace) error {
		if r.Num == 0 {
			return nil
		}
		if err := l.refresh(ctx, tx, r); err != nil {
			l.clear(0)
			return err
		}
		if l.kept > maxKept {
			clear(l.postings)
			l.kept = 0
		}
		for _, text := range words.Content(q.Text) {
			w, err := l.word(ctx, tx, text)
			if err != nil {
				return err
			}
			if len(w.at) > 0 {
				k.words = append(k.words, w)
			}
		}
		return nil
	})
	k.points, k.average = l.points, l.average()
	slices.SortStableFunc(k.words, func(a, b word) int { return len(a.at) - len(b.at) })
	k.words = k.words[:min(len(k.words), maxWords)]
	return k, err
}

// average returns the mean length of the points.
func (l *lexicon) average() float64 { return float64(l.tokens) / float64(l.live) }

func (l *lexicon) clear(workspace int64) {
	l.room = projected.Workspace{Num: workspace}
	l.nums, l.points, l.gone, l.live, l.tokens, l.kept = nil, nil, nil, 0, 0, 0
	clear(l.postings)
}

// refresh brings the points to the state of the file in tx.
func (l *lexicon) refresh(ctx context.Context, tx *sql.Tx, r projected.Workspace) error {
	if l.room == r {
		return nil
	}
	if l.room.Num != r.Num {
		l.clear(r.Num)
	}
	if err := l.loseRemoved(ctx, tx); err != nil {
		return err
	}
	if 2*l.live < len(l.points) {
		l.clear(r.Num)
	}
	if err := l.loadPoints(ctx, tx); err != nil {
		return err
	}
	l.room = r
	return nil
}

// loseRemoved marks the points that were deleted since.
func (l *lexicon) loseRemoved(ctx context.Context, tx *sql.Tx) error {
	lost := false
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		num, err := sqlio.Column[int64](rows)
		if i, ok := slices.BinarySearch(l.nums, num); ok && !l.gone[i] {
			l.gone[i], lost = true, true
			l.live--
			l.tokens -= int64(l.points[i].tokens)
		}
		return err
	}, `SELECT num FROM removed WHERE workspace = ? AND collection = ? AND cursor > ?`, l.room.Num, string(l.collection), l.room.Cursor)
	if lost {
		l.losses++
	}
	return err
}

// loadPoints adds the points that were written since.
func (l *lexicon) loadPoints(ctx context.Context, tx *sql.Tx) error {
	var document domain.DocumentID
	return sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		var num int64
		var id string
		var of, sizes sql.RawBytes
		if err := rows.Scan(&num, &id, &of, &sizes); err != nil {
			return err
		}
		if string(of) != string(document) {
			document = domain.DocumentID(of)
		}
		p := lexiconPoint{id, document, tokensOf(sizes)}
		l.nums, l.points, l.gone = append(l.nums, num), append(l.points, p), append(l.gone, false)
		l.live++
		l.tokens += int64(p.tokens)
		return nil
	}, `SELECT p.num, p.id, p.document, s.sz FROM points p JOIN `+wordsTable(l.room.Num, l.collection)+`_docsize s ON s.id = p.num
		WHERE p.workspace = ? AND p.collection = ? AND p.num > ? ORDER BY p.num`, l.room.Num, string(l.collection), l.after(len(l.nums)))
}

// after returns the number of the last of the first n points.
func (l *lexicon) after(n int) int64 {
	if n == 0 {
		return 0
	}
	return l.nums[n-1]
}

// tokensOf returns the length of a point, which FTS5 stores as a number for each
// column, in its varints: big-endian, seven bits a byte.
func tokensOf(sizes []byte) uint32 {
	var sum, n uint32
	for _, b := range sizes {
		n = n<<7 | uint32(b&0x7f)
		if b < 0x80 {
			sum, n = sum+n, 0
		}
	}
	return sum
}

// word returns the occurrences of a query's word, without deleted points.
func (l *lexicon) word(ctx context.Context, tx *sql.Tx, text string) (word, error) {
	p := l.postings[text]
	if p == nil {
		p = &posting{losses: l.losses}
	}
	before := len(p.at)
	if p.losses != l.losses {
		p.at, p.losses = l.still(p.at), l.losses
	}
	if p.upto < len(l.nums) {
		if err := l.read(ctx, tx, text, p); err != nil {
			return word{}, err
		}
	}
	l.postings[text] = p
	l.kept += len(p.at) - before
	return word{p.at, idf(len(p.at), l.live)}, nil
}

// still returns the occurrences in points that are not gone.
func (l *lexicon) still(all []occurrence) []occurrence {
	return lists.Filter(all, func(o occurrence) bool { return !l.gone[o.point] })
}

// read adds the occurrences of a word in points that were not looked at. FTS5's
// ranking function is the only one that depends on how often a word occurs, so
// the number is computed from what it returns.
func (l *lexicon) read(ctx context.Context, tx *sql.Tx, text string, p *posting) error {
	table := wordsTable(l.room.Num, l.collection)
	var scores []float64
	at, next := p.at, p.upto
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		var num int64
		var score float64
		if err := rows.Scan(&num, &score); err != nil {
			return err
		}
		i, ok := slices.BinarySearch(l.nums[next:], num)
		if !ok {
			return nil
		}
		next += i + 1
		at, scores = append(at, occurrence{point: int32(next - 1)}), append(scores, -score)
		return nil
	}, `SELECT rowid, bm25(`+table+`) FROM `+table+` WHERE `+table+` MATCH ? AND rowid > ? ORDER BY rowid`, quote(text), l.after(p.upto))
	if err != nil {
		return err
	}
	weight, average := idf(len(at), l.live), l.average()
	for i, score := range scores {
		o := &at[len(p.at)+i]
		o.times = times(score/weight, l.points[o.point].tokens, average)
	}
	p.at, p.upto = at, len(l.nums)
	return nil
}
