// Package entity serves the entities of the graph: their list and their pages.
package entity

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/curate"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/web/chrome"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// The most relations and passages that a page shows.
const (
	maxRelations = 200
	maxPassages  = 30
	maxLinks     = 50_000
)

// Handler serves entities. All fields are required.
type Handler struct {
	Chrome   chrome.Chrome
	Graph    graphstore.Reader
	Curator  *curate.Curator
	Passages func(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
}

// List is the searchable list of entities.
func (h *Handler) List(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Chrome.App(c, layout.Entities, "Entities")
	if err != nil {
		return err
	}
	p := page.EntitiesProps{App: app, Query: c.QueryParam("q"), Label: c.QueryParam("label")}
	found, total, err := h.Graph.Entities(ctx, w, graphstore.EntityQuery{
		Text: p.Query, Label: p.Label, Limit: request.PageSize, Offset: request.Offset(c),
	})
	if err != nil {
		return err
	}
	p.Pager = page.Pager{Offset: request.Offset(c), Limit: request.PageSize, Total: total}
	for _, e := range found {
		p.Items = append(p.Items, page.EntityRow{
			ID: e.ID, Label: e.Label, Name: e.Name, Aliases: e.Aliases, Mentions: e.Mentions, Documents: e.Documents, Relations: e.Relations,
		})
	}
	labels, err := h.Graph.Labels(ctx, w)
	if err != nil {
		return err
	}
	for _, l := range labels {
		p.Labels = append(p.Labels, page.LabelCount{Label: l.Label, Count: l.Count})
	}
	return respond.HTML(c, http.StatusOK, page.EntitiesPage(p))
}

// Show is the page of one entity. An entity that is part of another since a
// merge leads there: answers from before name it still.
func (h *Handler) Show(c echo.Context) error {
	ctx, w, id := c.Request().Context(), request.Workspace(c), domain.EntityID(c.Param("id"))
	p, err := h.Props(ctx, w, id)
	if domain.KindOf(err) == domain.NotFound {
		if now, lost := h.Curator.Successor(ctx, w, id); lost == nil && now != id {
			return respond.SeeOther(c, link.Entity(now))
		}
	}
	if err != nil {
		return err
	}
	if p.Way, err = h.way(ctx, w, p.Entity, strings.TrimSpace(c.QueryParam("to"))); err != nil {
		return err
	}
	if p.App, err = h.Chrome.App(c, layout.Entities, p.Entity.Name); err != nil {
		return err
	}
	if seq := request.Int(c, "change"); seq > 0 {
		if p.App.Toast, err = h.Toast(ctx, w, int64(seq)); err != nil {
			return err
		}
	}
	return respond.HTML(c, http.StatusOK, page.EntityPage(p))
}

// Toast says what a curator's change did and offers to take it back. A change
// that does not exist has none.
func (h *Handler) Toast(ctx context.Context, w domain.WorkspaceID, seq int64) (layout.Toast, error) {
	line, err := h.Curator.Change(ctx, w, seq)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return layout.Toast{}, nil
	case err != nil:
		return layout.Toast{}, err
	case line.Undone:
		return layout.Toast{Text: line.Text + "."}, nil
	}
	return layout.Toast{Text: line.Text + ".", Action: "Undo", URL: link.UndoChange(seq)}, nil
}

// Props are an entity with its relations and passages, without what surrounds
// the page.
func (h *Handler) Props(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (page.EntityProps, error) {
	e, err := h.Graph.Entity(ctx, w, id)
	if err != nil {
		return page.EntityProps{}, err
	}
	p := page.EntityProps{Entity: e}
	if p.Out, p.In, err = h.relations(ctx, w, e.ID); err != nil {
		return p, err
	}
	return p, h.passages(ctx, w, e, &p)
}

// relations lists an entity's relations by direction.
func (h *Handler) relations(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (out, in []page.RelationRow, err error) {
	edges, err := h.Graph.Relations(ctx, w, id, maxRelations)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range edges {
		other := e.To
		if e.Source != id {
			other = e.From
		}
		row := relationRow(e, id, other)
		if e.Source == id {
			out = append(out, row)
		} else {
			in = append(in, row)
		}
	}
	return out, in, nil
}

// relationRow is a relation as it is listed for one of its ends.
func relationRow(e graphstore.Edge, of domain.EntityID, other domain.Entity) page.RelationRow {
	row := page.RelationRow{ID: e.ID, Entity: of, Type: e.Type, Other: entityItem(other)}
	for _, ev := range e.Evidence {
		row.Evidence += len(ev.Spans)
		if row.URL == "" && len(ev.Spans) > 0 {
			row.URL = link.Passage(ev.Document, ev.Spans[0])
		}
	}
	return row
}

func entityItem(e domain.Entity) partial.EntityItem {
	return partial.EntityItem{ID: e.ID, Label: e.Label, Name: e.Name}
}

// passages lists where an entity is named.
func (h *Handler) passages(ctx context.Context, w domain.WorkspaceID, e domain.Entity, p *page.EntityProps) error {
	links, err := h.Graph.Links(ctx, w, e.ID, maxLinks)
	if err != nil {
		return err
	}
	links = slices.DeleteFunc(links, func(l graphstore.Link) bool { return len(l.Spans) == 0 })
	shown := links[:min(len(links), maxPassages)]
	ids := make([]domain.ChunkID, len(shown))
	spans := map[domain.ChunkID][]domain.Span{}
	for i, l := range shown {
		ids[i] = l.Chunk
		spans[l.Chunk] = l.Spans
	}
	found, err := h.Passages(ctx, w, ids)
	if err != nil {
		return err
	}
	names := map[domain.DocumentID]string{}
	for _, f := range found {
		names[f.Document] = f.Name
		p.Passages = append(p.Passages, item(f, spans[f.ID]))
	}
	p.More = len(links) - len(shown)
	if err := h.name(ctx, w, links[len(shown):], names); err != nil {
		return err
	}
	p.Sources = sources(links, names)
	return nil
}

// name adds the names of the documents of which no passage is shown.
func (h *Handler) name(ctx context.Context, w domain.WorkspaceID, links []graphstore.Link, names map[domain.DocumentID]string) error {
	var ids []domain.ChunkID
	for i, l := range links {
		if names[l.Document] == "" && (i == 0 || l.Document != links[i-1].Document) {
			ids = append(ids, l.Chunk)
		}
	}
	found, err := h.Passages(ctx, w, ids)
	for _, f := range found {
		names[f.Document] = f.Name
	}
	return err
}

// item is a passage with the mentions in it marked.
func item(f domain.Passage, spans []domain.Span) page.PassageItem {
	marks := make([]domain.Span, len(spans))
	for i, s := range spans {
		marks[i] = s.Shift(-f.Span.Start)
	}
	return page.PassageItem{Chunk: f.ID, Document: f.Document, Name: f.Name, Page: f.Page, Text: f.Text, Marks: marks, URL: link.Passage(f.Document, spans[0])}
}

// sources counts the mentions in each document, most first.
func sources(links []graphstore.Link, names map[domain.DocumentID]string) []page.SourceItem {
	var items []page.SourceItem
	at := map[domain.DocumentID]int{}
	for _, l := range links {
		i, ok := at[l.Document]
		if !ok {
			i = len(items)
			at[l.Document] = i
			items = append(items, page.SourceItem{ID: l.Document, Name: cmp.Or(names[l.Document], string(l.Document))})
		}
		items[i].Count += len(l.Spans)
	}
	slices.SortStableFunc(items, func(a, b page.SourceItem) int { return b.Count - a.Count })
	return items
}
