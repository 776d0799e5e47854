// Package respond sends pages, fragments for htmx, redirects, and errors in the form the client
// understands.
package respond

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
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

// Show sends a component like HTML, or returns the error that reading what it shows failed with.
func Show(c echo.Context, err error, status int, component templ.Component) error {
	if err != nil {
		return err
	}
	return HTML(c, status, component)
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

// A Problem is an error as shown to a client.
type Problem struct {
	Status  int    `json:"status"`
	Message string `json:"error"`
}

// ProblemOf returns the part of an error that a client may see: the message and status of a domain error, and a general
// sentence for all others.
func ProblemOf(err error) Problem {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return Problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("The request is larger than %s, the most that is read at this address.", format.Bytes(large.Limit))}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Problem{http.StatusRequestTimeout, sentences[http.StatusRequestTimeout]}
	}
	if bad, ok := errors.AsType[*badRequest](err); ok {
		return Problem{http.StatusBadRequest, bad.message}
	}
	if message, ok := domain.MessageOf(err); ok {
		if status, ok := statuses[domain.KindOf(err)]; ok {
			return Problem{status, message}
		}
	}
	var he *echo.HTTPError
	if errors.As(err, &he) && sentences[he.Code] != "" {
		return Problem{he.Code, sentences[he.Code]}
	}
	return Problem{http.StatusInternalServerError, sentences[http.StatusInternalServerError]}
}

// badRequest is an error about the request itself.
type badRequest struct{ message string }

func (e *badRequest) Error() string { return e.message }

// BadRequest returns an error about an address or a header that can't be used.
func BadRequest(format string, args ...any) error { return &badRequest{fmt.Sprintf(format, args...)} }

// Refusal returns the part of an error that the client may see, in the language of the page, and sets the header for
// when to come back, if the error has such a time.
func Refusal(c echo.Context, err error) Problem {
	if after := domain.RetryAfter(err); after > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
	problem := ProblemOf(err)
	problem.Message = lang.Sentence(c.Request().Context(), problem.Message)
	return problem
}

// Fail answers a request with an error as JSON.
func Fail(c echo.Context, err error) error {
	problem := Refusal(c, err)
	return c.JSON(problem.Status, problem)
}

// NoPage is the sentence for an unknown address.
const NoPage = "This page does not exist."

// sentences maps the router's own errors to messages.
var sentences = map[int]string{
	http.StatusNotFound:            NoPage,
	http.StatusMethodNotAllowed:    "This page does not accept that kind of request.",
	http.StatusRequestTimeout:      "The request arrived too slowly and was cancelled. Nothing of it was kept; try again.",
	http.StatusBadRequest:          "The request could not be understood.",
	http.StatusInternalServerError: "An internal error occurred. See the log for details.",
}

// WantsJSON reports whether the client prefers JSON.
func WantsJSON(c echo.Context) bool {
	return strings.HasPrefix(c.Request().Header.Get(echo.HeaderAccept), echo.MIMEApplicationJSON)
}
