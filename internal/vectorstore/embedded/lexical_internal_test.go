package embedded

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

// TestBestIsExact compares the search that skips points with one that scores
// every point that has any of the words.
func TestBestIsExact(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "vectors.db"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	random := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(random, 1.1, 4, 3000)
	text := func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "w%dx ", zipf.Uint64())
		}
		return b.String()
	}
	batch := vectorstore.Batch{Cursor: 1}
	for i := range 4000 {
		batch.Upsert = append(batch.Upsert, vectorstore.Point{
			Ref: vectorstore.Ref{Collection: vectorstore.Chunks, ID: fmt.Sprint(i)}, Document: "d", Text: text(25 + i%10)})
	}
	if err := s.Apply(t.Context(), "main", batch); err != nil {
		t.Fatal(err)
	}
	skipped := 0
	err = s.file.Read(t.Context(), "main", func(tx *sql.Tx, r projected.Workspace) error {
		for range 40 {
			q := vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: text(1 + random.IntN(9)), Limit: 1 + random.IntN(30)}
			words, err := s.usableWords(t.Context(), tx, r, q)
			if err != nil || len(words) == 0 {
				return err
			}
			k := &ranking{tx: tx, room: r, query: q, words: words}
			got, err := k.best(t.Context())
			if err != nil {
				return err
			}
			want, err := k.top(t.Context(), len(words))
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q, first %d (-want +got):\n%s", q.Text, q.Limit, diff)
			}
			if k.leading(firstPostings) < len(words) {
				skipped++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if skipped < 10 {
		t.Errorf("got %d questions with common words: the test proves little", skipped)
	}
}
