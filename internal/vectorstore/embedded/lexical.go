package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Lexical implements vectorstore.Reader. The score is Okapi BM25 with k1 1.2
// and b 0.75, as FTS5 computes it over title and text together.
func (s *Store) Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	if err := checkCollection(q.Collection); err != nil {
		return nil, err
	}
	var hits []vectorstore.Hit
	err := s.read(ctx, w, func(tx *sql.Tx, r room) error {
		if r.num == 0 || q.Limit <= 0 {
			return nil
		}
		match, err := s.matcher(ctx, tx, r, q)
		if err != nil || match == "" {
			return err
		}
		hits, err = bestWords(ctx, tx, r, q, match)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	return hits, nil
}

// tieSlack is how many points beyond the limit are read, so that equal scores
// at the limit are told apart by id in one go.
const tieSlack = 16

// bestWords reads the points of match with the best scores. It reads on while
// the last one read is a tie with the last one wanted.
func bestWords(ctx context.Context, tx *sql.Tx, r room, q vectorstore.LexicalQuery, match string) ([]vectorstore.Hit, error) {
	for n := q.Limit + tieSlack; ; n *= 4 {
		hits, err := readWords(ctx, tx, r, q, match, n)
		if err != nil {
			return nil, err
		}
		if len(hits) == n && hits[n-1].Score == hits[q.Limit-1].Score {
			continue
		}
		slices.SortFunc(hits, compareHits)
		return hits[:min(len(hits), q.Limit)], nil
	}
}

func compareHits(a, b vectorstore.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
}

func readWords(ctx context.Context, tx *sql.Tx, r room, q vectorstore.LexicalQuery, match string, n int) ([]vectorstore.Hit, error) {
	table := wordsTable(r.num, q.Collection)
	where, args := table+` MATCH ?`, []any{match}
	if len(q.Documents) > 0 {
		list, err := json.Marshal(q.Documents)
		if err != nil {
			return nil, err
		}
		// The sign keeps SQLite from asking the index anew for every point.
		where += ` AND +rowid IN (SELECT num FROM points WHERE workspace = ? AND collection = ?
			AND document <> '' AND document IN (SELECT value FROM json_each(?)))`
		args = append(args, r.num, string(q.Collection), string(list))
	}
	var hits []vectorstore.Hit
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var h vectorstore.Hit
		err := rows.Scan(&h.ID, &h.Score)
		hits = append(hits, h)
		return err
	}, `SELECT p.id, -f.score FROM (
			SELECT rowid AS num, rank AS score FROM `+table+` WHERE `+where+` ORDER BY rank LIMIT ?
		) f JOIN points p ON p.num = f.num ORDER BY f.score`, append(args, n)...)
	return hits, err
}
