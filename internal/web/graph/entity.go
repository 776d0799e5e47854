package graph

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// OldEntities redirects an old address of the list of entities to its present one.
func (h *Handler) OldEntities(c echo.Context) error {
	v := link.GraphView{Table: true, Query: c.QueryParam("q")}
	if label := c.QueryParam("label"); label != "" {
		v.Labels = []string{label}
	}
	return c.Redirect(http.StatusMovedPermanently, link.At(c.Request().Context(), v.URL()))
}

// Entity serves the page of one entity. It redirects from a merged entity to its
// successor, because earlier answers link to it, and fails with kind NotFound
// for an unknown one.
func (h *Handler) Entity(c echo.Context) error {
	ctx, w, id := c.Request().Context(), request.Workspace(c), domain.EntityID(c.Param("id"))
	about, err := h.Reader.About(ctx, id)
	if domain.KindOf(err) == domain.NotFound {
		if now, lost := h.Curator.Successor(ctx, w, id); lost == nil && now != id {
			return respond.SeeOther(c, link.Entity(now))
		}
	}
	if err != nil {
		return err
	}
	p := page.EntityProps{About: about, When: strings.TrimSpace(c.QueryParam("as_of")), To: strings.TrimSpace(c.QueryParam("to")), Neo4j: h.browser(ctx, id)}
	asOf, err := domain.AsOf(p.When)
	if err != nil {
		p.Wrong = domain.InWords(err)
	}
	p.At(asOf)
	if p.To != "" {
		if p.Way, err = h.Reader.Way(ctx, explore.Filter{AsOf: asOf}, id, p.To); err != nil {
			return err
		}
	}
	said, err := h.Themes.Entity(ctx, w, id)
	if err != nil {
		return err
	}
	p.Says = quotes(said)
	if p.Together, err = h.Reader.Companions(ctx, id); err != nil {
		return err
	}
	near, _, err := h.Reader.Around(ctx, explore.Query{At: []domain.EntityID{id}, Steps: 1, Limit: present.PictureNodes})
	if err != nil {
		return err
	}
	p.Picture = present.Picture(near, id, link.GraphAround(id), lang.F(ctx, "What is around %s", p.Entity.Name))
	if p.App, err = h.Frame.App(c, layout.Graph, p.Entity.Name); err != nil {
		return err
	}
	if p.App.Toast, err = present.Changed(c, h.Curator, link.Entity(id)); err != nil {
		return err
	}
	if p.Joined, err = h.Curator.Joined(ctx, w, id); err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.EntityPage(p))
}

// ListThemes serves the themes of the library, or a note if the graph can't be reached.
func (h *Handler) ListThemes(c echo.Context) error {
	app, err := h.Frame.App(c, layout.Graph, lang.T(c.Request().Context(), "Themes"))
	if err != nil {
		return err
	}
	p := page.ThemesProps{App: app}
	found, err := h.Themes.Themes(c.Request().Context(), request.Workspace(c), nil, themes.Most)
	if domain.KindOf(err) == domain.Unavailable {
		p.Problem, err = domain.InWords(err), nil
	}
	if err != nil {
		return err
	}
	for _, t := range found {
		p.Themes = append(p.Themes, page.ThemeItem{
			Names: t.Names, Members: t.Members, Documents: t.Documents, URL: link.GraphAround(t.Lead), Research: link.With(link.Researches, "theme", string(t.Lead)), Summed: t.Summed, Says: quotes(t.Sentences),
		})
	}
	return respond.HTML(c, http.StatusOK, page.ThemesPage(p))
}

// quotes returns sentences as quotes.
func quotes(said []themes.Sentence) []explore.Quote {
	list := make([]explore.Quote, len(said))
	for i, s := range said {
		list[i] = s.Quote()
	}
	return list
}
