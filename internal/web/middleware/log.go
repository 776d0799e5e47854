package middleware

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// Recover turns a handler's panic into an error that holds the stack. It passes
// on http.ErrAbortHandler, which makes the server drop the connection.
func Recover(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			switch r := recover(); r {
			case nil:
			case http.ErrAbortHandler:
				panic(r)
			default:
				err = fmt.Errorf("panic in %s %s: %v\n%s", c.Request().Method, c.Path(), r, debug.Stack())
			}
		}()
		return next(c)
	}
}

// Log writes one line for each request, with an id that the response carries
// too. It handles errors itself, so that the line holds the status that was
// sent.
func Log(log *slog.Logger, now func() time.Time) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			began, id := now(), requestID()
			c.Response().Header().Set(echo.HeaderXRequestID, id)
			err := next(c)
			if err != nil {
				c.Error(err)
			}
			status, level := c.Response().Status, slog.LevelDebug
			if status >= http.StatusInternalServerError && c.Request().Context().Err() == nil { // the client is there
				level = slog.LevelError
			}
			attrs := []slog.Attr{
				slog.String("id", id), slog.String("method", c.Request().Method), slog.String("route", c.Path()),
				slog.Int("status", status), slog.Duration("took", now().Sub(began)),
			}
			if err != nil {
				// A path can name documents, so it is logged only for failures, unless it grants access.
				if !slices.Contains(c.ParamNames(), "secret") {
					attrs = append(attrs, slog.String("path", c.Request().URL.Path))
				}
				attrs = append(attrs, slog.Any("err", err))
			}
			log.LogAttrs(c.Request().Context(), level, "request", attrs...)
			return nil
		}
	}
}

// A Watch observes each request, and then its status and whether its answer was a stream.
type Watch interface {
	Request(ctx context.Context, method, route string) (context.Context, func(status int, stream bool))
}

// Watched has a watch observe each request to a route. Without a watch it does nothing.
func Watched(w Watch) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		if w == nil {
			return next
		}
		return func(c echo.Context) error {
			ctx, over := w.Request(c.Request().Context(), c.Request().Method, cmp.Or(c.Path(), "none"))
			c.SetRequest(c.Request().WithContext(ctx))
			err := next(c)
			if err != nil {
				c.Error(err)
			}
			over(c.Response().Status, strings.HasPrefix(c.Response().Header().Get(echo.HeaderContentType), "text/event-stream"))
			return err
		}
	}
}

func requestID() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}
