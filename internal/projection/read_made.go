package projection

import (
	"cmp"
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// readMade reads what curators created in the families of keys: from stretches
// of chunks that the graph has after the update, or without a source.
func (r *reader) readMade(ctx context.Context, keys []string) error {
	entries := r.u.log.Made(keys)
	if len(entries) == 0 {
		return nil
	}
	chunks, err := r.chunksOf(ctx, entries)
	if err != nil {
		return err
	}
	for _, c := range entries {
		made := fold.Made{Name: c.Name}
		if at := c.Stretch; at.Chunk != "" {
			words, ok := at.In(chunks[at.Chunk])
			if !ok {
				continue
			}
			made = fold.Made{Place: fold.PlaceOf(chunks[at.Chunk]), Spans: []domain.Span{at.Span}, Name: cmp.Or(c.Name, words)}
		}
		r.u.made[c.Seq] = made
		if key := r.u.log.Key(c.Entity); key != "" && c.Kind == ledger.CurationCreate && r.u.log.Holds(c.Seq) {
			s := r.u.sourcesOf(key)
			s.Made = append(s.Made, ledger.MentionRow{
				Key: key, Label: c.Label, Name: made.Name, Chunk: made.Chunk, Document: made.Document, Ordinal: made.Ordinal, Spans: made.Spans,
			})
		}
	}
	return nil
}

// chunksOf reads the chunks of entries' stretches that the graph has after the
// update.
func (r *reader) chunksOf(ctx context.Context, entries []ledger.Curation) (map[domain.ChunkID]domain.Chunk, error) {
	var ids []domain.ChunkID
	for _, c := range entries {
		if c.Stretch.Chunk != "" {
			ids = append(ids, c.Stretch.Chunk)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	passages, err := r.Ledger.Passages(ctx, r.u.Workspace, ids)
	if err != nil {
		return nil, err
	}
	places := lists.Map(passages, func(p domain.Passage) fold.Place { return fold.PlaceOf(p.Chunk) })
	inGraph, err := r.inGraph(ctx, places)
	chunks := map[domain.ChunkID]domain.Chunk{}
	for _, p := range passages {
		if inGraph(p.ID) {
			chunks[p.ID] = p.Chunk
		}
	}
	return chunks, err
}
