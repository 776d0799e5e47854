package middleware

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/component"
)

// A Pace is how fast the body of a request has to arrive.
type Pace struct {
	Pause time.Duration // the longest allowed between two pieces
	Rate  int           // bytes per second, after the first Pause
}

// Body ends a request whose body does not arrive at the given pace. Large
// uploads over slow lines may take hours; silence may not.
func Body(p Pace) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.Body != nil && r.Body != http.NoBody {
				b := &pacedBody{ReadCloser: r.Body, pace: p, began: time.Now(), connection: http.NewResponseController(c.Response())}
				b.extend()
				r.Body = b
			}
			return next(c)
		}
	}
}

// pacedBody moves the connection's read deadline as the body arrives.
type pacedBody struct {
	io.ReadCloser
	pace       Pace
	began      time.Time
	read       int
	connection *http.ResponseController
}

// Read implements io.Reader.
func (b *pacedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += n
	switch {
	case err == nil:
		b.extend()
	case errors.Is(err, io.EOF): // from here on the server watches the connection
		_ = b.connection.SetReadDeadline(time.Time{}) // fails if the connection is closed
	}
	return n, err
}

// extend sets the deadline of the next piece.
func (b *pacedBody) extend() {
	whole := b.began.Add(b.pace.Pause + time.Duration(b.read)*time.Second/time.Duration(b.pace.Rate))
	next := time.Now().Add(b.pace.Pause)
	if whole.Before(next) {
		next = whole
	}
	_ = b.connection.SetReadDeadline(next) // as above
}

// tooSlow reports whether the body did not arrive in time.
func tooSlow(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// FormKey gives the forms of each page a key, so that one that is sent twice is carried out once.
func FormKey(ids domain.IDs) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			key, err := ids.Form()
			if err != nil {
				return err
			}
			c.SetRequest(c.Request().WithContext(component.WithFormKey(c.Request().Context(), key)))
			return next(c)
		}
	}
}

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
