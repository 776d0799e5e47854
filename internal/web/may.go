package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/link"
)

// offered has pages link, and show forms for, only what whoever reads them may do, as the routes say, and what is not refused
// in an archived workspace. pages are those that e has.
func offered(e *echo.Echo, pages *[]Page) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			role, archived := frame.Session(c).Role, !request.NamedIn(c).ArchivedAt.IsZero()
			limited := role != "" && role != domain.Owner
			if limited || archived {
				may := func(method, address string) bool {
					p := pageAt(c.Request().Context(), e, *pages, method, address)
					return (!limited || operation.CheckRole(role, p.Role) == nil) && (!archived || p.reads())
				}
				c.SetRequest(c.Request().WithContext(link.WithMay(c.Request().Context(), may)))
			}
			return next(c)
		}
	}
}

// reads reports whether a page is for those who change nothing in its workspace.
func (p Page) reads() bool {
	if p.Method == http.MethodPost {
		return link.Keeps(p.Path)
	}
	form := len(p.Operations) == 0 && (p.Role == domain.Contributor || p.Role == domain.Curator)
	return !form
}

// pageAt returns the page at an address, or one for readers if there is none.
func pageAt(ctx context.Context, e *echo.Echo, pages []Page, method, address string) Page {
	path, _, _ := strings.Cut(link.Out(ctx, address), "#")
	path, _, _ = strings.Cut(path, "?")
	at := e.NewContext(nil, nil)
	e.Router().Find(method, path, at)
	for _, p := range pages {
		if p.Method == method && p.Path == at.Path() && p.Role != "" {
			return p
		}
	}
	return Page{Method: method, Path: path, Role: domain.Reader}
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

// A Page is an address that people visit, or that a form is sent to.
type Page struct {
	Method, Path string      // as in echo
	Operations   []string    // names of the operations that it shows or carries out
	Alone        string      // why a form carries out none
	Role         domain.Role // the lowest one allowed; "" if nobody has to sign in
}

// Address returns the path with names in braces in place of ids, preceded by POST for a form.
func (p Page) Address() string {
	parts := strings.Split(p.Path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	address := strings.Join(parts, "/")
	if p.Method == http.MethodPost {
		return p.Method + " " + address
	}
	return address
}

// Pages returns all pages in the order of the table of routes.
func Pages() []Page {
	var all []Page
	to := group{echo: echo.New(), pages: &all}
	pages(areas{to, to, to}, Params{}, handlers{})
	return all
}
