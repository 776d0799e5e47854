package graph

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// mostListed is how many themes the page lists.
const mostListed = 24

// ListThemes serves the themes of the library. While the graph can't be reached it says so.
func (h *Handler) ListThemes(c echo.Context) error {
	app, err := h.Frame.App(c, layout.Graph, "Themes")
	if err != nil {
		return err
	}
	p := page.ThemesProps{App: app}
	found, err := h.Themes.Themes(c.Request().Context(), request.Workspace(c), nil, mostListed)
	if domain.KindOf(err) == domain.Unavailable {
		p.Problem, err = domain.InWords(err), nil
	}
	if err != nil {
		return err
	}
	for _, t := range found {
		p.Themes = append(p.Themes, page.ThemeItem{
			Names: t.Names, Members: t.Members, Documents: t.Documents, URL: link.GraphAround(t.Lead), Summed: t.Summed, Says: lines(t.Sentences),
		})
	}
	return respond.HTML(c, http.StatusOK, page.ThemesPage(p))
}

// lines returns sentences with the addresses of their passages.
func lines(said []themes.Sentence) []page.SaidLine {
	lines := make([]page.SaidLine, len(said))
	for i, s := range said {
		lines[i] = page.SaidLine{Text: s.Text, Source: s.Passage.Name, Page: s.Passage.PageOf(s.Span), Place: s.Passage.Place(s.Span), URL: link.Passage(s.Passage.Document, s.Span)}
	}
	return lines
}
