package projection

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// document is a published document with its chunks.
type document struct {
	ledger.TitleRow
	ID     domain.DocumentID
	Chunks []domain.Chunk
}

// node is the document as the graph holds it.
func (d document) node() graphstore.Document {
	n := graphstore.Document{ID: d.ID, Name: d.Name, Title: d.Title}
	for _, c := range d.Chunks {
		n.Chunks = append(n.Chunks, graphstore.Chunk{ID: c.ID, Ordinal: c.Ordinal, Page: c.Page, Span: c.Span, Text: c.Text})
	}
	return n
}

// place is where a chunk stands.
type place struct {
	Document domain.DocumentID
	Ordinal  int
	Chunk    domain.ChunkID
}

func placeOf(c domain.Chunk) place { return place{c.Document, c.Ordinal, c.ID} }

func placesOf(chunks []domain.Chunk) []place {
	places := make([]place, len(chunks))
	for i, c := range chunks {
		places[i] = placeOf(c)
	}
	return places
}

// changed splits the documents of changes into those that are published, with
// their chunks, and those that are gone.
func (p *Projector) changed(ctx context.Context, ws domain.WorkspaceID, changes []ledger.Change, titles []ledger.TitleRow) ([]document, []domain.DocumentID, error) {
	published := make(map[domain.DocumentID]ledger.TitleRow, len(titles))
	for _, t := range titles {
		published[t.Document] = t
	}
	seen := make(map[domain.DocumentID]bool, len(changes))
	var there []document
	var gone []domain.DocumentID
	for _, c := range changes {
		if seen[c.Document] || c.Document == "" {
			continue
		}
		seen[c.Document] = true
		title, ok := published[c.Document]
		if !ok {
			gone = append(gone, c.Document)
			continue
		}
		chunks, err := p.Ledger.Chunks(ctx, ws, c.Document)
		if err != nil {
			return nil, nil, err
		}
		there = append(there, document{TitleRow: title, ID: c.Document, Chunks: chunks})
	}
	return there, gone, nil
}
