package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// TestWordsAreScoredAsByTheFullTextIndex compares searches with FTS5's own, to the
// last bit, while two stores on one file write, rewrite and delete points.
func TestWordsAreScoredAsByTheFullTextIndex(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "vectors.db")
	var stores []*Store
	for range 2 {
		s, err := Open(t.Context(), file, "")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		stores = append(stores, s)
	}
	random := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(random, 1.1, 4, 3000)
	text := func(n int) string {
		var b strings.Builder
		for range n {
			// Stems, diacritics, capitals, marks that are no letters, and two words that are one for SQLite.
			forms := []string{"w%dx", "W%dX", "w%dxing", "wé%dx", "w%d·x", "w%d٣", "東w%d", "w%dx's"}
			fmt.Fprintf(&b, forms[zipf.Uint64()%uint64(len(forms))]+" ", zipf.Uint64())
		}
		return b.String()
	}
	var cursor int64
	compared := 0
	for round := range 12 {
		batch := vectorstore.Batch{After: cursor, Cursor: cursor + 1}
		cursor++
		for i := range 300 {
			if random.IntN(3) == 0 {
				batch.DeleteDocuments = append(batch.DeleteDocuments, domain.DocumentID(fmt.Sprint("d", random.IntN(400))))
			}
			n := random.IntN(400)
			if round < 4 {
				n = i + 100*round
			}
			batch.Upsert = append(batch.Upsert, vectorstore.Point{
				Ref:      vectorstore.Ref{Collection: vectorstore.Chunks, ID: fmt.Sprint("p", n)},
				Document: domain.DocumentID(fmt.Sprint("d", n/(1+round%3))), Title: text(random.IntN(3)), Text: text(random.IntN(60))})
		}
		if err := stores[round%2].Apply(t.Context(), "main", batch); err != nil {
			t.Fatal(err)
		}
		for _, s := range stores {
			for range 15 {
				q := vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: text(1 + random.IntN(12)), Limit: 1 + random.IntN(60)}
				if random.IntN(3) == 0 {
					q.Documents = []domain.DocumentID{domain.DocumentID(fmt.Sprint("d", random.IntN(400))), domain.DocumentID(fmt.Sprint("d", random.IntN(400)))}
				}
				got, err := s.Lexical(t.Context(), "main", q)
				if err != nil {
					t.Fatal(err)
				}
				want, err := s.byFullText(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("round %d: %q in %v, first %d (-want +got):\n%s", round, q.Text, q.Documents, q.Limit, diff)
				}
				compared += len(got)
			}
		}
	}
	if compared < 2000 {
		t.Errorf("compared %d hits: the test proves little", compared)
	}
}

// byFullText searches with SQLite alone.
func (s *Store) byFullText(ctx context.Context, q vectorstore.LexicalQuery) (hits []vectorstore.Hit, err error) {
	type counted struct {
		text  string
		count int
	}
	err = s.file.Read(ctx, "main", func(tx *sql.Tx, r projected.Workspace) error {
		table := wordsTable(r.Num, q.Collection)
		var all []counted
		for _, text := range words.Content(q.Text) {
			w := counted{text: text}
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM `+table+` WHERE `+table+` MATCH ?`, quote(text)).Scan(&w.count); err != nil {
				return err
			}
			if w.count > 0 {
				all = append(all, w)
			}
		}
		if len(all) == 0 {
			return nil
		}
		slices.SortStableFunc(all, func(a, b counted) int { return a.count - b.count })
		var match []string
		for _, w := range all {
			match = append(match, quote(w.text))
		}
		where, args := "", []any{strings.Join(match, " OR ")}
		if len(q.Documents) > 0 {
			list, err := json.Marshal(q.Documents)
			if err != nil {
				return err
			}
			where, args = ` AND p.document IN (SELECT value FROM json_each(?))`, append(args, string(list))
		}
		hits, err = sqlio.Collect(ctx, tx, func(rows *sql.Rows) (h vectorstore.Hit, err error) {
			return h, rows.Scan(&h.ID, &h.Score)
		}, `SELECT p.id, -bm25(`+table+`) FROM `+table+` w JOIN points p ON p.num = w.rowid WHERE `+table+` MATCH ?`+where, args...)
		return err
	})
	slices.SortFunc(hits, compareHits)
	return hits[:min(len(hits), q.Limit)], err
}
