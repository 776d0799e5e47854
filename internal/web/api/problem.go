package api

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/respond"
)

// A Problem is an error as programs get it (RFC 9457).
type Problem struct {
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail"` // a sentence for people
	Wrong  []Wrong `json:"errors,omitempty"`
}

// Wrong is a value of a request that does not fit.
type Wrong struct {
	Location string `json:"location"` // such as body.limit
	Message  string `json:"message"`
}

// problemType is the media type of a Problem.
const problemType = "application/problem+json"

// NoRoute is the detail of a Problem at an address that the API does not have.
const NoRoute = "There is nothing at this address. The API is described by " + Root + "/openapi.json."

// Fail answers a request with an error.
func Fail(c echo.Context, err error) error {
	told := respond.Refusal(c, err)
	p := Problem{Title: http.StatusText(told.Status), Status: told.Status, Detail: told.Message}
	if unfit, ok := err.(*unfit); ok { //nolint:errorlint // made in this package and wrapped nowhere
		p.Status, p.Title, p.Detail, p.Wrong = http.StatusUnprocessableEntity, http.StatusText(http.StatusUnprocessableEntity), unfit.Error(), unfit.wrong
	}
	return p.send(c)
}

func (p Problem) send(c echo.Context) error {
	if p.Status == http.StatusNotFound && p.Detail == respond.NoPage {
		p.Detail = NoRoute
	}
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.Blob(p.Status, problemType, b)
}

// unfit is the error of a request whose values don't match an operation.
type unfit struct{ wrong []Wrong }

func (u *unfit) Error() string {
	if len(u.wrong) == 1 {
		return u.wrong[0].Location + ": " + u.wrong[0].Message + "."
	}
	return "Several values of the request are invalid; see errors."
}

// Sentence returns the sentence of an error of this package, and whether it is one.
func Sentence(err error) (string, bool) {
	if unfit, ok := errors.AsType[*unfit](err); ok {
		return unfit.Error(), true
	}
	return "", false
}
