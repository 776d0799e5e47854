package graph

import (
	"context"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// maxSentences is the most sentences on a card.
const maxSentences = 6

// card returns the card of the chosen entity, or nil if none is chosen or it is
// gone.
func (h *Handler) card(ctx context.Context, w domain.WorkspaceID, v link.GraphView) (*page.GraphCardProps, error) {
	if v.Selected == "" {
		return nil, nil //nolint:nilnil // no card is no failure
	}
	e, err := h.Entities.Props(ctx, w, v.Selected)
	if domain.KindOf(err) == domain.NotFound {
		return nil, nil //nolint:nilnil // neither is one of an entity that is gone
	}
	if err != nil {
		return nil, err
	}
	card := &page.GraphCardProps{View: v, Entity: e.Entity, Relations: append(e.Out, e.In...), In: len(e.Out), Neo4j: e.Neo4j}
	for _, p := range e.Passages[:min(len(e.Passages), maxSentences)] {
		card.Sentences = append(card.Sentences, present.ToSentence(p))
	}
	card.More = len(e.Passages) + e.More - len(card.Sentences)
	g, err := h.Library.Get(ctx, w)
	card.Together = present.Companions(g, v.Selected)
	return card, err
}

// pair returns the card of two entities, or nil if the view asks for none or one of
// them is gone.
func (h *Handler) pair(ctx context.Context, w domain.WorkspaceID, v link.GraphView) (*page.PairCardProps, error) {
	if v.Selected == "" || v.With == "" {
		return nil, nil //nolint:nilnil // no card is no failure
	}
	found, err := h.Graph.Named(ctx, w, []domain.EntityID{v.Selected, v.With})
	if err != nil || len(found) < 2 {
		return nil, err
	}
	if found[0].ID != v.Selected {
		slices.Reverse(found)
	}
	card := &page.PairCardProps{View: v, A: present.EntityItem(found[0]), B: present.EntityItem(found[1])}
	edges, err := h.between(ctx, w, v.Selected, v.With)
	if err != nil {
		return nil, err
	}
	if card.Types, card.Stated, err = h.stated(ctx, w, edges); err != nil {
		return nil, err
	}
	card.Together, card.Passages, err = h.Entities.Together(ctx, w, v.Selected, v.With)
	return card, err
}

// between returns the relations between two entities.
func (h *Handler) between(ctx context.Context, w domain.WorkspaceID, a, b domain.EntityID) ([]graphstore.Edge, error) {
	edges, err := h.Graph.Relations(ctx, w, a, maxLooked)
	return slices.DeleteFunc(edges, func(e graphstore.Edge) bool { return e.Source != b && e.Target != b }), err
}

// stated returns the types of relations, and the first sentences that state
// them.
func (h *Handler) stated(ctx context.Context, w domain.WorkspaceID, edges []graphstore.Edge) ([]string, []page.PassageItem, error) {
	var types []string
	var chunks []domain.ChunkID
	spans := map[domain.ChunkID]domain.Span{}
	for _, e := range edges {
		types = append(types, e.Type)
		for _, evidence := range e.Evidence {
			if _, known := spans[evidence.Chunk]; !known && len(evidence.Spans) > 0 && len(chunks) < maxStated {
				chunks = append(chunks, evidence.Chunk)
				spans[evidence.Chunk] = evidence.Spans[0]
			}
		}
	}
	found, err := h.Ledger.Passages(ctx, w, chunks)
	if err != nil {
		return nil, nil, err
	}
	var sentences []page.PassageItem
	for _, f := range found {
		span := spans[f.ID]
		text := span.Shift(-f.Span.Start).Slice(f.Text)
		sentences = append(sentences, page.PassageItem{Chunk: f.ID, Document: f.Document, Name: f.Name, Page: f.PageOf(span), Place: f.Place(span), Text: text, URL: link.Passage(f.Document, span)})
	}
	slices.Sort(types)
	return slices.Compact(types), sentences, nil
}

// list reads the entities where a view shows them as a list: in the table of the overview, and where a name is searched for.
func (h *Handler) list(c echo.Context, w domain.WorkspaceID, m mode, p *page.GraphProps) error {
	v, offset := p.View, request.Offset(c)
	if v.Query == "" && (m != modeOverview || !v.Table) {
		return nil
	}
	found, total, err := h.Graph.Entities(c.Request().Context(), w, graphstore.EntityQuery{Text: v.Query, Labels: v.Labels, Limit: request.PageSize, Offset: offset})
	if err != nil {
		return err
	}
	p.List = &page.EntityList{Pager: page.Pager{Offset: offset, Limit: request.PageSize, Total: total}}
	for _, e := range found {
		p.List.Items = append(p.List.Items, page.EntityRow{
			ID: e.ID, Label: e.Label, Name: e.Name, Aliases: e.Aliases, Mentions: e.Mentions, Documents: e.Documents, Relations: e.Relations,
		})
	}
	if p.Title = "Entities"; v.Query != "" {
		p.Title, p.Places, p.Nodes, p.Relations = "Entities called “"+v.Query+"”", nil, nil, nil
	}
	return nil
}

// tags lists the tags of documents.
func (h *Handler) tags(ctx context.Context, w domain.WorkspaceID) ([]string, error) {
	counts, err := h.Ledger.Tags(ctx, w)
	tags := make([]string, len(counts))
	for i, c := range counts {
		tags[i] = c.Tag
	}
	return tags, err
}
