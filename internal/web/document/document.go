// Package document serves the documents: their list, their pages, adding and
// deleting them.
package document

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/web/chrome"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/web/run"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Ledger is what the pages of documents need of the ledger.
type Ledger interface {
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
	Documents(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) ([]domain.Document, int, error)
	CountDocuments(ctx context.Context, w domain.WorkspaceID) (map[domain.DocumentStatus]int, error)
	Text(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Text, error)
	Summaries(ctx context.Context, w domain.WorkspaceID, q ledger.SummaryQuery) ([]ledger.Summary, int, error)
	Tags(ctx context.Context, w domain.WorkspaceID) ([]ledger.TagCount, error)
	TagsOf(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]string, error)
	SetTags(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, tags []string) error
}

// Graph is what they need of the graph.
type Graph interface {
	Stats(ctx context.Context, w domain.WorkspaceID) (graphstore.Stats, error)
	InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]graphstore.Entity, error)
}

// Queue is what they need of the queue.
type Queue interface {
	Get(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (job.Run, error)
	List(ctx context.Context, w domain.WorkspaceID, q job.Query) ([]job.Run, error)
}

// Handler serves the documents. All fields are required.
type Handler struct {
	Chrome   chrome.Chrome
	Ledger   Ledger
	Graph    Graph
	Queue    Queue
	Library  *documents.Service
	Sample   []sample.File
	Runs     *run.Handler
	MaxBytes int64 // of one file
	MaxFiles int   // in one go
	Now      func() time.Time
	Log      *slog.Logger
	Closing  <-chan struct{}
}

// List is the page of all documents.
func (h *Handler) List(c echo.Context) error { return h.list(c, http.StatusOK, nil) }

func (h *Handler) list(c echo.Context, status int, results []partial.UploadResult) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Chrome.App(c, layout.Documents, "Documents")
	if err != nil {
		return err
	}
	counts, err := h.counts(c)
	if err != nil {
		return err
	}
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
	return respond.HTML(c, status, page.DocumentsPage(page.DocumentsProps{
		App: app, Counts: counts, Tags: tags, Rows: rows, Upload: h.Upload(results),
		Pager: page.Pager{Offset: request.Offset(c), Limit: request.PageSize, Total: total},
	}))
}

// Upload says what may be added, and what became of what was.
func (h *Handler) Upload(results []partial.UploadResult) partial.UploadProps {
	return partial.UploadProps{MaxBytes: h.MaxBytes, MaxFiles: h.MaxFiles, Results: results}
}

// statuses are the documents that each tab shows; none means all.
var statuses = map[partial.Tab][]domain.DocumentStatus{
	partial.TabWorking: {domain.DocumentWaiting, domain.DocumentWorking},
	partial.TabLook:    {domain.DocumentFailed, domain.DocumentStopped, domain.DocumentEmpty},
	partial.TabReady:   {domain.DocumentReady},
}

// counts says how many documents each tab shows and what the library holds.
func (h *Handler) counts(c echo.Context) (partial.CountsProps, error) {
	ctx, w := c.Request().Context(), request.Workspace(c)
	p := partial.CountsProps{Query: c.QueryParam("q"), Tag: domain.Tag(c.QueryParam("tag"))}
	if tab := partial.Tab(c.QueryParam("tab")); statuses[tab] != nil {
		p.Tab = tab
	}
	byStatus, err := h.Ledger.CountDocuments(ctx, w)
	if err != nil {
		return p, err
	}
	sum := func(tab partial.Tab) (n int) {
		for _, s := range statuses[tab] {
			n += byStatus[s]
		}
		return n
	}
	p.Working, p.Look, p.Ready = sum(partial.TabWorking), sum(partial.TabLook), sum(partial.TabReady)
	p.Documents = p.Working + p.Look + p.Ready
	stats, _, err := chrome.Count(ctx, h.Graph, w) // the page's notice tells what is away
	p.Passages, p.Entities, p.Relations = stats.Chunks, stats.Entities, stats.Relations
	return p, err
}

// rows fills the rows of the list with what the queue knows of their runs.
func (h *Handler) rows(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) ([]partial.DocumentRowProps, error) {
	rows := make([]partial.DocumentRowProps, len(docs))
	var place map[domain.RunID]int
	for i, d := range docs {
		rows[i] = partial.DocumentRowProps{Document: d, Attempt: 1, Now: h.Now()}
		if d.Status.Settled() || d.Run == "" {
			continue
		}
		if place == nil {
			var err error
			if place, err = h.queue(ctx, w); err != nil {
				return nil, err
			}
		}
		r, err := h.Queue.Get(ctx, w, d.Run)
		if domain.KindOf(err) == domain.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows[i].Queue, rows[i].Attempt, rows[i].MaxAttempts = place[d.Run], r.Attempt, r.MaxAttempts
		if r.Status == job.Waiting && r.Problem != "" {
			rows[i].Problem, rows[i].NextTry = r.Problem, r.NextTry
		}
	}
	return rows, nil
}

// queue is the place of each run that waits, from 1: first come, first served.
func (h *Handler) queue(ctx context.Context, w domain.WorkspaceID) (map[domain.RunID]int, error) {
	waiting, err := h.Queue.List(ctx, w, job.Query{Kind: documents.Kind, Status: []job.Status{job.Waiting}})
	if err != nil {
		return nil, err
	}
	place := make(map[domain.RunID]int, len(waiting))
	for i, r := range waiting {
		place[r.ID] = len(waiting) - i
	}
	return place, nil
}

// Again reads a document once more.
func (h *Handler) Again(c echo.Context) error {
	id := domain.DocumentID(c.Param("id"))
	if _, err := h.Library.ReadAgain(c.Request().Context(), request.Workspace(c), id); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "again"))
}

// AllAgain reads once more whatever another extractor than the one in use has
// read.
func (h *Handler) AllAgain(c echo.Context) error {
	if _, err := h.Library.ReadOutdatedAgain(c.Request().Context(), request.Workspace(c)); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "outdated"))
}

// FailedAgain reads once more whatever failed, in whole or in part.
func (h *Handler) FailedAgain(c echo.Context) error {
	if _, err := h.Library.ReadFailedAgain(c.Request().Context(), request.Workspace(c)); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "failed"))
}

// AskDelete asks whether to delete a document.
func (h *Handler) AskDelete(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	doc, err := h.Ledger.Document(ctx, w, domain.DocumentID(c.Param("id")))
	if err != nil {
		return err
	}
	app, err := h.Chrome.App(c, layout.Documents, "Delete "+doc.Name)
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

// Delete removes a document.
func (h *Handler) Delete(c echo.Context) error {
	if err := h.Library.Delete(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id"))); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "deleted"))
}
