package embedded

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// TestWordsAreScoredByBM25 compares searches with scores that are computed from the
// texts, while two stores on one file write, rewrite and delete points.
func TestWordsAreScoredByBM25(t *testing.T) {
	race.Skip(t)
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
			forms := []string{"w%dx", "W%dX", "w%dxing", "wé%dx"} // capitals, stems, diacritics
			fmt.Fprintf(&b, forms[zipf.Uint64()%uint64(len(forms))]+" ", zipf.Uint64())
		}
		return b.String()
	}
	var cursor int64
	compared, written := 0, library{}
	for round := range 12 {
		batch := vectorstore.Batch{After: cursor, Cursor: cursor + 1}
		cursor++
		for i := range 300 {
			if random.IntN(3) == 0 {
				gone := domain.DocumentID(fmt.Sprint("d", random.IntN(400)))
				batch.DeleteDocuments = append(batch.DeleteDocuments, gone)
				maps.DeleteFunc(written, func(_ string, p vectorstore.Point) bool { return p.Document == gone })
			}
			n := random.IntN(400)
			if round < 4 {
				n = i + 100*round
			}
			batch.Upsert = append(batch.Upsert, vectorstore.Point{
				Ref:      vectorstore.Ref{Collection: vectorstore.Chunks, ID: fmt.Sprint("p", n)},
				Document: domain.DocumentID(fmt.Sprint("d", n/(1+round%3))), Title: text(random.IntN(3)), Text: text(random.IntN(60))})
		}
		for _, p := range batch.Upsert { // after all deletions
			written[p.ID] = p
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
				checkHits(t, q, got, written.scores(q))
				compared += len(got)
			}
		}
	}
	if compared < 2000 {
		t.Errorf("compared %d hits: the test proves little", compared)
	}
}

// library is what was written, by point.
type library map[string]vectorstore.Point

// scores returns the BM25 score of each point that has a word of the query, by its definition.
func (l library) scores(q vectorstore.LexicalQuery) map[string]float64 {
	counts, lengths, total := map[string]map[string]int{}, map[string]int{}, 0
	for id, p := range l {
		counts[id] = map[string]int{}
		for _, stem := range words.Stems(p.Title + " " + p.Text) {
			counts[id][stem]++
			lengths[id]++
			total++
		}
	}
	scores := map[string]float64{}
	for _, word := range words.Content(q.Text) {
		stem, having := words.Stems(word)[0], 0
		for id := range l {
			having += min(counts[id][stem], 1)
		}
		n, average := float64(len(l)), float64(total)/float64(len(l))
		weight := max(math.Log((n-float64(having)+0.5)/(float64(having)+0.5)), 1e-6)
		for id, p := range l {
			if f := float64(counts[id][stem]); f > 0 && (len(q.Documents) == 0 || slices.Contains(q.Documents, p.Document)) {
				scores[id] += weight * f * 2.2 / (f + 1.2*(0.25+0.75*float64(lengths[id])/average))
			}
		}
	}
	return scores
}

// checkHits fails the test unless the hits are those with the highest of the scores, best first.
func checkHits(t *testing.T, q vectorstore.LexicalQuery, got []vectorstore.Hit, scores map[string]float64) {
	t.Helper()
	best := slices.SortedFunc(maps.Values(scores), func(a, b float64) int { return cmp.Compare(b, a) })
	if len(got) != min(len(best), q.Limit) {
		t.Fatalf("%q in %v: %d hits, want the first %d of %d", q.Text, q.Documents, len(got), q.Limit, len(best))
	}
	for i, h := range got {
		if near := 1e-9 * (1 + best[i]); math.Abs(h.Score-best[i]) > near || math.Abs(h.Score-scores[h.ID]) > near {
			t.Fatalf("%q in %v: hit %d is %s with %v, want %v; its own score is %v", q.Text, q.Documents, i, h.ID, h.Score, best[i], scores[h.ID])
		}
	}
}
