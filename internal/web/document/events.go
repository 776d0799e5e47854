package document

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/web/sse"
	"github.com/clewhq/clew/views/partial"
)

// pollInterval is how often a stream compares the list with what it has sent.
// Polling also sees the work of other processes.
const pollInterval = 300 * time.Millisecond

// maxNewest is how many of the newest documents a stream watches besides the
// unsettled ones.
const maxNewest = 100

// Events streams the rows of the list that change, and the counts of its tabs.
func (h *Handler) Events(c echo.Context) error {
	out, err := sse.Open(c)
	if err != nil {
		return err
	}
	defer out.Close()
	s := rowStream{h: h, c: c, out: out, sent: map[domain.DocumentID]partial.DocumentRowProps{}}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for first := true; ; first = false {
		if err := s.compare(c.Request().Context(), first); err != nil {
			return nil // the client is gone, or reconnects and gets the whole list
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

// rowStream sends a page the rows that differ from those it has.
type rowStream struct {
	h      *Handler
	c      echo.Context
	out    *sse.Stream
	sent   map[domain.DocumentID]partial.DocumentRowProps
	total  int // documents at the last comparison
	counts partial.CountsProps
}

// maxLoadTime bounds the time between rendering a page and opening its stream.
const maxLoadTime = time.Minute

// compare sends what has changed since the last comparison. The first one sends
// only rows that may have changed since the page was rendered.
func (s *rowStream) compare(ctx context.Context, first bool) error {
	w := request.Workspace(s.c)
	docs, err := s.h.Ledger.UnsettledDocuments(ctx, w, maxNewest)
	if err != nil {
		return err
	}
	held, err := s.h.Frame.Count(ctx, w)
	if err != nil {
		return err
	}
	missing := s.missing(docs, held)
	found, err := s.h.Ledger.DocumentsByID(ctx, w, missing)
	if err != nil {
		return err
	}
	rows, err := s.h.rows(ctx, w, append(docs, found...))
	if err != nil {
		return err
	}
	if err := s.rows(rows, first); err != nil {
		return err
	}
	if err := s.drop(missing, found); err != nil {
		return err
	}
	return s.count(tabCounts(s.c, held))
}

// missing returns the documents whose rows were sent and that are not in docs:
// unsettled ones, which have settled since, and all others when the total has
// changed or docs holds a new one, as any of them may have been deleted.
func (s *rowStream) missing(docs []domain.Document, held frame.Counts) []domain.DocumentID {
	all := s.total != held.Documents.All()
	s.total = held.Documents.All()
	listed := make(map[domain.DocumentID]bool, len(docs))
	for _, d := range docs {
		listed[d.ID] = true
		if _, known := s.sent[d.ID]; !known {
			all = true
		}
	}
	var missing []domain.DocumentID
	for id, row := range s.sent {
		if !listed[id] && (all || !row.Document.Status.Settled()) {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return missing
}

// rows sends the changed rows, oldest first: the page puts new ones on top.
func (s *rowStream) rows(rows []partial.DocumentRowProps, first bool) error {
	for _, row := range slices.Backward(rows) {
		before, known := s.sent[row.Document.ID]
		s.sent[row.Document.ID] = row
		if known && sameRow(before, row) || first && row.Document.UpdatedAt.Before(row.Now.Add(-maxLoadTime)) {
			continue
		}
		if err := s.html("row", partial.DocumentRow(row)); err != nil {
			return err
		}
	}
	return nil
}

// sameRow reports whether two rows are equal but for the time of rendering.
func sameRow(a, b partial.DocumentRowProps) bool {
	a.Now, b.Now = time.Time{}, time.Time{}
	return reflect.DeepEqual(a, b)
}

// drop makes the page remove the rows of missing documents that were not found.
func (s *rowStream) drop(missing []domain.DocumentID, found []domain.Document) error {
	for _, id := range missing {
		if slices.ContainsFunc(found, func(d domain.Document) bool { return d.ID == id }) {
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

// count sends the counts of the tabs if they have changed.
func (s *rowStream) count(counts partial.CountsProps) error {
	if counts == s.counts {
		return nil
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
