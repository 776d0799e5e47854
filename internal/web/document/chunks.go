package document

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// How many chunks are listed at once, how much of the text of each, and how many questions that cite a document.
const (
	maxChunks = 40
	maxHead   = 240 // code points
	maxCiting = 20
)

// Chunks lists the chunks of a document from the parameter from on, with what was mined from each and what was dropped: as a page, or
// to htmx as a part of one. It fails with kind NotFound for an unknown document.
func (h *Handler) Chunks(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	doc, found, next, err := h.Library.Chunks(ctx, w, domain.DocumentID(c.Param("id")), request.Int(c, "from"), maxChunks)
	if err != nil {
		return err
	}
	p := page.ChunksProps{Document: doc, Next: next}
	for _, chunk := range found {
		p.Items = append(p.Items, chunkItem(ctx, chunk))
	}
	if respond.Fragment(c) {
		return respond.HTML(c, http.StatusOK, page.ChunkItems(p))
	}
	if p.App, err = h.Frame.App(c, layout.Documents, lang.F(ctx, "Chunks of %s", doc.Name)); err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.ChunksPage(p))
}

func chunkItem(ctx context.Context, c ledger.ReadChunk) page.ChunkItem {
	item := page.ChunkItem{
		Number: c.Ordinal + 1, Text: domain.Cut(domain.OneLine(c.Text), maxHead), URL: link.Passage(c.Document, c.Span),
		Where: lang.F(ctx, "characters %s to %s, %s", lang.Int(ctx, c.Span.Start+1), lang.Int(ctx, c.Span.End), lang.Count(ctx, c.Tokens, "token", "tokens")),
		Read:  lang.T(ctx, "Not mined yet."),
	}
	if place := c.Place(c.Span); place != "" {
		item.Where = place + ", " + item.Where
	} else if c.Page > 0 {
		item.Where = lang.F(ctx, "page %d, %s", c.Page, item.Where)
	}
	item.Where = format.Capital(item.Where)
	if c.Reader != "" {
		item.Read = lang.F(ctx, "Mined by %s.", c.Reader)
	}
	if c.Schema > 0 {
		item.Read = lang.F(ctx, "Mined by %s with version %d of a schema.", c.Reader, c.Schema)
	}
	for _, n := range c.Graph.Nodes {
		item.Entities = append(item.Entities, partial.EntityItem{Label: n.Label, Name: n.Name})
	}
	for _, r := range c.Graph.Relationships {
		item.Relations = append(item.Relations, page.MinedRelation{Source: c.Graph.Nodes[r.Source].Name, Type: r.Type, Target: c.Graph.Nodes[r.Target].Name})
	}
	for _, d := range c.Dropped {
		item.Dropped = append(item.Dropped, present.Dropped(ctx, d, c.Document))
	}
	return item
}

// Cited lists the latest questions whose answers cite a document, as a page, or to htmx as a part of one. It fails with kind NotFound
// for an unknown document.
func (h *Handler) Cited(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	doc, found, more, err := h.Library.Citing(ctx, w, domain.DocumentID(c.Param("id")), maxCiting)
	if err != nil {
		return err
	}
	p := page.CitedProps{Document: doc, More: more}
	for _, q := range found {
		p.Items = append(p.Items, page.CitingItem{Conversation: q.Conversation, Message: q.Message, Question: q.Question, N: q.N, At: q.CreatedAt})
	}
	if respond.Fragment(c) {
		return respond.HTML(c, http.StatusOK, page.CitedItems(p))
	}
	if p.App, err = h.Frame.App(c, layout.Documents, lang.F(ctx, "Questions answered from %s", doc.Name)); err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.CitedPage(p))
}
