// Package respond turns what a handler has into an answer: a whole page or the
// fragment that htmx asked for, a redirect, an error in the form the client
// understands.
package respond

import (
	"bytes"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
)

// Fragment reports whether the request wants a part of a page: htmx made it,
// and not to fill a whole page, as boosting and going back do.
func Fragment(c echo.Context) bool {
	h := c.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true" && h.Get("HX-History-Restore-Request") != "true"
}

// HTML sends a component. It is rendered before the status is written, so that
// a failure becomes an error page and not half of one.
func HTML(c echo.Context, status int, component templ.Component) error {
	b, err := Render(c, component)
	if err != nil {
		return err
	}
	return c.HTMLBlob(status, b)
}

// Page sends the fragment to who wants a part, the page to everyone else.
func Page(c echo.Context, page, fragment templ.Component) error {
	if Fragment(c) {
		return HTML(c, http.StatusOK, fragment)
	}
	return HTML(c, http.StatusOK, page)
}

// Render is a component's HTML.
func Render(c echo.Context, component templ.Component) ([]byte, error) {
	var b bytes.Buffer
	if err := component.Render(c.Request().Context(), &b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// SeeOther sends the browser to a page after a form was taken. htmx loads it
// whole.
func SeeOther(c echo.Context, path string) error {
	if Fragment(c) {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// statuses is the one table from kinds of error to HTTP.
var statuses = map[domain.Kind]int{
	domain.Invalid:      http.StatusUnprocessableEntity,
	domain.NotFound:     http.StatusNotFound,
	domain.Conflict:     http.StatusConflict,
	domain.TooLarge:     http.StatusRequestEntityTooLarge,
	domain.Unsupported:  http.StatusUnsupportedMediaType,
	domain.Unauthorized: http.StatusUnauthorized,
	domain.Forbidden:    http.StatusForbidden,
	domain.Unavailable:  http.StatusServiceUnavailable,
	domain.Exhausted:    http.StatusInsufficientStorage,
}
