// Package request reads parameters of requests.
package request

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// Workspace returns the workspace of a request.
func Workspace(c echo.Context) domain.WorkspaceID { return domain.WorkspaceOf(c.Request().Context()) }

// Named is the workspace that the address of a request names.
type Named struct {
	domain.Workspace
	Asked string // its name in the address, or "" if that names none; Workspace is zero if there is none of that name
}

const namedKey = "workspace"

// SetNamed records what NamedIn returns.
func SetNamed(c echo.Context, n Named) { c.Set(namedKey, n) }

// NamedIn returns the workspace that the address of a request names.
func NamedIn(c echo.Context) Named {
	n, _ := c.Get(namedKey).(Named)
	return n
}

// While serves a request whose context ends once lasts returns false, see domain.Lasting. The error is then Unauthorized.
func While(c echo.Context, next echo.HandlerFunc, interval time.Duration, lasts func(context.Context) bool) error {
	r := c.Request()
	ctx, end := domain.Lasting(r.Context(), interval, errEnded, lasts)
	defer end()
	c.SetRequest(r.WithContext(ctx))
	defer c.SetRequest(r) // for the page of an error
	err := next(c)
	if err != nil && errors.Is(context.Cause(ctx), errEnded) {
		return errEnded
	}
	return err
}

// errEnded ends the context of a request.
var errEnded = domain.Errorf(domain.Unauthorized, "What let you in has ended: the session, the token or the membership.")

// FormKey returns the key of a submitted form.
func FormKey(c echo.Context) domain.FormKey { return domain.FormKey(c.FormValue("form_key")) }

// PageSize is the number of rows a list shows at a time.
const PageSize = 50

// Offset returns the index of the first row a list should show.
func Offset(c echo.Context) int { return Int(c, "offset") }

// maxInt is the largest number in an address, so that sums don't overflow, in a
// store neither.
const maxInt = 1 << 30

// Int returns a query parameter as a number, at most maxInt, or 0 when it is
// missing, malformed or negative.
func Int(c echo.Context, name string) int {
	n, err := strconv.Atoi(c.QueryParam(name))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxInt)
}

// Span returns the code points from the fields start and end of the address or the form, or the
// empty span when they name no range.
func Span(c echo.Context) domain.Span {
	start, err := strconv.Atoi(c.FormValue("start"))
	end, _ := strconv.Atoi(c.FormValue("end"))
	s := domain.Span{Start: start, End: end}
	if err != nil || start < 0 || s.Empty() {
		return domain.Span{}
	}
	return s
}

// Local returns address if it stays on this site, and other if a browser might
// take it to another one.
func Local(address, other string) string {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") ||
		strings.ContainsFunc(address, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		return other
	}
	return address
}

// Given returns the values of the fields of an operation in a form, without those that were left blank.
func Given(form url.Values) func(operation.Field) []string {
	return func(f operation.Field) (given []string) {
		for _, v := range form[f.Name] {
			if v != "" {
				given = append(given, v)
			}
		}
		return given
	}
}
