// Package document serves the start page and the pages of documents: the list, single documents,
// adding, tagging and deleting.
package document

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/timeline"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Handler serves the documents. All fields are required.
type Handler struct {
	Frame     frame.Frame
	Ledger    *ledger.Ledger
	Graph     graphstore.Reader
	Queue     *job.Queue
	Library   *documents.Service
	Sample    []sample.File
	Runs      *report.Runs
	Reader    *present.Documents
	Explore   explore.Reader
	Curator   *curate.Curator
	Schemas   *schemas.Service
	Suggest   *suggest.Service
	Timelines timeline.Desk
	Limits    partial.UploadProps // for one form
	Trail     *audit.Trail
	Now       domain.Clock
	Log       *slog.Logger
	Closing   <-chan struct{}

	Vectors Vectors
	News    *sqlio.News // about writes by other processes; may be nil

	feeds feeds
}

// Vectors say how far a library is embedded.
type Vectors interface {
	Embedded(ctx context.Context, w domain.WorkspaceID) (maintenance.Embedded, error)
}

// List serves the list of documents, narrowed and sorted by the parameters of the
// address, see domain.ParseDocumentFilter.
func (h *Handler) List(c echo.Context) error { return h.list(c, http.StatusOK, nil) }

func (h *Handler) list(c echo.Context, status int, results []partial.UploadResult) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, held, err := h.Frame.Counted(c, layout.Documents, lang.T(ctx, "Documents"))
	if err != nil {
		return err
	}
	p := page.DocumentsProps{App: app, Upload: h.Limits.With(results), Compact: compact(c)}
	if err := h.undoable(c, &p.App.Toast); err != nil {
		return err
	}
	filter, err := h.Library.Resolved(ctx, w, domain.ParseDocumentFilter(c.QueryParams()))
	if err != nil {
		return err
	}
	query, err := h.Library.Selected(ctx, w, filter)
	if err != nil {
		return err
	}
	if p.Counts, err = h.counts(ctx, w, filter, query.Holding, held); err != nil {
		return err
	}
	docs, err := h.page(c, query, &p)
	if err != nil {
		return err
	}
	if err := h.listFields(ctx, w, filter, query.Holding, &p); err != nil {
		return err
	}
	if p.Rows, err = h.rows(ctx, w, docs, p.Fields); err != nil {
		return err
	}
	if p.Tags, err = h.tags(ctx, w); err != nil {
		return err
	}
	if p.Upload.Schemas, err = h.choices(ctx, w); err != nil {
		return err
	}
	p.Upload.Limits = domain.PersonOf(ctx) != ""
	if p.Held, err = h.held(c, p.Rows); err != nil {
		return err
	}
	if err := h.reading(ctx, w, held, &p.Counts); err != nil {
		return err
	}
	reread(c, p.Counts.Rereadings, &p.App.Toast)
	return respond.HTML(c, status, page.DocumentsPage(p))
}

// page returns the documents of a page, and records its position and neighbours in p.
func (h *Handler) page(c echo.Context, query ledger.DocumentQuery, p *page.DocumentsProps) ([]domain.Document, error) {
	ctx, w := c.Request().Context(), request.Workspace(c)
	query.Limit = request.PageSize + 1 // one more, to find out whether another page follows
	query.After, query.Before = ledger.DocumentPlace(c.QueryParam("after")), ledger.DocumentPlace(c.QueryParam("before"))
	docs, err := h.Ledger.ListDocuments(ctx, w, query)
	if err != nil || len(docs) == 0 {
		return docs, err
	}
	back, more := query.Before != "", len(docs) > request.PageSize
	if more && back {
		docs = docs[1:]
	} else if more {
		docs = docs[:request.PageSize]
	}
	if first := query.Place(docs[0]); back && more || query.After != "" {
		p.Previous = link.DocumentPage(p.Counts.Filter, "", string(first))
		before := query
		before.Before, before.After = first, ""
		if p.First, err = h.Ledger.CountBefore(ctx, w, before); err != nil {
			return docs, err
		}
	}
	if back || more {
		p.Next = link.DocumentPage(p.Counts.Filter, string(query.Place(docs[len(docs)-1])), "")
	}
	return docs, nil
}

