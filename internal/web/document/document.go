// Package document serves the pages of documents: the list, single documents,
// adding, tagging and deleting.
package document

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/curate"
	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prices"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/schemas"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Handler serves the documents. All fields are required.
type Handler struct {
	Frame   frame.Frame
	Ledger  *ledger.Ledger
	Graph   graphstore.Reader
	Queue   *job.Queue
	Library *documents.Service
	Sample  []sample.File
	Runs    *present.Runs
	Reader  *present.Documents
	Explore *explore.Library
	Curator *curate.Curator
	Schemas *schemas.Service
	Limits  partial.UploadProps // of one form
	Now     func() time.Time
	Log     *slog.Logger
	Closing <-chan struct{}

	feeds feeds
}

// List serves the list of documents, narrowed by the query parameters q, tag
// and tab.
func (h *Handler) List(c echo.Context) error { return h.list(c, http.StatusOK, nil) }

func (h *Handler) list(c echo.Context, status int, results []partial.UploadResult) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, held, err := h.Frame.Counted(c, layout.Documents, "Documents")
	if err != nil {
		return err
	}
	counts := tabCounts(c, held)
	docs, total, err := h.Ledger.Documents(ctx, w, ledger.DocumentQuery{
		Text: counts.Query, Tag: counts.Tag, Status: statuses[counts.Tab], Limit: request.PageSize, Offset: request.Offset(c),
	})
	if err != nil {
		return err
	}
	rows, err := h.rows(ctx, w, docs)
	if err != nil {
		return err
	}
	tags, err := h.tags(ctx, w)
	if err != nil {
		return err
	}
	upload := h.Limits.With(results)
	if upload.Schemas, err = h.choices(ctx, w); err != nil {
		return err
	}
	bills, err := h.held(c, rows)
	if err != nil {
		return err
	}
	return respond.HTML(c, status, page.DocumentsPage(page.DocumentsProps{
		App: app, Held: bills, Counts: counts, Tags: tags, Rows: rows, Upload: upload,
		Pager: page.Pager{Offset: request.Offset(c), Limit: request.PageSize, Total: total},
	}))
}

// statuses maps each tab to the statuses it shows; the tab for all documents
// has none.
var statuses = map[partial.Tab][]domain.DocumentStatus{
	partial.TabWorking: {domain.DocumentWaiting, domain.DocumentWorking},
	partial.TabLook:    {domain.DocumentFailed, domain.DocumentStopped, domain.DocumentEmpty},
	partial.TabReady:   {domain.DocumentReady},
}

// tabCounts returns how many documents each tab shows and the size of the
// library.
func tabCounts(c echo.Context, held frame.Counts) partial.CountsProps {
	p := partial.CountsProps{Query: c.QueryParam("q"), Tag: domain.Tag(c.QueryParam("tag"))}
	if tab := partial.Tab(c.QueryParam("tab")); statuses[tab] != nil {
		p.Tab = tab
	}
	sum := func(tab partial.Tab) (n int) {
		for _, s := range statuses[tab] {
			n += held.Documents.ByStatus[s]
		}
		return n
	}
	p.Working, p.Look, p.Ready = sum(partial.TabWorking), sum(partial.TabLook), sum(partial.TabReady)
	p.Documents = p.Working + p.Look + p.Ready
	p.Passages, p.Entities, p.Relations = held.Graph.Chunks, held.Graph.Entities, held.Graph.Relations
	return p
}

