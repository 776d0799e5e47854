package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/lease"
)

// repeatHeader names a request, so that it can be sent again without being carried out again.
const repeatHeader = "Idempotency-Key"

const (
	maxRepeatKey = 255
	maxRepeated  = 1 << 20 // bytes of an answer that is stored
)

// Repeats answers requests that are sent again with what they were answered at first. It holds for requests that change
// something and have no files: files that the library has are not added again. Where the process that answered one is known to
// be gone, it is carried out.
func Repeats(kept ledger.AccountStore, process lease.Process, wire sqlio.Wire, now domain.Clock) echo.MiddlewareFunc {
	gone := func(ctx context.Context, before ledger.Repeat) (bool, error) {
		if process.Gone(lease.Process(before.Process)) {
			return true, nil
		}
		if before.Session == "" || now().Sub(before.SignedAt) <= lease.SilentFor {
			return false, nil
		}
		over, err := wire.Ended(ctx, []string{before.Session})
		return len(over) > 0, err
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			key := c.Request().Header.Get(repeatHeader)
			if key == "" || c.Request().Method == http.MethodGet || isForm(c) {
				return next(c)
			}
			if len(key) > maxRepeatKey {
				return domain.Errorf(domain.Invalid, "The header %s has at most %d characters.", repeatHeader, maxRepeatKey)
			}
			body, err := io.ReadAll(c.Request().Body)
			if err != nil {
				return unreadable(err)
			}
			c.Request().Body = io.NopCloser(bytes.NewReader(body))
			sum := sha256.New()
			_, _ = io.WriteString(sum, c.Request().Method+" "+c.Request().URL.RequestURI()+"\n") // a hash never fails
			_, _ = sum.Write(body)
			x, _ := auth.AccessOf(c.Request().Context())
			r := ledger.Repeat{Workspace: x.Token.Workspace, Token: x.Token.ID, Key: key, Request: hex.EncodeToString(sum.Sum(nil)), Process: ledger.Process(process), Session: wire.Session()}
			before, err := kept.BeginRepeat(c.Request().Context(), r, gone)
			if err != nil {
				return err
			}
			if before != nil {
				return again(c, r, *before)
			}
			defer sign(context.WithoutCancel(c.Request().Context()), kept, r, wire)()
			return first(c, kept, r, next)
		}
	}
}

// sign says each lease.Sign that a request is being answered, for processes that see a session end, until stop is called.
func sign(ctx context.Context, kept ledger.AccountStore, r ledger.Repeat, wire sqlio.Wire) (stop func()) {
	if r.Session == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var signing sync.WaitGroup
	signing.Go(func() {
		for domain.Sleep(ctx, lease.Sign) == nil {
			r.Session = wire.Session()
			_ = kept.SignRepeat(ctx, r) // the next time, or it was not needed
		}
	})
	return func() {
		cancel()
		signing.Wait()
	}
}

// again answers a request whose key was sent before.
func again(c echo.Context, r, before ledger.Repeat) error {
	switch {
	case before.Request != r.Request:
		return domain.Errorf(domain.Invalid, "Another request was sent with this %s within a day. Use a new one.", repeatHeader)
	case before.Status == 0:
		return domain.Errorf(domain.Conflict, "The request with this %s is being carried out. Try again later.", repeatHeader)
	}
	if before.Location != "" {
		c.Response().Header().Set(echo.HeaderLocation, before.Location)
	}
	c.Response().Header().Set("Idempotent-Replayed", "true")
	if before.Status == http.StatusNoContent {
		return c.NoContent(before.Status)
	}
	return c.Blob(before.Status, before.MediaType, []byte(before.Body))
}

// first carries a request out and keeps its answer, unless the program failed: then it may be sent again.
func first(c echo.Context, kept ledger.AccountStore, r ledger.Repeat, next echo.HandlerFunc) error {
	copied := &copied{ResponseWriter: c.Response().Writer}
	c.Response().Writer = copied
	if err := next(c); err != nil {
		_ = Fail(c, err) // the client may be gone; the answer is stored anyway
	}
	c.Response().Writer = copied.ResponseWriter
	if status := c.Response().Status; status < http.StatusInternalServerError && status != http.StatusTooManyRequests && copied.body.Len() <= maxRepeated {
		h := c.Response().Header()
		r.Status, r.MediaType, r.Location, r.Body = status, h.Get(echo.HeaderContentType), h.Get(echo.HeaderLocation), copied.body.String()
	}
	return kept.EndRepeat(context.WithoutCancel(c.Request().Context()), r)
}

// copied keeps what is written.
type copied struct {
	http.ResponseWriter
	body bytes.Buffer
}

// Write implements io.Writer.
func (w *copied) Write(b []byte) (int, error) {
	if w.body.Len() <= maxRepeated {
		w.body.Write(b)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap returns the writer for http.ResponseController.
func (w *copied) Unwrap() http.ResponseWriter { return w.ResponseWriter }
