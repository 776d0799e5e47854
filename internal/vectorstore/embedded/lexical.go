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
	err := x.file.Read(ctx, x.room(w), func(tx *sql.Tx, r projected.Workspace) error {
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

// Scoring every point with a common word is slow. Points with rare words are
// scored first, by all words. If the worst hit has a higher score than the common
// words alone can give, no other points have to be scored (max_score: Turtle and
// Flood, "Query evaluation: strategies and optimizations", 1995).
const (
	firstPostings = 2_000   // points scored at first
	maxPostings   = 120_000 // beyond it, points with only the most common words are skipped
	growth        = 5       // factor from one attempt to the next
)

// ranking is a search for words, rarest first.
type ranking struct {
	tx    *sql.Tx
	room  projected.Workspace
	query vectorstore.LexicalQuery
	words []word
}

// best returns the hits, best first.
func (k *ranking) best(ctx context.Context) ([]vectorstore.Hit, error) {
	first := firstPostings
	if len(k.query.Documents) > 0 {
		first = maxPostings // few points with rare words are in the documents
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

// leading returns how many of the rarest words have no more than the given
// number of postings together, but at least 1.
func (k *ranking) leading(postings int) int {
	for i, w := range k.words {
		if postings -= w.count; postings < 0 {
			return max(i, 1)
		}
	}
	return len(k.words)
}

// most returns the highest score that words alone can give.
func most(words []word) float64 {
	var sum float64
	for _, w := range words {
		sum += w.most
	}
	return sum
}

// tieSlack is the number of points read beyond the limit, to order equal scores
// by id.
const tieSlack = 16

// top returns the best points with one of the first lead words, scored by all
// words. It reads more while the last point read ties with the last one wanted.
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

// read returns the first n points with one of the first lead words, best first.
// The unary plus of rowid keeps SQLite from querying the full-text index for
// every point; bm25() instead of rank avoids scoring points that are filtered
// out.
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