// rows returns the rows of documents, with the state of their runs in the
// queue.
func (h *Handler) rows(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) ([]partial.DocumentRowProps, error) {
	var queued map[domain.RunID]queuedRun
	if slices.ContainsFunc(docs, func(d domain.Document) bool { return !d.Status.Settled() }) {
		var err error
		if queued, err = h.queued(ctx, w); err != nil {
			return nil, err
		}
	}
	spent, err := h.spent(ctx, w, docs)
	if err != nil {
		return nil, err
	}
	rows := make([]partial.DocumentRowProps, len(docs))
	for i, d := range docs {
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
				rows[i].ToCome = (of.Money * prices.Money(rest) / prices.Money(done)).In(of.Currency)
			}
			if r.Status == job.Running {
				rows[i].Left = (h.Now().Sub(r.StartedAt) * time.Duration(rest) / time.Duration(done)).Round(time.Second)
			}
		}
		rows[i].Queue, rows[i].Attempt, rows[i].MaxAttempts = r.position, r.Attempt, r.MaxAttempts
		if bill, held := documents.Held(r.Run); held {
			rows[i].Held = bill.String()
			continue
		}
		if r.Status == job.Waiting && r.Problem != "" {
			rows[i].Problem, rows[i].NextTry = r.Problem, r.NextTry
		}
	}
	return rows, nil
}

// spent returns what the latest reading of each document has cost, by its run.
func (h *Handler) spent(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) (map[domain.RunID]costs.Spent, error) {
	if h.Runs.Costs == nil {
		return nil, nil
	}
	var ids []domain.RunID
	for _, d := range docs {
		if d.ChunksDone > 0 { // else nothing is spent yet
			ids = append(ids, d.Run)
		}
	}
	return h.Runs.Costs.OfRuns(ctx, w, ids...)
}

// queuedRun is a run that has not ended, with its position among the waiting
// ones from 1, or 0 when it does not wait.
type queuedRun struct {
	job.Run
	position int
}

// queued returns the runs that have not ended, by id. The queue runs the oldest
// first.
func (h *Handler) queued(ctx context.Context, w domain.WorkspaceID) (map[domain.RunID]queuedRun, error) {
	runs, err := h.Queue.List(ctx, w, job.Query{Kind: documents.Kind, Status: []job.Status{job.Waiting, job.Running}})
	if err != nil {
		return nil, err
	}
	queued, waiting := make(map[domain.RunID]queuedRun, len(runs)), 0
	for _, r := range slices.Backward(runs) { // List returns the newest first
		position := 0
		if r.Status == job.Waiting && !r.Asleep() {
			waiting++
			position = waiting
		}
		queued[r.ID] = queuedRun{r, position}
	}
	return queued, nil
}

// Again reads a document again and returns to the list. It fails with kind
// NotFound for an unknown document and Conflict while it is being read.
func (h *Handler) Again(c echo.Context) error {
	id := domain.DocumentID(c.Param("id"))
	if _, err := h.Library.ReadAgain(c.Request().Context(), request.Workspace(c), id); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "again"))
}

// AllAgain reads again every document that another extractor than the current
// one has read.
func (h *Handler) AllAgain(c echo.Context) error {
	if _, err := h.Library.ReadOutdatedAgain(c.Request().Context(), request.Workspace(c)); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "outdated"))
}

// FailedAgain reads again every document that failed, in whole or in part.
func (h *Handler) FailedAgain(c echo.Context) error {
	if _, err := h.Library.ReadFailedAgain(c.Request().Context(), request.Workspace(c)); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "failed"))
}

// ReadHeld has all documents read that are held with their bill, and returns to the
// list.
func (h *Handler) ReadHeld(c echo.Context) error {
	if _, err := h.Library.ReadHeld(c.Request().Context(), request.Workspace(c)); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "held"))
}

// AskDelete serves the page that asks whether to delete a document and says how
// many entities go with it.
func (h *Handler) AskDelete(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	doc, err := h.Ledger.Document(ctx, w, domain.DocumentID(c.Param("id")))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Documents, "Delete "+doc.Name)
	if err != nil {
		return err
	}
	entities, err := h.Graph.InDocument(ctx, w, doc.ID)
	if err != nil && domain.KindOf(err) != domain.Unavailable {
		return err
	}
	alone := 0
	for _, e := range entities {
		if e.Documents == 1 {
			alone++
		}
	}
	return respond.HTML(c, http.StatusOK, page.DeletePage(page.DeleteProps{App: app, Document: doc, Entities: alone}))
}

// Delete removes a document and returns to the list. It fails with kind
// NotFound for an unknown document.
func (h *Handler) Delete(c echo.Context) error {
	if err := h.Library.Delete(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id"))); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "deleted"))
}
