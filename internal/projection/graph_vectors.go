package projection

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// embedGraph writes the index's vectors of chunks to the graph, for other programs that search it. It follows the
// changes with its own cursor, and starts again when the index has vectors of another model.
func (p *Projector) embedGraph(ctx context.Context, ws domain.WorkspaceID, token int64) error {
	live, err := p.Vectors.Embedding(ctx)
	if err != nil || live.Model == "" || live.Model != p.Embedding.Model {
		return err
	}
	for {
		at, err := p.GraphVectors.Vectors(ctx, ws)
		if err != nil {
			return err
		}
		if at.Model != live.Model || at.Dimension != live.Dimension {
			at.Cursor = 0
		}
		changes, err := p.Ledger.Changes(ctx, ws, at.Cursor, p.Graph.MaxChanges())
		if err != nil || len(changes) == 0 {
			return err
		}
		next := graphstore.Vectors{Token: token, Cursor: changes[len(changes)-1].Seq, Model: live.Model, Dimension: live.Dimension}
		if next.Chunks, err = p.chunkVectors(ctx, ws, documentsOf(changes)); err != nil {
			return err
		}
		if err := p.GraphVectors.PutVectors(ctx, ws, next); err != nil {
			return err
		}
	}
}

// chunkVectors returns the recorded vectors of the chunks of documents.
func (p *Projector) chunkVectors(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) ([]graphstore.ChunkVector, error) {
	rows, err := p.Ledger.TitlesOf(ctx, ws, documents)
	if err != nil {
		return nil, err
	}
	b := indexBatch{Projector: p, workspace: ws, titles: titlesByDocument(rows), seen: map[domain.DocumentID]bool{}, again: map[domain.DocumentID]bool{}, passages: true}
	for i, id := range documents {
		if err := b.add(ctx, id, func() []domain.DocumentID { return documents[i:] }); err != nil {
			return nil, err
		}
	}
	points, err := p.embed(ctx, b.points) // without those that have no vector
	if err != nil {
		return nil, err
	}
	out := make([]graphstore.ChunkVector, len(points))
	for i, pt := range points {
		out[i] = graphstore.ChunkVector{Chunk: domain.ChunkID(pt.ID), Vector: pt.Vector}
	}
	return out, nil
}
