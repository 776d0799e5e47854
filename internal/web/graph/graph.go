// Package graph serves the explorer (its page, what its script draws, and files of the graph), the pages of entities, and
// the themes.
package graph

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Handler serves the graph. All fields but Neo4j are required.
type Handler struct {
	Frame    frame.Frame
	Themes   *themes.Service
	Library  *explore.Library
	Graph    graphstore.Reader
	Ledger   *ledger.Ledger
	Entities *present.Entities
	Curator  *curate.Curator
	Runs     *report.Runs
	Neo4j    bool // the graph is in Neo4j
}

// Show serves the explorer, or the part of it that its script replaces.
func (h *Handler) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	v := link.ParseGraph(c.QueryParams())
	s, err := h.scene(ctx, w, v)
	if domain.KindOf(err) == domain.NotFound && len(v.At) > 0 {
		if now, lost := h.Curator.Successor(ctx, w, v.At[0]); lost == nil && now != v.At[0] {
			v.At[0] = now // an old link to an entity that was merged
			return respond.SeeOther(c, v.URL())
		}
	}
	if err != nil {
		return err
	}
	p := s.props()
	p.Neo4j = h.Neo4j
	if err := h.list(c, w, s.mode, &p); err != nil {
		return err
	}
	if p.Tags, err = h.tags(ctx, w); err != nil {
		return err
	}
	if p.Pair, err = h.pair(ctx, w, s.address); err != nil {
		return err
	}
	if p.Card, err = h.card(ctx, w, s.address); err != nil {
		return err
	}
	if respond.Fragment(c) {
		return respond.HTML(c, http.StatusOK, page.Graph(p))
	}
	if p.App, err = h.Frame.App(c, layout.Graph, p.Title); err != nil {
		return err
	}
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
	d := drawn{Columns: s.view.Columns(), Path: s.path, Centre: s.address.At, Mode: s.mode, Title: s.title()}
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
	ctx, w := c.Request().Context(), request.Workspace(c)
	v := link.ParseGraph(c.QueryParams())
	v.Selected = domain.EntityID(c.Param("id"))
	pair, err := h.pair(ctx, w, v)
	if err != nil {
		return err
	}
	if pair != nil {
		return respond.HTML(c, http.StatusOK, page.PairCard(*pair))
	}
	card, err := h.card(ctx, w, v)
	if err != nil {
		return err
	}
	if card == nil {
		return domain.Errorf(domain.NotFound, "This entity is no longer in the graph. Reload the page.")
	}
	return respond.HTML(c, http.StatusOK, page.GraphCard(*card))
}

// maxSuggested is the most entities suggested for a name.
const maxSuggested = 10

// Find serves the entities whose name begins with the words of the parameter q.
func (h *Handler) Find(c echo.Context) error {
	found, _, err := h.Graph.Entities(c.Request().Context(), request.Workspace(c), graphstore.EntityQuery{Text: c.QueryParam("q"), Limit: maxSuggested})
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.GraphOptions(items(found)))
}

// items returns entities with their mentions.
func items(found []domain.Entity) []partial.EntityItem {
	list := make([]partial.EntityItem, len(found))
	for i, e := range found {
		list[i] = present.EntityItem(e)
		list[i].Count = e.Mentions
	}
	return list
}

// maxStated is the most sentences shown for the relations of two entities.
const maxStated = 3

// Stated serves the sentences that state the relations of the entities a and b, or if
// there are none, those that mention both.
func (h *Handler) Stated(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	a, b := domain.EntityID(c.QueryParam("a")), domain.EntityID(c.QueryParam("b"))
	edges, err := h.between(ctx, w, a, b)
	if err != nil {
		return err
	}
	types, sentences, err := h.stated(ctx, w, edges)
	if err != nil {
		return err
	}
	if len(types) == 0 {
		both, n, err := h.Entities.Together(ctx, w, a, b)
		if err != nil {
			return err
		}
		types, sentences = []string{"Mentioned together in " + format.Count(n, "passage", "passages")}, both[:min(len(both), maxStated)]
	}
	return respond.HTML(c, http.StatusOK, page.GraphStated(types, sentences))
}

// maxLooked bounds the relations looked through for those with one entity.
const maxLooked = 2_000

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
	if name == "" {
		name = "graph"
	}
	return strconv.Quote(name + "." + ext)
}
