package page

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/partial"
)

// ChunksProps is the data for the list of a document's chunks.
type ChunksProps struct {
	App      layout.Props
	Document domain.Document
	Items    []ChunkItem
	Next     int // ordinal of the first chunk that is not listed; 0 if there is none
}

// CitedProps is the data for the list of the questions whose answers cite a document.
type CitedProps struct {
	App      layout.Props
	Document domain.Document
	Items    []ledger.Citing // the latest
	More     bool            // there are earlier ones
}

// A ChunkItem is a chunk with the results of mining it.
type ChunkItem struct {
	Number    int // from 1
	Text      string
	Where     string // its place in the document, and how long it is
	Read      string // the reader that mined it
	URL       string // of its characters in the document
	Entities  []partial.EntityItem
	Relations []MinedRelation
	Dropped   []partial.DroppedRow
}

// A MinedRelation is a relation as a chunk states it.
type MinedRelation struct{ Source, Type, Target string }

// sum describes what was mined from all chunks.
func (p ChunksProps) sum(ctx context.Context) string {
	d := p.Document
	said := fmt.Sprintf("%s, %s, %s", lang.Count(ctx, d.Chunks, "passage", "passages"), lang.Count(ctx, d.Entities, "entity", "entities"), lang.Count(ctx, d.Relations, "relation", "relations"))
	if d.Dropped > 0 {
		said += lang.F(ctx, ", %s dropped", lang.Int(ctx, d.Dropped))
	}
	return said
}

// kept describes how much of the results is in the graph.
func (c ChunkItem) kept(ctx context.Context) string {
	n := len(c.Entities) + len(c.Relations)
	switch {
	case len(c.Dropped) > 0:
		return lang.F(ctx, "%s kept, %s dropped", lang.Int(ctx, n), lang.Int(ctx, len(c.Dropped)))
	case n == 0:
		return "nothing"
	}
	return lang.F(ctx, "%s kept", lang.Int(ctx, n))
}
