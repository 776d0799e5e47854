package curation

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// maxFound is the most entities the search for a merge shows.
const maxFound = 20

// AskMerge serves the search for an entity to merge with, or both entities side
// by side once the query parameter with names one.
func (h *Handler) AskMerge(c echo.Context) error {
	if c.QueryParam("with") != "" {
		return h.sides(c, http.StatusOK, domain.EntityID(c.QueryParam("with")), "")
	}
	ctx, w := c.Request().Context(), request.Workspace(c)
	e, err := h.Graph.Entity(ctx, w, id(c))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Graph, "Merge "+e.Name)
	if err != nil {
		return err
	}
	p := page.FindProps{App: app, Entity: e, Query: c.QueryParam("q"), Back: opened(c, "")}
	found, _, err := h.Graph.Entities(ctx, w, graphstore.EntityQuery{Text: p.Query, Limit: maxFound + 1})
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.ID != e.ID && len(p.Items) < maxFound {
			p.Items = append(p.Items, page.EntityRow{
				ID: f.ID, Label: f.Label, Name: f.Name, Aliases: f.Aliases, Mentions: f.Mentions, Documents: f.Documents, Relations: f.Relations,
			})
		}
	}
	return respond.HTML(c, http.StatusOK, page.FindPage(p))
}

// sides serves two entities side by side.
func (h *Handler) sides(c echo.Context, status int, with domain.EntityID, reason string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	if with == id(c) {
		return domain.Errorf(domain.Invalid, "An entity can't be merged with itself. Choose another one.")
	}
	a, err := h.said(ctx, w, id(c))
	if err != nil {
		return err
	}
	b, err := h.said(ctx, w, with)
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Graph, "Merge "+a.Entity.Name)
	if err != nil {
		return err
	}
	seen, err := h.seen(c)
	if err != nil {
		return err
	}
	return respond.HTML(c, status, page.MergePage(page.MergeProps{App: app, A: a, B: b, Back: opened(c, ""), MaxName: curate.MaxName, Seen: seen, Problem: reason}))
}

// said returns an entity with its passages cut to the sentences that name it.
func (h *Handler) said(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (page.EntityProps, error) {
	p, err := h.Entities.Props(ctx, w, id)
	for i := range p.Passages {
		p.Passages[i] = present.Sentences(p.Passages[i])
	}
	return p, err
}

// Merge merges two entities, keeping the name of the one in the form field
// keep, and goes to that one. An invalid merge shows both again with the
// reason.
func (h *Handler) Merge(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	into, from := id(c), domain.EntityID(c.FormValue("with"))
	if domain.EntityID(c.FormValue("keep")) == from {
		into, from = from, into
	}
	entry, err := h.curator(c).Merge(ctx, w, frame.User(c), into, []domain.EntityID{from}, c.FormValue("name"))
	if reason := problem(err); reason != "" && from != "" && into != from && h.both(c, into, from) {
		return h.sides(c, http.StatusUnprocessableEntity, domain.EntityID(c.FormValue("with")), reason)
	}
	return h.done(c, entry, err, strings.ReplaceAll(opened(c, link.Entity(into)), string(from), string(into)), nil) // the page shows the one that remains
}

// both reports whether both entities are in the graph.
func (h *Handler) both(c echo.Context, ids ...domain.EntityID) bool {
	return !slices.ContainsFunc(ids, func(id domain.EntityID) bool {
		_, err := h.Graph.Entity(c.Request().Context(), request.Workspace(c), id)
		return err != nil
	})
}

// AskMergeSeveral serves the entities of the parameters id, to be merged in one
// step.
func (h *Handler) AskMergeSeveral(c echo.Context) error {
	return h.several(c, http.StatusOK, c.QueryParams()["id"], "")
}

func (h *Handler) several(c echo.Context, status int, ids []string, reason string) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) < 2 || len(ids) > maxSeveral {
		return domain.Errorf(domain.Invalid, "Mark between two and %d entities to merge.", maxSeveral)
	}
	app, err := h.Frame.App(c, layout.Graph, "Merge")
	if err != nil {
		return err
	}
	p := page.MergeSeveralProps{App: app, MaxName: curate.MaxName, Back: opened(c, ""), Problem: reason}
	if p.Seen, err = h.seen(c); err != nil {
		return err
	}
	for _, id := range ids {
		e, err := h.Entities.Brief(c.Request().Context(), request.Workspace(c), domain.EntityID(id))
		if domain.KindOf(err) == domain.NotFound && reason != "" {
			continue // the reason says what became of it
		}
		if err != nil {
			return err
		}
		p.Items = append(p.Items, e)
	}
	slices.SortStableFunc(p.Items, func(a, b page.EntityProps) int { return b.Entity.Mentions - a.Entity.Mentions })
	return respond.HTML(c, status, page.MergeSeveralPage(p))
}

// maxSeveral is the most entities that a page merges in one step.
const maxSeveral = 20

// MergeSeveral merges the entities of the form fields id into the one of the
// field keep, and goes back to the list, or to that one.
func (h *Handler) MergeSeveral(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read.")
	}
	into := domain.EntityID(form.Get("keep"))
	var others []domain.EntityID
	for _, id := range form["id"] {
		if domain.EntityID(id) != into {
			others = append(others, domain.EntityID(id))
		}
	}
	entry, err := h.curator(c).Merge(c.Request().Context(), request.Workspace(c), frame.User(c), into, others, form.Get("name"))
	if reason := problem(err); reason != "" && len(form["id"]) > 1 {
		return h.several(c, http.StatusUnprocessableEntity, form["id"], reason)
	}
	return h.done(c, entry, err, opened(c, link.Entity(into)), nil)
}

// Apart records that two entities are not the same.
func (h *Handler) Apart(c echo.Context) error {
	entry, err := h.Curator.Apart(c.Request().Context(), request.Workspace(c), frame.User(c), id(c), domain.EntityID(c.FormValue("with")))
	return h.done(c, entry, err, opened(c, link.Entity(id(c))), nil)
}
