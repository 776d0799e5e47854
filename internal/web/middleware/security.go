// Package middleware contains the steps that every request passes through: recovery, logging, headers,
// size limits and origin checks.
package middleware

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
)

// policy is the Content-Security-Policy: everything is loaded from this site
// and nothing is inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Client records where a request comes from, see request.Through, and the address of the site, if it is set.
func Client(proxies []netip.Prefix, site string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			request.SetClient(c, request.Through(proxies, c))
			request.SetSite(c, site)
			return next(c)
		}
	}
}

// Headers sets the security and caching headers of a response. Pages are
// private and differ for htmx and for scripts, which Vary says. A browser that has
// seen the site on https is told to use nothing else for a year.
func Headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		h.Add("Vary", "HX-Request, Accept, Cookie")
		if request.ClientOf(c).HTTPS {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		return next(c)
	}
}

// SameOrigin refuses requests that another site made the browser send, with
// kind Forbidden. It checks Sec-Fetch-Site and Origin, see
// net/http.CrossOriginProtection.
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

// LocalHost refuses Host headers other than this machine's, with kind
// Forbidden, unless there is an account. Without it, any site could point its
// name at 127.0.0.1 and read an unprotected library (DNS rebinding).
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

// local reports whether a Host header names this machine.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// Limit ends bodies at a number of bytes.
func Limit(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.ContentLength > limit {
				return &http.MaxBytesError{Limit: limit}
			}
			r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
			return next(c)
		}
	}
}

// Form parses a form of at most limit bytes, so that a form that is too large
// or malformed fails instead of having empty fields.
func Form(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.ContentLength > limit {
				return &http.MaxBytesError{Limit: limit}
			}
			r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
			err := r.ParseForm()
			if err == nil {
				err = r.ParseMultipartForm(limit)
			}
			var tooLarge *http.MaxBytesError
			switch {
			case errors.As(err, &tooLarge), tooSlow(err):
				return err
			case err != nil && !errors.Is(err, http.ErrNotMultipart):
				return domain.Because(domain.Invalid, err, "The form could not be read. Reload the page and try again.")
			}
			return next(c)
		}
	}
}
