package curation

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/curate"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// AskSplit serves the form to split an entity.
func (h *Handler) AskSplit(c echo.Context) error { return h.splitForm(c, http.StatusOK, "") }

func (h *Handler) splitForm(c echo.Context, status int, reason string) error {
	p, err := h.said(c.Request().Context(), request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	if p.App, err = h.Frame.App(c, layout.Graph, "Split "+p.Entity.Name); err != nil {
		return err
	}
	seen, err := h.seen(c)
	if err != nil {
		return err
	}
	return respond.HTML(c, status, page.SplitPage(page.SplitProps{EntityProps: p, Back: opened(c, ""), MaxName: curate.MaxName, Seen: seen, Problem: reason}))
}

// Split moves the chosen passages and spellings to a new entity and goes to it.
// An invalid choice shows the form again with the reason.
func (h *Handler) Split(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read.")
	}
	chunks := make([]domain.ChunkID, len(form["chunk"]))
	for i, chunk := range form["chunk"] {
		chunks[i] = domain.ChunkID(chunk)
	}
	ctx, w := c.Request().Context(), request.Workspace(c)
	entry, err := h.curator(c).Split(ctx, w, frame.User(c), id(c), chunks, form["form"], c.FormValue("name"))
	if reason := problem(err); reason != "" {
		return h.splitForm(c, http.StatusUnprocessableEntity, reason)
	}
	if err != nil {
		return err
	}
	made := domain.NewSplitID(id(c), entry.Seq)
	if _, err := h.Graph.Entity(ctx, w, made); domain.KindOf(err) == domain.NotFound {
		return respond.SeeOther(c, link.Changed(link.Entity(id(c)), entry.Seq)) // the split has no effect
	}
	return respond.SeeOther(c, link.Changed(opened(c, link.Entity(made)), entry.Seq))
}

// AskRelation serves the form for one relation of an entity. It fails with kind
// NotFound for an unknown relation.
func (h *Handler) AskRelation(c echo.Context) error { return h.relationForm(c, http.StatusOK, "") }

func (h *Handler) relationForm(c echo.Context, status int, reason string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	edge, err := h.Curator.Relation(ctx, w, id(c), domain.RelationID(c.Param("relation")))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Graph, "A relation of "+edge.From.Name)
	if err != nil {
		return err
	}
	if app.Toast, err = present.Changed(c, h.Curator, link.Relation(id(c), edge.ID)); err != nil {
		return err
	}
	p := page.RelationProps{
		App: app, Entity: id(c), Relation: edge.ID, Type: edge.Type, From: edge.From, To: edge.To, ByHand: len(edge.Evidence) == 0, Back: opened(c, ""), Problem: reason,
	}
	if p.Edit, err = h.edit(c, link.RelationProperty(id(c), edge.ID), edge.Type, edge.Properties, reason); err != nil {
		return err
	}
	p.Seen = p.Edit.Seen
	return respond.HTML(c, status, page.RelationPage(p))
}

// Relation hides a relation or changes its type, as the form says. An invalid
// type shows the form again with the reason.
func (h *Handler) Relation(c echo.Context) error {
	ctx, w, who, relation := c.Request().Context(), request.Workspace(c), frame.User(c), domain.RelationID(c.Param("relation"))
	if c.FormValue("hide") != "" {
		made, err := h.curator(c).HideRelation(ctx, w, who, id(c), relation)
		if err != nil {
			return err
		}
		return respond.SeeOther(c, link.Changed(opened(c, link.Entity(id(c))), made.Seq))
	}
	made, err := h.curator(c).Retype(ctx, w, who, id(c), relation, c.FormValue("type"))
	if reason := problem(err); reason != "" {
		return h.relationForm(c, http.StatusUnprocessableEntity, reason)
	}
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.Changed(opened(c, link.Entity(id(c))), made.Seq))
}
