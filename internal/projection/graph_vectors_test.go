package projection_test

import (
	"context"

	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// chunkVectors is the part of a graph store that keeps vectors, in memory.
type chunkVectors struct {
	graphstore.Vectors
	held map[domain.ChunkID][]float32
}

type vectorGraph struct{ *chunkVectors }

func (g vectorGraph) Vectors(context.Context, domain.WorkspaceID) (graphstore.Vectors, error) {
	return g.chunkVectors.Vectors, nil
}

func (g vectorGraph) PutVectors(_ context.Context, _ domain.WorkspaceID, v graphstore.Vectors) error {
	if v.Model != g.Model {
		clear(g.held)
	}
	for _, c := range v.Chunks {
		g.held[c.Chunk] = c.Vector
	}
	v.Chunks = nil
	g.chunkVectors.Vectors = v
	return nil
}

// TestTheGraphGetsVectors has vectors come after the texts, and from another model.
func TestTheGraphGetsVectors(t *testing.T) {
	t.Parallel()
	b := start(t)
	got := vectorGraph{&chunkVectors{held: map[domain.ChunkID][]float32{}}}
	b.GraphVectors = got
	b.ledger.put(text("d", "Title", "[Person:Ann] came. And left"))
	b.apply()
	b.vectors.model = "m"
	b.ledger.vectors["m"+domain.Hash([]byte(nearest.PassageText("Title", "Ann came. And left")))] = []float32{1, 0}
	b.ledger.changes = append(b.ledger.changes, ledger.Change{Seq: 2, Document: "d", Vectors: true})
	b.apply()
	want := map[domain.ChunkID][]float32{"c-d-0": {1, 0}}
	if d := diff(want, got.held); d != "" || got.Cursor != 2 || got.Model != "m" {
		t.Errorf("vectors of %q at change %d (-want +got):\n%s", got.Model, got.Cursor, d)
	}
	b.Embedding.Model, b.vectors.model = "other", "other"
	b.ledger.vectors["other"+domain.Hash([]byte(nearest.PassageText("Title", "Ann came. And left")))] = []float32{0, 1}
	b.apply()
	want["c-d-0"] = []float32{0, 1}
	if d := diff(want, got.held); d != "" || got.Model != "other" {
		t.Errorf("vectors of %q (-want +got):\n%s", got.Model, d)
	}
}
