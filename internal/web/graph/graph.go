// Package graph serves the explorer (its page, data for its script, and files of the graph), the pages
// of entities and the themes, the forms with which curators change the graph, the review of possible
// mistakes in it, and the list of changes.
package graph

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Handler serves the graph. All fields but Neo4j and Browser are required.
type Handler struct {
	Frame     frame.Frame
	Themes    *themes.Service
	Graph     graphstore.Reader
	Ledger    *ledger.Ledger
	Reader    explore.Reader
	Curator   *curate.Curator
	Proposals *proposals.Service
	Schemas   *schemas.Service
	Lists     worklist.Desk
	Runs      *report.Runs
	Neo4j     bool   // the graph is in Neo4j
	Browser   string // address of Neo4j Browser
	Now       domain.Clock
}

// Show serves the explorer, or the part of it that its script replaces.
func (h *Handler) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	v := link.ParseGraph(c.QueryParams())
	s, err := h.scene(ctx, w, v)
	if domain.KindOf(err) == domain.NotFound && len(v.At) > 0 {
		if now, lost := h.Curator.Successor(ctx, w, v.At[0]); lost == nil && now != v.At[0] {
			v.At[0] = now // an old link to a merged entity
			return respond.SeeOther(c, v.URL())
		}
	}
	if err != nil {
		return err
	}
	p := s.props(ctx)
	p.Neo4j = h.Neo4j
	if err := h.list(c, w, s.mode, &p); err != nil {
		return err
	}
	tags, err := h.Ledger.Tags(ctx, w)
	if err != nil {
		return err
	}
	for _, t := range tags {
		p.Tags = append(p.Tags, t.Tag)
	}
	if err := h.card(ctx, s.address, &p); err != nil {
		return err
	}
	if respond.Fragment(c) {
		stats, err := h.Graph.Stats(ctx, w)
		if err != nil {
			return err
		}
		p.Size = stats.Entities
		return respond.HTML(c, http.StatusOK, page.Graph(p))
	}
	if p.App, err = h.Frame.App(c, layout.Graph, p.Title); err != nil {
		return err
	}
	p.Size = p.App.Entities
	if p.App.Toast, err = present.Changed(c, h.Curator, v.URL()); err != nil {
		return err
	}
	p.App.Fills = !p.Empty()
	return respond.HTML(c, http.StatusOK, page.GraphPage(p))
}

// drawn is the data of the script.
type drawn struct {
	explore.Columns
	Shapes []component.Shape `json:"shapes"` // of the labels
	Path   []domain.EntityID `json:"path"`
	Centre []domain.EntityID `json:"centre"`
	Pinned []domain.EntityID `json:"pinned"`
	Mode   mode              `json:"mode"`
	Title  string            `json:"title"`
}

// Data serves what a view shows, as JSON in columns.
func (h *Handler) Data(c echo.Context) error {
	s, err := h.scene(c.Request().Context(), request.Workspace(c), link.ParseGraph(c.QueryParams()))
	if err != nil {
		return err
	}
	d := drawn{Columns: s.view.Columns(), Path: s.path, Centre: s.address.At, Mode: s.mode, Title: s.title(c.Request().Context())}
	for _, label := range d.Labels {
		d.Shapes = append(d.Shapes, component.ShapeOf(label))
	}
	for _, p := range s.address.Pins {
		d.Pinned = append(d.Pinned, p.ID)
	}
	return c.JSON(http.StatusOK, d)
}

// Card serves the card of an entity, or with the parameter with of two, beside the view
// of the parameters.
func (h *Handler) Card(c echo.Context) error {
	v := link.ParseGraph(c.QueryParams())
	v.Selected = domain.EntityID(c.Param("id"))
	var p page.GraphProps
	if err := h.card(c.Request().Context(), v, &p); err != nil {
		return err
	}
	switch {
	case p.Pair != nil:
		return respond.HTML(c, http.StatusOK, page.PairCard(*p.Pair))
	case p.Card != nil:
		return respond.HTML(c, http.StatusOK, page.GraphCard(*p.Card))
	}
	return domain.Errorf(domain.NotFound, "This entity is no longer in the graph. Reload the page.")
}

