package document

import (
	"reflect"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/web/sse"
	"github.com/clewhq/clew/views/partial"
)

// Events streams the rows of the list that change, and the counts of its tabs.
// All streams share one reader of the list.
func (h *Handler) Events(c echo.Context) error {
	w := request.Workspace(c)
	f := h.feeds.join(h, w)
	defer h.feeds.leave(w, f)
	out, err := sse.Open(c)
	if err != nil {
		return err
	}
	defer out.Close()
	s := rowStream{c: c, h: h, out: out, feed: f, filter: domain.ParseDocumentFilter(c.QueryParams())}
	for {
		news, more := s.catchUp()
		if !more || s.began && sse.Look(c) {
			return nil // the client is gone, or reconnects and begins again
		}
		select {
		case <-c.Request().Context().Done():
			return nil
		case <-h.Closing:
			return nil
		case <-news:
		}
	}
}

// rowStream is the position of one page in a feed.
type rowStream struct {
	c      echo.Context
	h      *Handler
	filter domain.DocumentFilter
	out    *sse.Stream
	feed   *feed
	began  bool
	number int // of the last change that was sent
	counts partial.CountsProps
}

// maxLoadTime bounds the time between rendering a page and opening its stream.
const maxLoadTime = time.Minute

// catchUp sends what is new. It returns what announces more, and whether to go
// on.
func (s *rowStream) catchUp() (<-chan struct{}, bool) {
	f := s.feed
	f.mu.Lock()
	news, looked, failed := f.news, f.looked, f.failed
	rows, held, paused, number := f.rows, f.held, f.paused, f.number
	behind := number - s.number
	var changes [][]byte
	if s.began && behind <= len(f.changes) {
		changes = slices.Clone(f.changes[len(f.changes)-behind:])
	}
	f.mu.Unlock()
	switch {
	case failed || s.began && behind > maxBehind:
		return nil, false
	case !looked:
		return news, true
	case !s.began:
		recent, err := s.recent(rows)
		if err != nil {
			return nil, false
		}
		changes = [][]byte{recent}
	}
	s.began, s.number = true, number
	for _, change := range changes {
		if len(change) > 0 && s.out.Write(change) != nil {
			return nil, false
		}
	}
	return news, s.count(held, paused) == nil
}

// recent returns the events of rows that may have changed since the page was
// rendered.
func (s *rowStream) recent(rows []partial.DocumentRowProps) ([]byte, error) {
	var changed []partial.DocumentRowProps
	for _, row := range rows {
		if !row.Document.UpdatedAt.Before(row.Now.Add(-maxLoadTime)) {
			changed = append(changed, row)
		}
	}
	return rowEvents(s.c.Request().Context(), changed)
}

// count sends the counts of the list if they have changed.
func (s *rowStream) count(held frame.Counts, paused int) error {
	ctx, w := s.c.Request().Context(), request.Workspace(s.c)
	counts := inAll(s.filter, held)
	if s.filter.Narrows() {
		var err error
		if counts, err = s.h.counts(ctx, w, s.filter, held); err != nil {
			return err
		}
	}
	counts.Paused = paused
	if reflect.DeepEqual(counts, s.counts) {
		return nil
	}
	s.counts = counts
	b, err := respond.Render(s.c, partial.Counts(counts))
	if err != nil {
		return err
	}
	return s.out.Send("", "counts", b)
}
