package stores

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// numbers is the dimension of the vectors.
const numbers = 384

// BenchmarkMend deletes the search index of an embedded library, refills it,
// and prints the time and memory.
func BenchmarkMend(b *testing.B) {
	docs := must(newLibrary(b.Context(), *number))(b)
	s := openEmbedded(b)
	s.projector = projection.New(projection.Params{
		Ledger: s.ledger, Graph: s.graph, Vectors: s.vectors, Log: slog.New(slog.DiscardHandler), Key: prose.Key, Sentences: prose.Sentences,
		Embedding: projection.Embedding{Model: "made up"},
	})
	r := rand.New(rand.NewPCG(1, 1))
	for _, d := range docs.documents {
		vectors := map[string][]float32{}
		for _, c := range d.chunks {
			v := make([]float32, numbers)
			for i := range v {
				v[i] = r.Float32() - 0.5
			}
			vectors[domain.Hash([]byte(nearest.PassageText(d.Title, c.Text)))] = v
		}
		check(b, s.ledger.SaveEmbeddings(b.Context(), "made up", vectors))
	}
	s.load(b, docs)
	chunks := docs.chunks
	docs.documents = nil // or they would hide what the work takes
	check(b, s.vectors.Reset(b.Context(), workspace, 0))
	check(b, forgetPeak())
	idle := must(memory("self", "status", "VmRSS"))(b)
	watch := start()
	check(b, s.projector.Apply(b.Context(), workspace))
	wall, cpu := watch.read()
	peak := must(memory("self", "status", "VmHWM"))(b)
	fmt.Printf("%d chunks with vectors of %d numbers: %.1f s (%.1f s of processor time), %.0f MB above idle\n", chunks, numbers, wall, cpu, float64(peak-idle)/1e6)
	s.closeAll(b)
}