// viewCookie stores the view of the list that a person chose last.
const viewCookie = "documents"

// compact reports whether the list shows single lines, and stores the choice in the URL.
func compact(c echo.Context) bool {
	if view := c.QueryParam("view"); view != "" {
		c.SetCookie(&http.Cookie{ //nolint:gosec // Secure where the browser is on https
			Name: viewCookie, Value: map[bool]string{true: page.Compact, false: "rows"}[view == page.Compact], Path: link.Mounted(c.Request().Context(), link.Documents),
			MaxAge: 365 * 24 * 3600, HttpOnly: true, Secure: request.ClientOf(c).HTTPS, SameSite: http.SameSiteLaxMode,
		})
		return view == page.Compact
	}
	kept, err := c.Cookie(viewCookie)
	return err == nil && kept.Value == page.Compact
}

// counts counts the library and the part that a filter selects, including documents that contain its words.
func (h *Handler) counts(ctx context.Context, w domain.WorkspaceID, f domain.DocumentFilter, holding []domain.DocumentID, held frame.Counts) (partial.CountsProps, error) {
	p := inAll(f, held)
	p.All, p.Working, p.Look, p.Ready, p.Matching = 0, 0, 0, 0, 0
	wide := f
	wide.State, wide.Formats = "", nil
	query := ledger.Filtered(wide)
	query.Holding = holding
	groups, err := h.Ledger.GroupDocuments(ctx, w, query)
	if err != nil {
		return p, err
	}
	formats := map[domain.Format]int{}
	for _, g := range groups {
		in := f.State == "" || slices.Contains(f.State.Statuses(), g.Status)
		if in {
			formats[g.Format] += g.Documents
		}
		if len(f.Formats) > 0 && !slices.Contains(f.Formats, g.Format) {
			continue
		}
		if in {
			p.Matching, p.MatchingPassages = p.Matching+g.Documents, p.MatchingPassages+g.Passages
		}
		p.All += g.Documents
		addStatus(&p, g.Status, g.Documents)
	}
	if f.State == domain.StatePaused || f.State == domain.StateGone { // not expressed by any status
		p.Matching, p.MatchingPassages = 0, 0
		narrow := ledger.Filtered(f)
		narrow.Holding = holding
		groups, err := h.Ledger.GroupDocuments(ctx, w, narrow)
		if err != nil {
			return p, err
		}
		for _, g := range groups {
			p.Matching, p.MatchingPassages = p.Matching+g.Documents, p.MatchingPassages+g.Passages
		}
	}
	for _, format := range slices.Sorted(maps.Keys(formats)) {
		p.Formats = append(p.Formats, partial.FormatCount{Format: format, Count: formats[format]})
	}
	return p, nil
}

// inAll counts the library for a list that shows all of it.
func inAll(f domain.DocumentFilter, held frame.Counts) partial.CountsProps {
	p := partial.CountsProps{
		Documents: held.Documents.All(), Passages: held.Graph.Chunks, Entities: held.Graph.Entities, Relations: held.Graph.Relations, Away: held.Away != "",
		Filter: f, All: held.Documents.All(),
	}
	for status, n := range held.Documents.ByStatus {
		addStatus(&p, status, n)
	}
	p.Matching, p.Unread, p.Gone = p.All, held.Documents.Unread(), held.Documents.Gone
	by := held.Documents.ByStatus
	p.Failed, p.Stopped, p.Empty = by[domain.DocumentFailed], by[domain.DocumentStopped], by[domain.DocumentEmpty]
	return p
}

// embeddedTimeout limits how long the list waits for the search index.
const embeddedTimeout = time.Second

// embedding records the embedding progress of the library, if the index reports it.
func (h *Handler) embedding(ctx context.Context, w domain.WorkspaceID, p *partial.CountsProps) {
	ctx, cancel := context.WithTimeout(ctx, embeddedTimeout)
	defer cancel()
	if e, err := h.Vectors.Embedded(ctx, w); err == nil && !e.Whole() {
		p.Embedding = partial.EmbeddingProps{What: strings.ToLower(e.What()), Done: e.Done, Of: e.Of}
	}
}

