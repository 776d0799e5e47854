package frame

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
)

// namesCookie stores whether a person wants the names of graphs instead of plain words.
const namesCookie = "names"

// Technical reports whether a request's person wants the names of graphs.
func Technical(c echo.Context) bool {
	kept, err := c.Cookie(namesCookie)
	return err == nil && kept.Value == link.Technical
}

// SetNames stores which names a person wants, and returns to the page that asked.
func SetNames(c echo.Context) error {
	names := link.Plain
	if c.FormValue("names") == link.Technical {
		names = link.Technical
	}
	c.SetCookie(&http.Cookie{ //nolint:gosec // Secure where the browser is on https
		Name: namesCookie, Value: names, Path: link.Mounted(c.Request().Context(), "/"),
		MaxAge: 365 * 24 * 3600, HttpOnly: true, Secure: request.ClientOf(c).HTTPS, SameSite: http.SameSiteLaxMode,
	})
	back := ""
	if from, err := url.Parse(c.Request().Referer()); err == nil && from.Host == c.Request().Host {
		back = from.RequestURI()
	}
	return respond.SeeOther(c, request.Local(back, link.Runs))
}
