package document

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/sse"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// pollInterval is how often a feed looks at the list at most, and where processes
// don't tell of what they write, at least. Where they do, it also looks each
// missedInterval, for what it was not told.
const (
	pollInterval   = 300 * time.Millisecond
	missedInterval = 3 * time.Second
)

// share limits a feed to a part of the time: after a look it pauses for as many
// times as long.
const share = 10

// maxNewest is how many of the newest documents a feed reads besides the
// unsettled ones.
const maxNewest = 100

// maxBehind is how many changes of the list a stream may lag behind before it has to restart.
const maxBehind = 64

// A feed reads the list of one workspace for all streams that show it. It reads
// while there are any.
type feed struct {
	cancel  context.CancelFunc
	streams int // guarded by feeds.mu

	mu      sync.Mutex
	news    chan struct{} // closed at the next change
	looked  bool
	failed  bool                       // the feed has ended
	rows    []partial.DocumentRowProps // as of the last look, newest first
	held    frame.Counts
	reading partial.CountsProps // only the progress of the library's reading
	number  int                 // of the last change
	changes []*change           // the last ones
}

// A viewer is a group of people who see the same rows: they show the same columns, and offer what the same role may do.
type viewer struct {
	columns  string // the fields
	role     domain.Role
	archived bool // the workspace is archived
}

// A change of a list is rendered once for each viewer.
type change struct {
	rows []partial.DocumentRowProps // with the values of all fields
	gone []byte                     // events of documents that left the list

	mu     sync.Mutex
	events map[viewer][]byte
}

// as returns the events of the change for a viewer, in whose pages rows show the fields of columns.
func (c *change) as(ctx context.Context, v viewer, columns []domain.FieldID) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if events, done := c.events[v]; done {
		return events, nil
	}
	events, err := rowEvents(ctx, narrowed(c.rows, columns))
	if err != nil {
		return nil, err
	}
	events = append(events, c.gone...)
	if c.events == nil {
		c.events = map[viewer][]byte{}
	}
	c.events[v] = events
	return events, nil
}

// narrowed returns rows with the values of some fields.
func narrowed(rows []partial.DocumentRowProps, columns []domain.FieldID) []partial.DocumentRowProps {
	rows = slices.Clone(rows)
	for i, row := range rows {
		rows[i].Values = slices.DeleteFunc(slices.Clone(row.Values), func(v domain.FieldTerm) bool { return !slices.Contains(columns, v.Field) })
	}
	return rows
}

// A listOf is the list of a workspace as a reader sees it, or whole for "".
type listOf struct {
	workspace domain.WorkspaceID
	name      string // of the workspace, in the addresses of rows
	reader    string
	language  *lang.Language // of the page
}

// listFor returns the list that the reader of ctx sees. While no document is limited, it is the same for all who sign in: a document
// that is limited later leaves it.
func (h *Handler) listFor(ctx context.Context, w domain.WorkspaceID) (listOf, error) {
	reader := domain.ReaderOf(ctx)
	if reader == "" {
		return listOf{w, link.Workspace(ctx), "", lang.Of(ctx)}, nil
	}
	limited, err := h.Ledger.AnyLimited(ctx, w)
	if err == nil && !limited {
		reader = domain.Anyone
	}
	return listOf{w, link.Workspace(ctx), reader, lang.Of(ctx)}, err
}

// feeds holds the feeds by list. The zero value is ready.
type feeds struct {
	mu sync.Mutex
	of map[listOf]*feed
}

// join returns the feed of a list, and starts it for its first stream.
// leave must follow.
func (s *feeds) join(h *Handler, w listOf) *feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.of[w]
	if f == nil {
		ctx, cancel := context.WithCancel(lang.With(link.WithBase(domain.WithReader(domain.WithWorkspace(context.Background(), w.workspace), w.reader), w.name), w.language))
		f = &feed{cancel: cancel, news: make(chan struct{})}
		if s.of == nil {
			s.of = map[listOf]*feed{}
		}
		s.of[w] = f
		go func() {
			h.read(ctx, w, f)
			s.remove(w, f)
			f.change(func() { f.failed = true })
		}()
	}
	f.streams++
	return f
}

func (s *feeds) leave(w listOf, f *feed) {
	s.mu.Lock()
	f.streams--
	unused := f.streams == 0
	s.mu.Unlock()
	if unused {
		s.remove(w, f)
		f.cancel()
	}
}

func (s *feeds) remove(w listOf, f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[w] == f {
		delete(s.of, w)
	}
}

// read looks at the list until ctx ends, the server stops or a look fails.
func (h *Handler) read(ctx context.Context, of listOf, f *feed) {
	for {
		began, news := time.Now(), h.News.Next()
		if err := h.look(ctx, of.workspace, f); err != nil {
			return
		}
		if !h.rest(ctx, max(pollInterval, share*time.Since(began)), nil) || h.News.Told() && !h.rest(ctx, missedInterval, news) {
			return
		}
	}
}

