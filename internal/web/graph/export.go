package graph

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/link"
)

// kinds maps the formats of files to their media types.
var kinds = map[string]string{
	"graphml": "application/graphml+xml; charset=utf-8", "csv": "text/csv; charset=utf-8", "json": "application/json", "cypher": "text/plain; charset=utf-8",
}

// Export streams a view, or with scope=all the whole graph, as a file. With mentions=on it
// holds what is only mentioned together as well.
func (h *Handler) Export(c echo.Context) error {
	ctx, w, format := c.Request().Context(), request.Workspace(c), c.QueryParam("format")
	kind, known := kinds[format]
	if !known {
		return domain.Errorf(domain.Invalid, "There is no format %q. The formats are graphml, csv, json and cypher.", format)
	}
	var part *explore.Part
	title := "graph"
	if c.QueryParam("scope") != "all" {
		s, err := h.scene(ctx, w, link.ParseGraph(c.QueryParams()))
		if err != nil {
			return err
		}
		shown := s.view.Part()
		part, title = &shown, s.title()
	} else if _, err := h.Graph.Cursor(ctx, w); err != nil { // before the file begins, while an error can still be told
		return err
	}
	var mentioned []domain.Relation
	if c.QueryParam("mentions") == "on" {
		g, err := h.Library.Get(ctx, w)
		if err != nil {
			return err
		}
		mentioned = g.TieRelations(nil)
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, kind)
	header.Set(echo.HeaderContentDisposition, "attachment; filename="+fileName(title, format))
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	return explore.Export(ctx, h.Graph, w, part, mentioned, format, c.Response())
}
