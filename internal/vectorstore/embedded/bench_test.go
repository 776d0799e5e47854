package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
)

// fill writes n points made by one, in batches.
func fill(b *testing.B, s *embedded.Store, n int, one func(i int) vectorstore.Point) {
	b.Helper()
	const size = 10_000
	for from := 0; from < n; from += size {
		batch := vectorstore.Batch{After: int64(from), Cursor: int64(min(n, from+size))}
		for i := from; i < min(n, from+size); i++ {
			batch.Upsert = append(batch.Upsert, one(i))
		}
		apply(b, s, batch)
	}
}

// BenchmarkDense compares a query with 100,000 vectors of 384 dimensions.
func BenchmarkDense(b *testing.B) {
	const n, dim = 100_000, 384
	s := open(b, path(b), "")
	random := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = random.Float32() - 0.5
		}
		return v
	}
	fill(b, s, n, func(i int) vectorstore.Point { return point(fmt.Sprint(i), "", vector()...) })
	q := vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: vector(), Limit: 20}
	before := heap()
	for range 2 { // the first loads the vectors
		if _, err := s.Dense(b.Context(), ws, q); err != nil {
			b.Fatal(err)
		}
	}
	after := heap()
	for b.Loop() {
		if _, err := s.Dense(b.Context(), ws, q); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(after-before)/n, "B/vector")
}

// heap returns the number of bytes in use on the heap.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkOpen opens an index of 10,000 documents of five passages each and
// runs the first queries.
func BenchmarkOpen(b *testing.B) {
	const documents, passages, dim = 10_000, 5, 384
	file := path(b)
	s := open(b, file, "")
	random := rand.New(rand.NewPCG(1, 2))
	vector := make([]float32, dim)
	fill(b, s, documents*passages, func(i int) vectorstore.Point {
		for j := range vector {
			vector[j] = random.Float32() - 0.5
		}
		p := point(fmt.Sprint(i), fmt.Sprintf("passage %d of document w%d about w%d and w%d", i, i/passages, random.IntN(5000), random.IntN(5000)), vector...)
		p.Document, p.Vector = domain.DocumentID(fmt.Sprint(i/passages)), slices.Clone(vector)
		return p
	})
	ask := func(s *embedded.Store) {
		if _, err := s.Dense(b.Context(), ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: vector, Limit: 20}); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Lexical(b.Context(), ws, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "document w77", Limit: 20}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		s, err := embedded.Open(b.Context(), file, "")
		if err != nil {
			b.Fatal(err)
		}
		ask(s)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLexical queries common and rare words, in points whose words are
// distributed as in a natural language.
func BenchmarkLexical(b *testing.B) {
	const n, length = 50_000, 80
	s := open(b, path(b), "")
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.07, 8, 60_000)
	text := func(words int) string {
		var t strings.Builder
		for range words {
			fmt.Fprintf(&t, "w%dx ", zipf.Uint64())
		}
		return t.String()
	}
	fill(b, s, n, func(i int) vectorstore.Point { return point(fmt.Sprint(i), text(length)) })
	for _, c := range []struct {
		name string
		text func() string
		docs []domain.DocumentID
	}{
		{"rare words", func() string { return "w20011x w31002x w5007x" }, nil},
		{"a question", func() string { return text(12) }, nil},
		{"a long question", func() string { return text(100) }, nil},
		{"a question to one document", func() string { return text(12) }, []domain.DocumentID{"d17"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				q := vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: c.text(), Limit: 20, Documents: c.docs}
				if _, err := s.Lexical(b.Context(), ws, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
