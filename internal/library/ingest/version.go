package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
)

// unchanged prepares the chunks of a next version that keep their ids in the document. They get temporary ids until the
// version is adopted; it returns the final ids by the temporary ones.
func (n nodes) unchanged(ctx context.Context, s State, pieces []domain.Chunk) (map[domain.ChunkID]domain.Chunk, error) {
	stored, err := n.Ledger.Chunks(ctx, s.Workspace, s.Into)
	if err != nil {
		return nil, err
	}
	has := lists.By(stored, func(c domain.Chunk) domain.ChunkID { return c.ID })
	kept := map[domain.ChunkID]domain.Chunk{}
	for i := range pieces {
		c := &pieces[i]
		c.Document = s.Document
		if before, ok := has[c.ID]; ok {
			c.ID = domain.NewKeptChunkID(s.Document, c.ID)
			kept[c.ID] = before
		}
	}
	return kept, nil
}

// inherit records for the unchanged chunks of a next version what was mined from them in the document, at their new
// places. Whether that suffices is decided as when a document is read again.
func (n nodes) inherit(ctx context.Context, s State, guide extract.Guide, kept map[domain.ChunkID]domain.Chunk, pieces []domain.Chunk) error {
	if len(kept) == 0 {
		return nil
	}
	for _, c := range pieces {
		before, ok := kept[c.ID]
		if !ok {
			continue
		}
		found, err := n.Ledger.MinedIn(ctx, s.Workspace, c.ID, before.ID)
		if err != nil {
			return err
		}
		if from, ok := found[before.ID]; ok && found[c.ID].Chunk == "" {
			if err := n.inheritOne(ctx, s.Workspace, guide, from, before, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n nodes) inheritOne(ctx context.Context, w domain.WorkspaceID, g extract.Guide, found ledger.MinedChunk, before, c domain.Chunk) error {
	var m extract.Mined
	if err := json.Unmarshal([]byte(found.Mined), &m); err != nil {
		return fmt.Errorf("decode what was mined: %w", err)
	}
	shift(&m, c.Span.Start-before.Span.Start)
	o := outcome{chunk: c, found: g.Conform(m), schema: found.Schema}
	kept, err := contribution(o, g, found.Reader)
	if err != nil {
		return err
	}
	return n.Ledger.RecordContribution(ctx, w, kept)
}

// shift moves the spans of mined items by by code points.
func shift(m *extract.Mined, by int) {
	move := func(spans []domain.Span) []domain.Span {
		spans = slices.Clone(spans)
		for i := range spans {
			spans[i] = spans[i].Shift(by)
		}
		return spans
	}
	for i := range m.Graph.Nodes {
		m.Graph.Nodes[i].Spans = move(m.Graph.Nodes[i].Spans)
	}
	for i := range m.Graph.Names {
		m.Graph.Names[i].Spans = move(m.Graph.Names[i].Spans)
	}
	for i := range m.Graph.Relationships {
		m.Graph.Relationships[i].Spans = move(m.Graph.Relationships[i].Spans)
	}
	for i := range m.Left {
		m.Left[i].Spans = move(m.Left[i].Spans)
	}
}