// reading records the reading and embedding progress of the library.
func (h *Handler) reading(ctx context.Context, w domain.WorkspaceID, held frame.Counts, p *partial.CountsProps) error {
	h.embedding(ctx, w, p)
	if held.Documents.Unread() == 0 {
		return nil
	}
	r, err := h.Library.Progress(ctx, w)
	if err != nil {
		return err
	}
	p.Paused, p.AtCap, p.Reading = r.Paused, r.AtCap, r.String()
	p.Rereadings, err = h.Ledger.Rereadings(ctx, w)
	return err
}

// addStatus counts n documents in the tab that shows their status.
func addStatus(p *partial.CountsProps, status domain.DocumentStatus, n int) {
	switch {
	case slices.Contains(domain.StateReading.Statuses(), status):
		p.Working += n
	case slices.Contains(domain.StateLook.Statuses(), status):
		p.Look += n
	default:
		p.Ready += n
	}
}

// named counts the entities that documents name, as their pages do: other documents, or a person, may have merged two
// names since they were read. While the graph is unavailable it counts none, and rows show the numbers found at reading.
func (h *Handler) named(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) (map[domain.DocumentID]int, error) {
	named, err := h.Graph.CountIn(ctx, w, lists.Map(docs, func(d domain.Document) domain.DocumentID { return d.ID }))
	if domain.KindOf(err) == domain.Unavailable {
		return nil, nil //nolint:nilnil // nothing is known
	}
	return named, err
}

// Lines returns the rows of documents, with the state of their runs in the
// queue.
func (h *Handler) Lines(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) ([]partial.DocumentRowProps, error) {
	queued, err := h.queued(ctx, w, docs)
	if err != nil {
		return nil, err
	}
	spent, err := h.spent(ctx, w, docs)
	if err != nil {
		return nil, err
	}
	named, err := h.named(ctx, w, docs)
	if err != nil {
		return nil, err
	}
	rows := make([]partial.DocumentRowProps, len(docs))
	for i, d := range docs {
		if n, known := named[d.ID]; known && d.Status == domain.DocumentReady {
			d.Entities = n
		}
		rows[i] = partial.DocumentRowProps{Document: d, Attempt: 1, Now: h.Now()}
		of, paid := spent[d.Run]
		if paid {
			rows[i].Cost = of.Short()
		}
		r, ok := queued[d.Run]
		if !ok || d.Status.Settled() {
			continue
		}
		if done, rest := d.ChunksDone, d.Chunks-d.ChunksDone; done > 0 && rest > 0 {
			if paid && of.Known() {
				rows[i].ToCome = (of.Money * costs.Money(rest) / costs.Money(done)).In(of.Currency)
			}
			if r.Status == job.Running {
				rows[i].Left = (h.Now().Sub(r.StartedAt) * time.Duration(rest) / time.Duration(done)).Round(time.Second)
			}
		}
		waits(&rows[i], r)
	}
	return rows, nil
}

// waits records in a row what the run of its document waits for.
func waits(row *partial.DocumentRowProps, r job.Run) {
	row.Attempt, row.MaxAttempts = r.Attempt, r.MaxAttempts
	row.Waits = r.Status
	switch r.Status {
	case job.Held:
		bill, _ := documents.Held(r)
		row.Held = bill.String()
	case job.Waiting, job.Capped:
		if r.Problem != "" {
			row.Problem, row.NextTry = r.Problem, r.NextTry
		}
	}
}

// spent returns the cost of the latest reading of each document, by run.
func (h *Handler) spent(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) (map[domain.RunID]costs.Spent, error) {
	if h.Runs.Costs == nil {
		return nil, nil
	}
	var ids []domain.RunID
	for _, d := range docs {
		if d.ChunksDone > 0 { // if not, nothing has been spent yet
			ids = append(ids, d.Run)
		}
	}
	return h.Runs.Costs.OfRuns(ctx, w, ids...)
}

// queued returns the runs of documents that have not ended, by id.
func (h *Handler) queued(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) (map[domain.RunID]job.Run, error) {
	var ids []domain.RunID
	for _, d := range docs {
		if !d.Status.Settled() {
			ids = append(ids, d.Run)
		}
	}
	var runs []job.Run
	var err error
	if len(ids) > request.PageSize { // the stream's reader checks all of them
		runs, err = h.Queue.List(ctx, w, job.Query{Kind: documents.Kind, Status: job.Unended()})
	} else {
		runs, err = h.Queue.Unsettled(ctx, w, ids)
	}
	return lists.By(runs, func(r job.Run) domain.RunID { return r.ID }), err
}

