package document

import (
	"reflect"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/web/sse"
	"github.com/clewhq/clew/views/partial"
)

// Events streams the rows of the list that change, and the counts of its tabs.
// All streams share one reader of the list, unless documents are limited.
func (h *Handler) Events(c echo.Context) error {
	w := request.Workspace(c)
	filter, err := h.Library.Resolved(c.Request().Context(), w, domain.ParseDocumentFilter(c.QueryParams()))
	if err != nil {
		return err
	}
	list, err := h.listFor(c.Request().Context(), w)
	if err != nil {
		return err
	}
	f := h.feeds.join(h, list)
	defer h.feeds.leave(list, f)
	fields, err := h.Library.ShownFields(c.Request().Context(), w)
	if err != nil {
		return err
	}
	out, err := sse.Open(c)
	if err != nil {
		return err
	}
	defer out.Close()
	s := rowStream{c: c, h: h, out: out, feed: f, filter: filter, selection: h.Library.Selection(w, filter), shown: shown(c)}
	s.viewer.role, s.viewer.archived = frame.Session(c).Role, !request.NamedIn(c).ArchivedAt.IsZero()
	for _, field := range fields {
		if field.InList {
			s.columns = append(s.columns, field.ID)
			s.viewer.columns += string(field.ID) + " "
		}
	}
	for {
		news, more := s.catchUp()
		if !more || s.began && sse.Look(c) {
			return nil // the client is gone, or reconnects and starts again
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
	c         echo.Context
	h         *Handler
	filter    domain.DocumentFilter
	selection *documents.Selection // of the filter
	shown     []domain.DocumentID  // documents that the page shows as unread
	columns   []domain.FieldID     // of the page
	viewer    viewer
	out       *sse.Stream
	feed      *feed
	began     bool
	number    int // of the last change sent
	counts    partial.CountsProps
}

// maxLoadTime bounds the time between rendering a page and opening its stream.
const maxLoadTime = time.Minute

// catchUp sends new events. It returns a channel that announces more, and whether to continue.
func (s *rowStream) catchUp() (<-chan struct{}, bool) {
	f := s.feed
	f.mu.Lock()
	news, looked, failed := f.news, f.looked, f.failed
	rows, held, reading, number := f.rows, f.held, f.reading, f.number
	behind := number - s.number
	var changes []*change
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
		if err != nil || len(recent) > 0 && s.out.Write(recent) != nil {
			return nil, false
		}
	}
	s.began, s.number = true, number
	for _, change := range changes {
		events, err := change.as(s.c.Request().Context(), s.viewer, s.columns)
		if err != nil || s.out.Write(events) != nil {
			return nil, false
		}
	}
	return news, s.count(held, reading) == nil
}

// maxShown is the maximum number of documents of a page that a stream looks up when it begins.
const maxShown = 2 * request.PageSize

// shown returns the documents that the page shows as not read yet.
func shown(c echo.Context) []domain.DocumentID {
	ids := lists.Map(c.QueryParams()["shown"], func(id string) domain.DocumentID { return domain.DocumentID(id) })
	return ids[:min(len(ids), maxShown)]
}

// recent returns events for rows that may have changed since the page was rendered, and for shown rows that are gone.
func (s *rowStream) recent(rows []partial.DocumentRowProps) ([]byte, error) {
	ctx, w := s.c.Request().Context(), request.Workspace(s.c)
	var changed []partial.DocumentRowProps
	known := map[domain.DocumentID]bool{}
	for _, row := range rows {
		known[row.Document.ID] = true
		if slices.Contains(s.shown, row.Document.ID) || !row.Document.UpdatedAt.Before(row.Now.Add(-maxLoadTime)) {
			changed = append(changed, row)
		}
	}
	others := slices.DeleteFunc(slices.Clone(s.shown), func(id domain.DocumentID) bool { return known[id] })
	found, err := s.h.Ledger.DocumentsByID(ctx, w, others)
	if err != nil {
		return nil, err
	}
	settled, err := s.h.Rows(ctx, w, found)
	if err != nil {
		return nil, err
	}
	events, err := rowEvents(ctx, append(narrowed(changed, s.columns), settled...))
	if err != nil {
		return nil, err
	}
	gone, err := goneEvents(others, settled)
	return append(events, gone...), err
}

// count sends the counts of the list if they have changed.
func (s *rowStream) count(held frame.Counts, reading partial.CountsProps) error {
	ctx, w := s.c.Request().Context(), request.Workspace(s.c)
	counts := inAll(s.filter, held)
	if s.filter.Narrows() {
		query, err := s.selection.Query(ctx)
		if err != nil {
			return err
		}
		if counts, err = s.h.counts(ctx, w, s.filter, query.Holding, held); err != nil {
			return err
		}
	}
	counts.Paused, counts.AtCap, counts.Reading, counts.Rereadings, counts.Embedding = reading.Paused, reading.AtCap, reading.Reading, reading.Rereadings, reading.Embedding
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
