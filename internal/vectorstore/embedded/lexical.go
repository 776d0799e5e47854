package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Lexical implements vectorstore.Reader. The score is Okapi BM25 with k1 1.2
// and b 0.75, as FTS5 computes it over title and text together.
func (x *index) Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	if err := q.Collection.Check(); err != nil {
		return nil, err
	}
	var hits []vectorstore.Hit
	err := x.file.Read(ctx, x.room(w), func(tx *sql.Tx, r projected.Room) error {
		if r.Num == 0 || q.Limit <= 0 {
			return nil
		}
		words, err := x.usableWords(ctx, tx, r, q)
		if err != nil || len(words) == 0 {
			return err
		}
		hits, err = (&ranking{tx: tx, room: r, query: q, words: words}).best(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	return hits, nil
}

// Scoring every point that holds a common word is what makes a search slow.
// The points with rare words are scored first, by all words; where the worst
// hit is better than the common words alone could make a point, the others
// need not be looked at (Turtle and Flood, "Query evaluation: strategies and
// optimizations", 1995, the max_score method).
const (
	firstPostings = 2_000   // how many points are scored at first
	maxPostings   = 120_000 // beyond this, points with the commonest words alone are given up
	growth        = 5       // how many times as many the next time
)

// ranking is one search for words, rarest first.
type ranking struct {
	tx    *sql.Tx
	room  projected.Room
	query vectorstore.LexicalQuery
	words []word
}

// best is the answer, best first.
func (k *ranking) best(ctx context.Context) ([]vectorstore.Hit, error) {
	first := firstPostings
	if len(k.query.Documents) > 0 {
		first = maxPostings // few of the points with rare words would be among them
	}
	for postings := first; ; postings *= growth {
		lead := k.leading(postings)
		hits, err := k.top(ctx, lead)
		if err != nil {
			return nil, err
		}
		if lead == len(k.words) || postings*growth > maxPostings {
			return hits, nil
		}
		if len(hits) == k.query.Limit && hits[len(hits)-1].Score > most(k.words[lead:]) {
			return hits, nil
		}
	}
}

// leading is how many of the rarest words at most so many points hold, at
// least one.
func (k *ranking) leading(postings int) int {
	for i, w := range k.words {
		if postings -= w.count; postings < 0 {
			return max(i, 1)
		}
	}
	return len(k.words)
}

// most is the highest score that words alone can make.
func most(words []word) float64 {
	var sum float64
	for _, w := range words {
		sum += w.most
	}
	return sum
}

// tieSlack is how many points beyond the limit are read, so that equal scores
// at the limit are told apart by id in one go.
const tieSlack = 16

// top is the best of the points that hold one of the first lead words, scored
// by all words. It reads on while the last point read is a tie with the last
// one wanted.
func (k *ranking) top(ctx context.Context, lead int) ([]vectorstore.Hit, error) {
	limit := k.query.Limit
	for n := limit + tieSlack; ; n *= 4 {
		hits, err := k.read(ctx, lead, n)
		if err != nil {
			return nil, err
		}
		if len(hits) == n && hits[n-1].Score == hits[limit-1].Score {
			continue
		}
		slices.SortFunc(hits, compareHits)
		return hits[:min(len(hits), limit)], nil
	}
}

func compareHits(a, b vectorstore.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
}

// read is the first n points that hold one of the first lead words, best
// first. The sign before rowid keeps SQLite from asking the full-text index
// anew for every point, and bm25() in place of rank from scoring points that
// are left out.
func (k *ranking) read(ctx context.Context, lead, n int) ([]vectorstore.Hit, error) {
	table := wordsTable(k.room.Num, k.query.Collection)
	where, args := table+` MATCH ?`, []any{match(k.words)}
	if lead < len(k.words) {
		where += ` AND +rowid IN (SELECT rowid FROM ` + table + ` WHERE ` + table + ` MATCH ?)`
		args = append(args, match(k.words[:lead]))
	}
	if len(k.query.Documents) > 0 {
		list, err := json.Marshal(k.query.Documents)
		if err != nil {
			return nil, err
		}
		where += ` AND +rowid IN (SELECT num FROM points WHERE workspace = ? AND collection = ?
			AND document IN (SELECT value FROM json_each(?)))`
		args = append(args, k.room.Num, string(k.query.Collection), string(list))
	}
	return sqlio.Collect(ctx, k.tx, func(rows *sql.Rows) (h vectorstore.Hit, err error) {
		err = rows.Scan(&h.ID, &h.Score)
		return h, err
	}, `SELECT p.id, -f.score FROM (
			SELECT rowid AS num, bm25(`+table+`) AS score FROM `+table+` WHERE `+where+` ORDER BY score LIMIT ?
		) f JOIN points p ON p.num = f.num ORDER BY f.score`, append(args, n)...)
}
