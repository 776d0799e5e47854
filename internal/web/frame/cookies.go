package frame

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// languageCookie stores the language of pages for whoever has no account or is not signed in.
const languageCookie = "language"

// Speak sets the language of a page: the one chosen in this browser, else the one the browser asks for. [SetSession]
// sets that of an account.
func Speak(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		Spoken(c)
		c.Response().Header().Add(echo.HeaderVary, "Accept-Language, Cookie")
		return next(c)
	}
}

// Spoken sets the language of a page like [Speak].
func Spoken(c echo.Context) {
	r := c.Request()
	c.SetRequest(r.WithContext(lang.With(r.Context(), lang.Suits(LanguageHere(c), accepted(c)))))
}

// LanguageHere returns the code of the language that was chosen in this browser, or "".
func LanguageHere(c echo.Context) string {
	if kept, err := c.Cookie(languageCookie); err == nil {
		return kept.Value
	}
	return ""
}

// KeepLanguage stores a language in the browser. The code "browser" removes it.
func KeepLanguage(c echo.Context, code string) {
	age := 365 * 24 * 3600
	if code == "browser" {
		age = -1
	}
	c.SetCookie(&http.Cookie{ //nolint:gosec // Secure where the browser is on https
		Name: languageCookie, Value: code, Path: link.Mounted(c.Request().Context(), "/"),
		MaxAge: age, HttpOnly: true, Secure: request.ClientOf(c).HTTPS, SameSite: http.SameSiteLaxMode,
	})
}

func accepted(c echo.Context) string {
	return c.Request().Header.Get("Accept-Language")
}

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
