// Package respond sends pages, fragments for htmx, redirects, and errors in the
// form the client understands.
package respond

import (
	"bytes"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
)

// Fragment reports whether htmx asks for a part of a page. Boosted links and
// history restoration want whole pages.
func Fragment(c echo.Context) bool {
	h := c.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true" && h.Get("HX-History-Restore-Request") != "true"
}

// HTML sends a component. It renders before it sends the status, so that a
// failure gives an error page and not half a page.
func HTML(c echo.Context, status int, component templ.Component) error {
	b, err := Render(c, component)
	if err != nil {
		return err
	}
	return c.HTMLBlob(status, b)
}

// Page sends the fragment if htmx asks for a part, and the page otherwise.
func Page(c echo.Context, page, fragment templ.Component) error {
	if Fragment(c) {
		return HTML(c, http.StatusOK, fragment)
	}
	return HTML(c, http.StatusOK, page)
}

// Render returns a component's HTML.
func Render(c echo.Context, component templ.Component) ([]byte, error) {
	var b bytes.Buffer
	if err := component.Render(c.Request().Context(), &b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// SeeOther redirects the browser after a form to path, in the workspace of the request.
func SeeOther(c echo.Context, path string) error {
	path = link.At(c.Request().Context(), path)
	if Fragment(c) {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// After redirects like SeeOther once what a form asked for is done, or returns the error that it failed with.
func After(c echo.Context, err error, path string) error {
	if err != nil {
		return err
	}
	return SeeOther(c, path)
}

// KindOf returns the kind of the errors that are answered with a status, or Internal if there is none.
func KindOf(status int) domain.Kind {
	for kind, s := range statuses {
		if s == status {
			return kind
		}
	}
	return domain.Internal
}

// statuses maps kinds of errors to HTTP statuses.
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
	domain.Capped:       http.StatusPaymentRequired,
	domain.TooMany:      http.StatusTooManyRequests,
}
