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

// word is a word of a question with how many points hold it and the most it
// can add to the score of one.
type word struct {
	text  string
	count int
	most  float64
}

// maxWords bounds the words of a question; of a longer one the rarest count.
const maxWords = 32

// usableWords are the words of a question that some point holds, rarest first.
func (x *index) usableWords(ctx context.Context, tx *sql.Tx, r projected.Room, q vectorstore.LexicalQuery) ([]word, error) {
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

// mostOf is the limit that a word's part of a BM25 score nears as the word
// fills a point: its inverse document frequency, floored as FTS5 does it, times
// k1 + 1.
func mostOf(count, points int) float64 {
	n := float64(count)
	idf := math.Log((float64(points) - n + 0.5) / (n + 0.5))
	return max(idf, 1e-6) * 2.2
}

// quote makes a word a string of the full-text query language. Words hold no
// quotation marks.
func quote(word string) string { return `"` + word + `"` }

// match is the full-text query for any of words.
func match(words []word) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w.text)
	}
	return strings.Join(quoted, " OR ")
}

// wordsKey names a full-text table.
type wordsKey struct {
	workspace  int64
	collection vectorstore.Collection
}

// frequencies remembers how many points hold a word, for one state of a
// full-text table: counting a common word takes as long as a search for it.
type frequencies struct {
	table  string
	cursor int64

	mu     sync.Mutex
	counts map[string]int
}

// frequencies is the memory of a table as of r.
func (x *index) frequencies(r projected.Room, c vectorstore.Collection) *frequencies {
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

// maxCounts bounds the memory of one table's counts.
const maxCounts = 50_000

// count is the count kept under key, or what query counts.
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
