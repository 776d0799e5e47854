package web

import (
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/views/link"
)

// inWorkspace takes the workspace off the address of a request, before it is routed. Whether there is one of that name, and
// who may open it, is decided behind Guard: a stranger is told neither.
func inWorkspace(all *workspaces.Service) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			rest, ok := strings.CutPrefix(r.URL.EscapedPath(), link.InWorkspace)
			if !ok {
				return next(c)
			}
			name, path, _ := strings.Cut(rest, "/")
			w, err := all.Find(r.Context(), name)
			if err != nil && domain.KindOf(err) != domain.NotFound {
				return err
			}
			request.SetNamed(c, request.Named{Workspace: w, Asked: name})
			at := *r.URL
			at.RawPath = "/" + path
			if at.Path, err = url.PathUnescape(at.RawPath); err != nil {
				return domain.Because(domain.NotFound, err, "There is no such page.")
			}
			if plain := (&url.URL{Path: at.Path}); plain.EscapedPath() == at.RawPath {
				at.RawPath = "" // as the server leaves it, so that parameters are read unchanged
			}
			*r.URL = at // the router reads it from there
			c.SetRequest(r.WithContext(link.WithBase(domain.WithWorkspace(r.Context(), w.ID), w.Name)))
			return next(c)
		}
	}
}
