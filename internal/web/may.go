package web

import (
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/views/link"
)

// offered has pages link, and show forms for, only what whoever reads them may do, as the routes say. pages are those that e
// has.
func offered(e *echo.Echo, pages *[]Page) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if role := frame.Session(c).Role; role != "" && role != domain.Owner {
				may := func(method, address string) bool {
					return operation.CheckRole(role, least(c.Request().Context(), e, *pages, method, address)) == nil
				}
				c.SetRequest(c.Request().WithContext(link.WithMay(c.Request().Context(), may)))
			}
			return next(c)
		}
	}
}

// least returns the lowest role that is let in at an address: that of its route, or Reader for an address without one.
func least(ctx context.Context, e *echo.Echo, pages []Page, method, address string) domain.Role {
	path, _, _ := strings.Cut(link.Out(ctx, address), "#")
	path, _, _ = strings.Cut(path, "?")
	found := e.NewContext(nil, nil)
	e.Router().Find(method, path, found)
	for _, p := range pages {
		if p.Method == method && p.Path == found.Path() && p.Role != "" {
			return p.Role
		}
	}
	return domain.Reader
}

// atLeast is a middleware behind Guard that passes requests of those who have a role, or a higher one, and refuses others
// with kind Forbidden.
func atLeast(role domain.Role) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := operation.CheckRole(frame.Session(c).Role, role); err != nil {
				return err
			}
			return next(c)
		}
	}
}
