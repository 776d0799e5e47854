package respond

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
)

// A Problem is an error as shown to a client.
type Problem struct {
	Status  int    `json:"status"`
	Message string `json:"error"`
}

// ProblemOf returns the part of an error that a client may see: the message and status of a domain error, and a general
// sentence for all others.
func ProblemOf(err error) Problem {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return Problem{http.StatusRequestEntityTooLarge, "The request is too large for this page."}
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
