package middleware

import (
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/respond"
)

// Query refuses a request with a parameter of more than most characters in its
// address. It does not limit next, which holds an address itself.
func Query(most int) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			for name, values := range c.QueryParams() {
				for _, value := range values {
					if n := utf8.RuneCountInString(value); n > most && name != "next" {
						return respond.BadRequest("The search text has %d characters; the limit is %d. Search for less.", n, most)
					}
				}
			}
			return next(c)
		}
	}
}
