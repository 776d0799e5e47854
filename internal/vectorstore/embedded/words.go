package embedded

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// word is a word of a query, with the number of points that contain it and the
// most it can add to a score.
type word struct {
	text  string
	count int
	most  float64
}

// maxWords is the number of words of a query that count, the rarest.
const maxWords = 32

// usableWords returns the words of a query that some point contains, rarest first.
func (x *index) usableWords(ctx context.Context, tx *sql.Tx, r projected.Workspace, q vectorstore.LexicalQuery) ([]word, error) {
	f := x.frequencies(r, q.Collection)
	points, err := f.count(ctx, tx, "", `SELECT count(*) FROM points WHERE workspace = ? AND collection = ?`, r.Num, string(q.Collection))
	if err != nil {
		return nil, err
	}
	var usable []word
	for _, text := range words.Content(q.Text) {
		n, err := f.count(ctx, tx, text, `SELECT count(*) FROM `+f.table+` WHERE `+f.table+` MATCH ?`, quote(text))
		if err != nil {
			return nil, err
		}
		if n > 0 {
			usable = append(usable, word{text, n, mostOf(n, points)})
		}
	}
	slices.SortStableFunc(usable, func(a, b word) int { return a.count - b.count })
	return usable[:min(len(usable), maxWords)], nil
}

// mostOf returns the upper limit of a word's part of a BM25 score: its inverse
// document frequency, with the same minimum as in FTS5, times k1 + 1.
func mostOf(count, points int) float64 {
	n := float64(count)
	idf := math.Log((float64(points) - n + 0.5) / (n + 0.5))
	return max(idf, 1e-6) * 2.2
}

// quote returns a word as a string of the full-text query language. Words contain
// no quotation marks.
func quote(word string) string { return `"` + word + `"` }

// match returns the full-text query for any of words.
func match(words []word) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w.text)
	}
	return strings.Join(quoted, " OR ")
}

// wordsKey identifies a full-text table.
type wordsKey struct {
	workspace  int64
	collection vectorstore.Collection
}

// frequencies caches how many points contain a word, for one state of a full-text
// table: counting a common word takes as long as searching for it.
type frequencies struct {
	table  string
	cursor int64

	mu     sync.Mutex
	counts map[string]int
}

// frequencies returns the cache of a table as of r.
func (x *index) frequencies(r projected.Workspace, c vectorstore.Collection) *frequencies {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := wordsKey{r.Num, c}
	f := x.words[key]
	if f == nil || f.cursor != r.Cursor {
		f = &frequencies{table: wordsTable(r.Num, c), cursor: r.Cursor, counts: map[string]int{}}
		x.words[key] = f
	}
	return f
}

// maxCounts limits the size of a cache.
const maxCounts = 50_000

// count returns the count cached under key, or the result of query.
func (f *frequencies) count(ctx context.Context, tx *sql.Tx, key, query string, args ...any) (int, error) {
	f.mu.Lock()
	n, ok := f.counts[key]
	f.mu.Unlock()
	if ok {
		return n, nil
	}
	if err := tx.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.counts) >= maxCounts {
		clear(f.counts)
	}
	f.counts[key] = n
	return n, nil
}
