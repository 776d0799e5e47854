package graph

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// OldEntities leads from an old address of the list of entities to the one it has.
func (h *Handler) OldEntities(c echo.Context) error {
	v := link.GraphView{Table: true, Query: c.QueryParam("q")}
	if label := c.QueryParam("label"); label != "" {
		v.Labels = []string{label}
	}
	return c.Redirect(http.StatusMovedPermanently, v.URL())
}

// Entity serves the page of one entity. It redirects from a merged entity to its
// successor, because earlier answers link to it, and fails with kind NotFound
// for an unknown one.
func (h *Handler) Entity(c echo.Context) error {
	ctx, w, id := c.Request().Context(), request.Workspace(c), domain.EntityID(c.Param("id"))
	p, err := h.Entities.Props(ctx, w, id)
	if domain.KindOf(err) == domain.NotFound {
		if now, lost := h.Curator.Successor(ctx, w, id); lost == nil && now != id {
			return respond.SeeOther(c, link.Entity(now))
		}
	}
	if err != nil {
		return err
	}
	if p.Way, err = h.path(ctx, w, p.Entity, strings.TrimSpace(c.QueryParam("to"))); err != nil {
		return err
	}
	g, err := h.Library.Get(ctx, w)
	if err != nil {
		return err
	}
	said, err := h.Themes.Entity(ctx, w, p.Entity.ID)
	if err != nil {
		return err
	}
	p.Says = lines(said)
	p.Together = present.Companions(g, p.Entity.ID)
	near, _ := g.Around(explore.Query{At: []domain.EntityID{p.Entity.ID}, Steps: 1, Limit: present.PictureNodes})
	p.Picture = present.Picture(near, p.Entity.ID, link.GraphAround(p.Entity.ID), "What is around "+p.Entity.Name)
	if p.App, err = h.Frame.App(c, layout.Graph, p.Entity.Name); err != nil {
		return err
	}
	if p.App.Toast, err = present.Changed(c, h.Curator, link.Entity(p.Entity.ID)); err != nil {
		return err
	}
	joined, err := h.Curator.Joined(ctx, w, p.Entity.ID)
	if err != nil {
		return err
	}
	for _, j := range joined {
		p.Joined = append(p.Joined, page.JoinedItem{
			ChangeItem: page.ChangeItem{Seq: j.Seq, At: j.At, Text: j.Text}, Pair: domain.NewProposalID(w, j.Entity.ID, j.Others[0].ID),
		})
	}
	return respond.HTML(c, http.StatusOK, page.EntityPage(p))
}
