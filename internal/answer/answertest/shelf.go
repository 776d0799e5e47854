// Package answertest provides an in-memory library, searched by BM25 only, for tests of answering.
package answertest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/sample"
)

// Shelf is a library in memory. It implements the graph's Library, Passages and
// Retriever, and an entity graph without entities.
type Shelf struct {
	All []domain.Passage
}

var (
	_ answer.Library   = Shelf{}
	_ answer.Retriever = Shelf{}
	_ retrieve.Texts   = Shelf{}
)

// Sample returns the sample library, parsed and split as in production.
func Sample(t testing.TB) Shelf {
	t.Helper()
	var s Shelf
	parser, tokens := parse.New(parse.Limits{}), chunk.NewTokenizer()
	for _, f := range sample.Files() {
		format, err := parse.Detect(f.Name, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		text, err := parser.Parse(context.Background(), f.Name, format, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		id := domain.NewDocumentID(domain.DefaultWorkspace, domain.Hash(f.Data))
		chunks, err := chunk.Split(context.Background(), id, text, chunk.Options{Counter: tokens})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunks {
			s.All = append(s.All, domain.Passage{Chunk: c, Name: f.Name, Title: cmp.Or(text.Title, f.Name)})
		}
	}
	return s
}

// Of returns a shelf of passages, each a document by itself: "1.txt", "2.txt" and so on.
func Of(texts ...string) Shelf {
	var s Shelf
	for i, text := range texts {
		name := string(rune('1'+i)) + ".txt"
		id := domain.NewDocumentID(domain.DefaultWorkspace, domain.Hash([]byte(name)))
		s.All = append(s.All, domain.Passage{Name: name, Title: name, Chunk: domain.Chunk{
			ID: domain.NewChunkID(id, domain.Hash([]byte(text)), 0), Document: id, Text: text, Span: domain.Span{End: domain.Runes(text)},
		}})
	}
	return s
}

// Without returns the shelf without the document of that name.
func (s Shelf) Without(name string) Shelf {
	return Shelf{slices.DeleteFunc(slices.Clone(s.All), func(p domain.Passage) bool { return p.Name == name })}
}

// Stats counts the passages.
func (s Shelf) Stats(context.Context, domain.WorkspaceID) (graphstore.Stats, error) {
	return graphstore.Stats{Chunks: len(s.All)}, nil
}

// Passages returns passages by id.
func (s Shelf) Passages(_ context.Context, _ domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	var out []domain.Passage
	for _, id := range ids {
		if i := slices.IndexFunc(s.All, func(p domain.Passage) bool { return p.ID == id }); i >= 0 {
			out = append(out, s.All[i])
		}
	}
	return out, nil
}

// ByKey returns no entity.
func (s Shelf) ByKey(context.Context, domain.WorkspaceID, []string) ([]domain.Entity, error) {
	return nil, nil
}

// Retrieve ranks the passages by BM25.
func (s Shelf) Retrieve(_ context.Context, _ domain.WorkspaceID, q retrieve.Query) (retrieve.Result, error) {
	found := retrieve.Result{Methods: []domain.Method{{Name: domain.MethodWords, Took: time.Millisecond}}}
	limit := q.Limit
	if q.Wider {
		limit *= 2
	}
	for _, p := range s.rank(prose.Terms(q.Text)) {
		if len(found.Passages) < limit {
			found.Passages = append(found.Passages, p)
		}
	}
	found.Methods[0].Candidates = len(found.Passages)
	if q.Report != nil {
		q.Report(found.Methods[0])
	}
	return found, nil
}

func (s Shelf) rank(query []string) []domain.FoundPassage {
	const k1, b = 1.2, 0.75
	counts, length := make([]map[string]float64, len(s.All)), 0.0
	holders := map[string]float64{}
	for i, p := range s.All {
		counts[i] = map[string]float64{}
		for _, term := range prose.Terms(p.Title + " " + p.Text) {
			if counts[i][term]++; counts[i][term] == 1 {
				holders[term]++
			}
			length++
		}
	}
	n := float64(len(s.All))
	var out []domain.FoundPassage
	for i, p := range s.All {
		var score, own float64
		for _, c := range counts[i] {
			own += c
		}
		for _, term := range query {
			c := counts[i][term]
			score += math.Log(1+(n-holders[term]+.5)/(holders[term]+.5)) * c * (k1 + 1) / (c + k1*(1-b+b*own*n/length))
		}
		if score > 0 {
			out = append(out, domain.FoundPassage{Chunk: p.ID, Score: score, Methods: []domain.MethodName{domain.MethodWords}})
		}
	}
	slices.SortStableFunc(out, func(a, b domain.FoundPassage) int { return cmp.Compare(b.Score, a.Score) })
	return out
}
