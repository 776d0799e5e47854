package document

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/web/sse"
	"github.com/clewhq/clew/views/partial"
)

// look is how often the list is compared with what was sent. It sees the work
// of other processes too.
const look = 300 * time.Millisecond

// newest is how many documents are watched beside those that are at work.
const newest = 100

// Events streams the rows of the list that change.
func (h *Handler) Events(c echo.Context) error {
	out, err := sse.Open(c)
	if err != nil {
		return err
	}
	defer out.Close()
	s := rowStream{h: h, c: c, out: out, sent: map[domain.DocumentID]partial.DocumentRowProps{}}
	tick := time.NewTicker(look)
	defer tick.Stop()
	for first := true; ; first = false {
		if err := s.compare(c.Request().Context(), first); err != nil {
			return nil // the reader has gone, or comes back to a fresh list
		}
		select {
		case <-c.Request().Context().Done():
			return nil
		case <-h.Closing:
			return nil
		case <-tick.C:
		}
	}
}

// rowStream remembers what a page has been sent.
type rowStream struct {
	h      *Handler
	c      echo.Context
	out    *sse.Stream
	sent   map[domain.DocumentID]partial.DocumentRowProps
	counts partial.CountsProps
}

// fresh is how long ago a row may have changed for the page, drawn before the
// stream began, not to show it yet.
const fresh = time.Minute

// compare sends the rows that differ from what was sent. The first time it
// sends those alone that may have changed since the page was drawn.
func (s *rowStream) compare(ctx context.Context, first bool) error {
	w := request.Workspace(s.c)
	docs, err := s.watched(ctx, w)
	if err != nil {
		return err
	}
	rows, err := s.h.rows(ctx, w, docs)
	if err != nil {
		return err
	}
	here := make(map[domain.DocumentID]bool, len(rows))
	for _, row := range slices.Backward(rows) { // oldest first: the page puts new rows on top
		here[row.Document.ID] = true
		before, known := s.sent[row.Document.ID]
		s.sent[row.Document.ID] = row
		if known && same(before, row) || first && row.Document.UpdatedAt.Before(row.Now.Add(-fresh)) {
			continue
		}
		if err := s.html("row", partial.DocumentRow(row)); err != nil {
			return err
		}
	}
	if err := s.gone(here); err != nil {
		return err
	}
	return s.count(ctx, w)
}

// watched lists the newest documents and all that are at work.
func (s *rowStream) watched(ctx context.Context, w domain.WorkspaceID) ([]domain.Document, error) {
	docs, total, err := s.h.Ledger.Documents(ctx, w, ledger.DocumentQuery{Limit: newest})
	if err != nil || total <= newest {
		return docs, err
	}
	working, _, err := s.h.Ledger.Documents(ctx, w, ledger.DocumentQuery{Status: statuses[partial.TabWorking]})
	if err != nil {
		return nil, err
	}
	known := make(map[domain.DocumentID]bool, len(docs))
	for _, d := range docs {
		known[d.ID] = true
	}
	for _, d := range working {
		if !known[d.ID] {
			docs = append(docs, d)
		}
	}
	return docs, nil
}

// same compares what a row shows; the time at which it is drawn matters only
// while it shows how long something takes.
func same(a, b partial.DocumentRowProps) bool {
	a.Now, b.Now = time.Time{}, time.Time{}
	return reflect.DeepEqual(a, b)
}

// gone tells the page to drop the rows of deleted documents. A settled row
// that has only left the watched part stays.
func (s *rowStream) gone(here map[domain.DocumentID]bool) error {
	for _, id := range slices.Sorted(maps.Keys(s.sent)) {
		if here[id] {
			continue
		}
		_, err := s.h.Ledger.Document(s.c.Request().Context(), request.Workspace(s.c), id)
		if domain.KindOf(err) != domain.NotFound {
			continue
		}
		delete(s.sent, id)
		data, err := json.Marshal("doc-" + string(id))
		if err != nil {
			return err
		}
		if err := s.out.Send("", "gone", data); err != nil {
			return err
		}
	}
	return nil
}

func (s *rowStream) count(ctx context.Context, w domain.WorkspaceID) error {
	counts, err := s.h.counts(s.c)
	if err != nil || counts == s.counts {
		return err
	}
	s.counts = counts
	return s.html("counts", partial.Counts(counts))
}

func (s *rowStream) html(event string, component templ.Component) error {
	b, err := respond.Render(s.c, component)
	if err != nil {
		return err
	}
	return s.out.Send("", event, b)
}
