// Package middleware holds what stands between the listener and the handlers:
// recovery, logging, headers, limits, and who may pass.
package middleware

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
)

// policy is the Content-Security-Policy: everything comes from here, nothing
// is inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Headers sets the headers that keep a page to itself. Pages are private and
// answer differently to htmx and to scripts, which Vary tells every cache.
func Headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		h.Add("Vary", "HX-Request, Accept")
		return next(c)
	}
}

// SameOrigin refuses requests that another site made the browser send. It
// trusts Sec-Fetch-Site and Origin, see net/http.CrossOriginProtection.
func SameOrigin() echo.MiddlewareFunc {
	protection := http.NewCrossOriginProtection()
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := protection.Check(c.Request()); err != nil {
				return domain.Because(domain.Forbidden, err, "The request came from another site and was refused. Open this page directly and try again.")
			}
			return next(c)
		}
	}
}

// LocalHost refuses names that do not mean this machine, as long as there is no
// account. A program that listens on loopback without one would otherwise be
// open to any site whose name is made to point at 127.0.0.1.
func LocalHost(accounts func(context.Context) (bool, error)) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if local(c.Request().Host) {
				return next(c)
			}
			guarded, err := accounts(c.Request().Context())
			if err != nil {
				return err
			}
			if guarded {
				return next(c)
			}
			return domain.Errorf(domain.Forbidden, "Without an account, Clew can only be used at 127.0.0.1 or localhost, not at %q. Add an account with clew user add to use another name.", c.Request().Host)
		}
	}
}

// local reports whether a Host header means this machine.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// Form caps the body of a form in bytes and reads it, so that one that is too
// large or broken is an error rather than a field that seems to be empty.
func Form(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
			err := r.ParseForm()
			if err == nil {
				err = r.ParseMultipartForm(limit)
			}
			var tooLarge *http.MaxBytesError
			switch {
			case errors.As(err, &tooLarge):
				return err
			case err != nil && !errors.Is(err, http.ErrNotMultipart):
				return domain.Because(domain.Invalid, err, "The form could not be read. Reload the page and try again.")
			}
			return next(c)
		}
	}
}
