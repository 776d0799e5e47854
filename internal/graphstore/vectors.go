package graphstore

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// A VectorStore is a graph store that also keeps the vectors of chunks, for other programs that search the graph. Clew
// searches the index.
type VectorStore interface {
	// Vectors returns the model of the workspace's chunk vectors and how far they follow the ledger, without Chunks.
	Vectors(ctx context.Context, w domain.WorkspaceID) (Vectors, error)

	// PutVectors writes v. Chunks that the graph does not hold are skipped. Vectors of
	// another model than the stored ones replace all of them. The error is Conflict if
	// the store has seen a higher token.
	PutVectors(ctx context.Context, w domain.WorkspaceID, v Vectors) error
}

// Vectors are vectors of chunks, made by one embedding model.
type Vectors struct {
	Token     int64 // of the lease under which they were read, see package lease
	Cursor    int64 // the ledger change that they include
	Model     string
	Dimension int
	Chunks    []ChunkVector
}

// ChunkVector is the vector of a chunk.
type ChunkVector struct {
	Chunk  domain.ChunkID
	Vector []float32
}