// maxPosition is the last position in the queue that is told.
const maxPosition = 1000

// Rows returns the rows of a list, with tags and positions in the queue, which a document's page omits.
func (h *Handler) Rows(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) ([]partial.DocumentRowProps, error) {
	fields, err := h.Library.ShownFields(ctx, w)
	if err != nil {
		return nil, err
	}
	return h.rows(ctx, w, docs, fields)
}

// rows is Rows where the fields of the workspace are known.
func (h *Handler) rows(ctx context.Context, w domain.WorkspaceID, docs []domain.Document, fields []domain.Field) ([]partial.DocumentRowProps, error) {
	rows, err := h.Lines(ctx, w, docs)
	if err != nil {
		return nil, err
	}
	tags, err := h.Ledger.TagsOfAll(ctx, w, docs)
	if err != nil {
		return nil, err
	}
	values, err := h.shownValues(ctx, w, docs, fields)
	if err != nil {
		return nil, err
	}
	var line []domain.RunID
	if slices.ContainsFunc(docs, func(d domain.Document) bool { return d.Status == domain.DocumentWaiting }) {
		if line, err = h.Queue.Line(ctx, w, documents.Kind, maxPosition); err != nil {
			return nil, err
		}
	}
	position := make(map[domain.RunID]int, len(line))
	for i, id := range line {
		position[id] = i + 1
	}
	for i, d := range docs {
		rows[i].Tags, rows[i].Values, rows[i].Queue = tags[d.ID], values[d.ID], position[d.Run]
		if d.Status == domain.DocumentWorking && d.Chunks > d.ChunksDone {
			if rows[i].Call, err = h.call(ctx, w, d.Run); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// lookedBack is how many of a run's events are looked at for a call under way. What is
// further back was told more than a minute ago, or by a call that others overtook.
const lookedBack = 60

// call describes the progress of the model call that a run waits for, or returns "" if there is none.
func (h *Handler) call(ctx context.Context, w domain.WorkspaceID, run domain.RunID) (string, error) {
	last, err := h.Runs.Hub.Last(ctx, w, run, lookedBack)
	if err != nil {
		return "", err
	}
	report, _ := trace.Calling(last)
	return report.Why, nil
}

// Again reads a document again, in the encoding that the form chooses if any, and returns to the list. It fails with kind
// NotFound for an unknown document and Conflict while it is being read.
func (h *Handler) Again(c echo.Context) error {
	id := domain.DocumentID(c.Param("id"))
	if encoding := c.FormValue("encoding"); encoding != "" {
		if err := h.Library.SetEncoding(c.Request().Context(), request.Workspace(c), ledger.DocumentQuery{IDs: []domain.DocumentID{id}}, encoding); err != nil {
			return err
		}
	}
	_, err := h.Library.ReadAgain(c.Request().Context(), request.Workspace(c), id)
	return respond.After(c, err, link.With(link.Documents, "done", "again"))
}

// AllAgain reads again every document that another extractor than the current
// one has read.
func (h *Handler) AllAgain(c echo.Context) error {
	id, _, err := h.Library.ReadOutdatedAgain(c.Request().Context(), request.Workspace(c))
	return respond.After(c, err, link.With(link.Documents, "done", "outdated", "rereading", string(id)))
}

// FailedAgain reads again every document that failed, in whole or in part, or was stopped.
func (h *Handler) FailedAgain(c echo.Context) error {
	id, _, err := h.Library.ReadFailedAgain(c.Request().Context(), request.Workspace(c))
	return respond.After(c, err, link.With(link.Documents, "done", "failed", "rereading", string(id)))
}

// ReadHeld has all documents read that are held with their bill, and returns to the
// list.
func (h *Handler) ReadHeld(c echo.Context) error {
	_, err := h.Library.ReadHeld(c.Request().Context(), request.Workspace(c))
	return respond.After(c, err, link.With(link.Documents, "done", "held"))
}
