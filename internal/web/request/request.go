// Package request reads what handlers need from a request.
package request

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
)

// Workspace is the workspace that a request is confined to.
func Workspace(echo.Context) domain.WorkspaceID { return domain.DefaultWorkspace }

// PageSize is how many rows a list shows.
const PageSize = 50

// Offset is the place in a list that a request asks for.
func Offset(c echo.Context) int { return Int(c, "offset") }

// Int is a query parameter as a number, 0 when it is none or negative.
func Int(c echo.Context, name string) int {
	n, err := strconv.Atoi(c.QueryParam(name))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Span is the range of characters that a request asks for by start and end, the
// empty one when it asks for none.
func Span(c echo.Context) domain.Span {
	start, err := strconv.Atoi(c.QueryParam("start"))
	s := domain.Span{Start: start, End: Int(c, "end")}
	if err != nil || start < 0 || s.Empty() {
		return domain.Span{}
	}
	return s
}

// Local is an address of this site, other for any address that leads, or that
// a browser may take to lead, to another one.
func Local(address, other string) string {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") ||
		strings.ContainsFunc(address, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		return other
	}
	return address
}