// maxSuggested is the most entities suggested for a name.
const maxSuggested = 10

// Find serves the entities whose name begins with the words of the parameter q.
func (h *Handler) Find(c echo.Context) error {
	found, _, err := h.Graph.Entities(c.Request().Context(), request.Workspace(c), graphstore.EntityQuery{Text: c.QueryParam("q"), Limit: maxSuggested})
	return respond.Show(c, err, http.StatusOK, page.GraphOptions(found))
}

// maxSentences is the most sentences shown for the relations of two entities, or beside a picture.
const maxSentences = 3

// Stated serves the sentences that state the relations of the entities a and b, or if
// there are none, those that mention both.
func (h *Handler) Stated(c echo.Context) error {
	p, err := h.Reader.Pair(c.Request().Context(), domain.EntityID(c.QueryParam("a")), domain.EntityID(c.QueryParam("b")))
	if err != nil {
		return err
	}
	if len(p.Types) == 0 {
		p.Types, p.Stated = []string{lang.F(c.Request().Context(), "Mentioned together in %s", lang.Count(c.Request().Context(), p.Passages, "passage", "passages"))}, p.Together[:min(len(p.Together), maxSentences)]
	}
	return respond.HTML(c, http.StatusOK, page.GraphStated(p.Types, p.Stated))
}

// card reads the card of the chosen entity, or of two, unless none is chosen or it is
// gone.
func (h *Handler) card(ctx context.Context, v link.GraphView, p *page.GraphProps) error {
	if v.Selected == "" {
		return nil
	}
	if v.With != "" {
		pair, err := h.Reader.Pair(ctx, v.Selected, v.With)
		if err != nil || pair.B.ID != "" {
			p.Pair = &page.PairCardProps{View: v, Pair: pair}
			return err
		}
	}
	e, err := h.Reader.About(ctx, v.Selected)
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	together, err := h.Reader.Companions(ctx, v.Selected)
	if err != nil {
		return err
	}
	p.Card = &page.GraphCardProps{View: v, About: e, Neo4j: h.browser(ctx, v.Selected), Together: together}
	return nil
}

// browser returns the address of an entity in Neo4j Browser, "" without one.
func (h *Handler) browser(ctx context.Context, id domain.EntityID) string {
	if h.Browser == "" {
		return ""
	}
	return link.Neo4jBrowser(h.Browser, domain.WorkspaceOf(ctx), id)
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
	p.List = &page.EntityList{Items: found, Pager: page.Pager{Offset: offset, Limit: request.PageSize, Total: total}}
	if p.Title = lang.T(c.Request().Context(), "Entities"); v.Query != "" {
		p.Title, p.Places, p.Nodes, p.Relations = lang.F(c.Request().Context(), "Entities called “%s”", v.Query), nil, nil, nil
	}
	return nil
}

// Export streams a view, or with scope=all the whole graph, as a file. With mentions=on it
// includes the pairs that are only mentioned together.
func (h *Handler) Export(c echo.Context) error {
	ctx, format := c.Request().Context(), c.QueryParam("format")
	in := explore.Exporting{Format: format, Mentions: c.QueryParam("mentions") == "on"}
	title := "graph"
	if c.QueryParam("scope") != "all" {
		s, err := h.scene(ctx, request.Workspace(c), link.ParseGraph(c.QueryParams()))
		if err != nil {
			return err
		}
		shown := s.view.Part()
		in.Part, title = &shown, s.title(lang.With(ctx, lang.Languages()[0]))
	}
	file, err := h.Reader.Export(ctx, in)
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, file.Type)
	header.Set(echo.HeaderContentDisposition, "attachment; filename="+fileName(title, format))
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	return file.Write(c.Response())
}

// fileName names a file of the graph.
func fileName(title, ext string) string {
	keep := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}
	name := strings.Trim(strings.Map(keep, domain.Cut(title, 60)), "-")
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	name = cmp.Or(name, "graph")
	return strconv.Quote(name + "." + ext)
}

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
	p.Joined, err = h.Curator.Joined(ctx, w, id)
	return respond.Show(c, err, http.StatusOK, page.EntityPage(p))
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
	return lists.Map(said, themes.Sentence.Quote)
}