// rest waits for a time or for news, and reports whether to go on.
func (h *Handler) rest(ctx context.Context, most time.Duration, news <-chan struct{}) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-h.Closing:
		return false
	case <-timer.C:
	case <-news:
	}
	return true
}

// look reads the list and notifies the streams of changes since the last look.
func (h *Handler) look(ctx context.Context, w domain.WorkspaceID, f *feed) error {
	docs, err := h.Ledger.UnsettledDocuments(ctx, w, maxNewest)
	if err != nil {
		return err
	}
	held, err := h.Frame.Count(ctx, w)
	if err != nil {
		return err
	}
	var reading partial.CountsProps
	if err := h.reading(ctx, w, held, &reading); err != nil {
		return err
	}
	missing := without(f.rows, docs) // only this goroutine writes rows
	found, err := h.Ledger.DocumentsByID(ctx, w, slices.Concat(missing, takenOver(f.rows, missing, docs)))
	if err != nil {
		return err
	}
	fields, err := h.Library.Fields(ctx, w)
	if err != nil {
		return err
	}
	for i := range fields {
		fields[i].InList = true
	}
	rows, err := h.rows(ctx, w, append(docs, found...), fields)
	if err != nil {
		return err
	}
	var news *change
	if f.looked {
		if news, err = differences(f.rows, rows, missing); err != nil {
			return err
		}
	}
	if f.looked && news == nil && reflect.DeepEqual(reading, f.reading) && reflect.DeepEqual(held, f.held) {
		return nil
	}
	f.change(func() {
		f.looked, f.rows, f.held, f.reading = true, rows[:len(docs)], held, reading
		if news != nil {
			f.number++
			f.changes = append(f.changes[max(0, len(f.changes)-maxBehind+1):], news)
		}
	})
	return nil
}

// change applies a change and wakes the streams.
func (f *feed) change(apply func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	apply()
	close(f.news)
	f.news = make(chan struct{})
}

// without returns the documents of rows that are not in docs: they have settled, were deleted, or are superseded.
func without(rows []partial.DocumentRowProps, docs []domain.Document) []domain.DocumentID {
	listed := lists.SetOf(docs, func(d domain.Document) domain.DocumentID { return d.ID })
	var missing []domain.DocumentID
	for _, row := range rows {
		if !listed[row.Document.ID] {
			missing = append(missing, row.Document.ID)
		}
	}
	return missing
}

// takenOver returns the documents whose next version is missing, and that docs does not hold.
func takenOver(rows []partial.DocumentRowProps, missing []domain.DocumentID, docs []domain.Document) []domain.DocumentID {
	var ids []domain.DocumentID
	for _, row := range rows {
		of := row.Document.VersionOf
		if of != "" && slices.Contains(missing, row.Document.ID) && !slices.ContainsFunc(docs, func(d domain.Document) bool { return d.ID == of }) {
			ids = append(ids, of)
		}
	}
	return ids
}

// differences returns the rows that differ from those before, and the missing documents that were deleted, or nil if there is
// none.
func differences(before, rows []partial.DocumentRowProps, missing []domain.DocumentID) (*change, error) {
	old := lists.By(before, func(row partial.DocumentRowProps) domain.DocumentID { return row.Document.ID })
	var changed []partial.DocumentRowProps
	for _, row := range rows {
		if was, known := old[row.Document.ID]; !known || !sameRow(was, row) {
			changed = append(changed, row)
		}
	}
	gone, err := goneEvents(missing, rows)
	if err != nil || len(changed) == 0 && len(gone) == 0 {
		return nil, err
	}
	return &change{rows: changed, gone: gone}, nil
}

// goneEvents returns the events that take away the documents that have no row.
func goneEvents(ids []domain.DocumentID, rows []partial.DocumentRowProps) (events []byte, err error) {
	for _, id := range ids {
		if slices.ContainsFunc(rows, func(row partial.DocumentRowProps) bool { return row.Document.ID == id }) {
			continue
		}
		data, err := json.Marshal("doc-" + string(id))
		if err != nil {
			return nil, err
		}
		events = sse.Append(events, "", "gone", data)
	}
	return events, nil
}

// rowEvents returns the events that show rows, the last first: the oldest, as the page puts new ones on top.
func rowEvents(ctx context.Context, rows []partial.DocumentRowProps) ([]byte, error) {
	var events []byte
	var b bytes.Buffer
	for _, row := range slices.Backward(rows) {
		b.Reset()
		if err := partial.DocumentRow(row).Render(ctx, &b); err != nil {
			return nil, err
		}
		events = sse.Append(events, "", "row", b.Bytes())
	}
	return events, nil
}

// sameRow reports whether two rows are equal but for the time of rendering.
func sameRow(a, b partial.DocumentRowProps) bool {
	a.Now, b.Now = time.Time{}, time.Time{}
	return reflect.DeepEqual(a, b)
}
