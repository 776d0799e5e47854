package present

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// Documents reads document texts for display. All fields are required.
type Documents struct {
	Ledger *ledger.Ledger
	Graph  graphstore.Reader
}

// Pictures returns for each list of citations the pictures beside the cited text.
func (p *Documents) Pictures(ctx context.Context, w domain.WorkspaceID, lists ...[]domain.Citation) ([][]partial.PictureItem, error) {
	found, err := report.PicturesOf(ctx, p.Ledger, w, lists...)
	all := make([][]partial.PictureItem, len(lists))
	for i, list := range found {
		for _, f := range list {
			all[i] = append(all[i], partial.PictureItem{Picture: f.Picture, Document: f.DocumentID, Name: f.Document, N: f.N})
		}
	}
	return all, err
}

// Read returns a document's text with the mentions in it, by position, and the
// entities they name, most mentioned first. The text is empty until the
// document is parsed. Mentions are left out while the graph is unavailable.
func (p *Documents) Read(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Text, []doctext.Mention, []partial.EntityItem, error) {
	text, err := p.Ledger.Text(ctx, w, id)
	if domain.KindOf(err) == domain.NotFound {
		return domain.Text{}, nil, nil, nil
	}
	if err != nil {
		return text, nil, nil, err
	}
	mentions, items, err := p.Mentions(ctx, w, id)
	return text, mentions, items, err
}

// Mentions returns the mentions in a document's text, by position, and the entities they name, most mentioned first: none while the
// graph is unavailable.
func (p *Documents) Mentions(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]doctext.Mention, []partial.EntityItem, error) {
	entities, err := p.Graph.InDocument(ctx, w, id)
	if err != nil && domain.KindOf(err) != domain.Unavailable { // the text is readable without links
		return nil, nil, err
	}
	mentions, items := mentionsIn(entities)
	return mentions, items, nil
}

// Mention adds the mentions of entities to a quotation that is shown in place, none while the graph is unavailable.
func (p *Documents) Mention(ctx context.Context, w domain.WorkspaceID, q *outline.InPlace) {
	ctx, cancel := context.WithTimeout(ctx, suggestAfter)
	defer cancel()
	if entities, err := p.Graph.InDocument(ctx, w, q.Document); err == nil {
		q.Mentions, _ = mentionsIn(entities)
	}
}

// mentionsIn returns the mentions of entities by position, and the entities by
// number of mentions.
func mentionsIn(entities []graphstore.Entity) ([]doctext.Mention, []partial.EntityItem) {
	var mentions []doctext.Mention
	var items []partial.EntityItem
	for _, e := range entities {
		count := 0
		for _, l := range e.Links {
			count += len(l.Spans)
			for _, s := range l.Spans {
				mentions = append(mentions, doctext.Mention{Span: s, Href: link.Entity(e.ID), Name: e.Name})
			}
		}
		if count > 0 {
			items = append(items, partial.EntityItem{ID: e.ID, Label: e.Label, Name: e.Name, Count: count})
		}
	}
	slices.SortStableFunc(mentions, func(a, b doctext.Mention) int { return a.Span.Start - b.Span.Start })
	slices.SortStableFunc(items, func(a, b partial.EntityItem) int { return b.Count - a.Count })
	return mentions, items
}

// Dropped returns the row of an item that was dropped from a document.
func Dropped(ctx context.Context, d domain.Dropped, of domain.DocumentID) partial.DroppedRow {
	row := partial.DroppedRow{Kind: string(d.Kind), Name: d.Name, Type: d.Type, Target: d.Target, Reason: d.Reason, Allow: allow(d)}
	row.Name = cmp.Or(row.Name, lang.T(ctx, "(no name)"))
	if d.Kind == domain.DroppedProperty {
		row.Kind += " " + d.Property.Key + ": " + d.Property.Value
	}
	if len(d.Spans) > 0 {
		row.URL = link.Passage(of, d.Spans[0])
	}
	return row
}

// allow returns the value of a button that allows an item, which Allowed reads: the
// code of why it was dropped, and the names that the schema lacks. It is "" where
// there is nothing to allow.
func allow(d domain.Dropped) string {
	parts := []string{"allow", string(d.Code)}
	switch {
	case d.Code == domain.DropLabel && d.Label != domain.UnknownLabel:
		parts = append(parts, d.Label)
	case d.Code == domain.DropType:
		parts = append(parts, d.Type)
	case d.Code == domain.DropTriple && d.Lacks != [3]string{}:
		parts = append(parts, d.Lacks[:]...)
	case d.Code == domain.DropProperty, d.Code == domain.DropValue:
		parts = append(parts, d.Label+d.Type, d.Property.Key)
	default:
		return ""
	}
	return strings.Join(parts, ".")
}

// Allowed returns the item of a button, with the parts needed to allow it.
func Allowed(value string) domain.Dropped {
	_, item, _ := strings.Cut(value, ".") // after "allow", and the place of the button
	code, names, _ := strings.Cut(item, ".")
	d := domain.Dropped{Code: domain.DropCode(code)}
	switch d.Code {
	case domain.DropLabel:
		d.Label = names
	case domain.DropType:
		d.Type = names
	case domain.DropTriple:
		if parts := strings.Split(names, "."); len(parts) == len(d.Lacks) {
			d.Lacks = [3]string(parts)
		}
	case domain.DropProperty, domain.DropValue:
		d.Label, d.Property.Key, _ = strings.Cut(names, ".")
	}
	return d
}
