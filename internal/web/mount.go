package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
)

// mounted takes base off the address of a request, before it is routed, and has pages put it before their addresses. An address
// without it is served as it is: some proxies take it off themselves, and probes come past them.
func mounted(base string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if base == "" {
				return next(c)
			}
			r := c.Request()
			c.SetRequest(r.WithContext(link.WithMount(r.Context(), base)))
			switch at := *r.URL; {
			case at.Path == base:
				return c.Redirect(http.StatusPermanentRedirect, base+"/")
			case strings.HasPrefix(at.Path, base+"/"):
				at.Path, at.RawPath = strings.TrimPrefix(at.Path, base), strings.TrimPrefix(at.RawPath, base)
				*r.URL = at // the router reads it from there
			}
			return next(c)
		}
	}
}

// Mountable returns an error of kind Invalid if the server has pages below base, since a link to one could not be told from a mounted one.
func (s *Server) Mountable(base string) error {
	taken := link.Below(base, link.InWorkspace)
	for _, r := range s.pages.Load().Routes() {
		taken = taken || link.Below(base, r.Path)
	}
	if taken {
		return domain.Errorf(domain.Invalid, "BASE_PATH can't be %s, because Clew itself has addresses below it. Choose another, such as /clew.", base)
	}
	return nil
}
