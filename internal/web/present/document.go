package present

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/sheet"
)

// Documents presents the text of documents. All fields are required.
type Documents struct {
	Ledger *ledger.Ledger
	Graph  graphstore.Reader
}

// Read returns a document's text with the mentions in it and the entities named.
// A document that was not parsed yet has no text.
func (p *Documents) Read(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Text, []sheet.Mention, []partial.EntityItem, error) {
	text, err := p.Ledger.Text(ctx, w, id)
	if domain.KindOf(err) == domain.NotFound {
		return domain.Text{}, nil, nil, nil
	}
	if err != nil {
		return text, nil, nil, err
	}
	entities, err := p.Graph.InDocument(ctx, w, id)
	if err != nil && domain.KindOf(err) != domain.Unavailable { // a text can be read without its links
		return text, nil, nil, err
	}
	mentions, items := named(entities)
	return text, mentions, items, nil
}

// named lists the mentions of entities in the order of the text, and the entities
// by the number of mentions.
func named(entities []graphstore.Entity) ([]sheet.Mention, []partial.EntityItem) {
	var mentions []sheet.Mention
	var items []partial.EntityItem
	for _, e := range entities {
		count := 0
		for _, l := range e.Links {
			count += len(l.Spans)
			for _, s := range l.Spans {
				mentions = append(mentions, sheet.Mention{Span: s, Href: link.Entity(e.ID), Name: e.Name})
			}
		}
		if count > 0 {
			items = append(items, partial.EntityItem{ID: e.ID, Label: e.Label, Name: e.Name, Count: count})
		}
	}
	slices.SortStableFunc(mentions, func(a, b sheet.Mention) int { return a.Span.Start - b.Span.Start })
	slices.SortStableFunc(items, func(a, b partial.EntityItem) int { return b.Count - a.Count })
	return mentions, items
}
