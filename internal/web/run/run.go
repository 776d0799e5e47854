// Package run serves the runs: their list, their pages, and the stream of what
// happens in one.
package run

import (
	"context"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/maintenance"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summaries"
	"github.com/clewhq/clew/internal/trace"
	"github.com/clewhq/clew/internal/web/chrome"
	"github.com/clewhq/clew/internal/web/picture"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Ledger is what the pages of runs need of the ledger.
type Ledger interface {
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
	Message(ctx context.Context, w domain.WorkspaceID, id domain.MessageID) (ledger.Message, error)
	Summary(ctx context.Context, w domain.WorkspaceID, id domain.SummaryID) (ledger.Summary, error)
}

// Queue is what the pages of runs need of the queue.
type Queue interface {
	Get(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (job.Run, error)
	List(ctx context.Context, w domain.WorkspaceID, q job.Query) ([]job.Run, error)
	Count(ctx context.Context, w domain.WorkspaceID, q job.Query) (int, error)
	Stop(ctx context.Context, w domain.WorkspaceID, id domain.RunID) error
}

// Handler serves the runs. All fields are required but MaxLoops.
type Handler struct {
	Chrome   chrome.Chrome
	Ledger   Ledger
	Queue    Queue
	Hub      *trace.Hub
	Graphs   map[string]stategraph.Topology // by kind of run
	MaxLoops int
	Now      func() time.Time
	Closing  <-chan struct{} // closed when the server stops: streams end
	Parts    map[string]Part // by kind of run; those of answers are built in
}

// Part draws what the page of a run's subject shows of it at the moment, and
// says whether more will come by itself: a run that waits for a person is
// silent until then.
type Part func(ctx context.Context, r job.Run, v *trace.View) (part templ.Component, live bool, err error)

// Picture is a run as its page draws it. One that has ended and of which no
// event is kept, because a document that it read was deleted, is drawn without
// a step.
func (h *Handler) Picture(ctx context.Context, w domain.WorkspaceID, kind string, id domain.RunID) (partial.TraceProps, error) {
	v, err := h.view(ctx, w, kind, id)
	if err != nil {
		return partial.TraceProps{}, err
	}
	return h.Drawn(ctx, w, kind, v)
}

// Drawn is Picture of a run that has been folded already.
func (h *Handler) Drawn(ctx context.Context, w domain.WorkspaceID, kind string, v *trace.View) (partial.TraceProps, error) {
	if v.Last == 0 {
		r, err := h.Queue.Get(ctx, w, v.Run)
		if err != nil && domain.KindOf(err) != domain.NotFound {
			return partial.TraceProps{}, err
		}
		v.State = ended[r.Status]
	}
	return h.draw(v, kind), nil
}

// ended are the states of runs that need no event to be known.
var ended = map[job.Status]trace.State{job.Done: trace.Done, job.Failed: trace.Failed, job.Stopped: trace.Stopped}

// view folds what is stored of a run.
func (h *Handler) view(ctx context.Context, w domain.WorkspaceID, kind string, id domain.RunID) (*trace.View, error) {
	events, err := h.Hub.Events(ctx, w, id, 0)
	if err != nil {
		return nil, err
	}
	return trace.Fold(id, h.Graphs[kind], events), nil
}

func (h *Handler) draw(v *trace.View, kind string) partial.TraceProps {
	loops := 0
	if kind == questions.Kind {
		loops = h.MaxLoops
	}
	return picture.Run(v, h.Graphs[kind], loops, h.Now())
}

// List is the page of all runs.
func (h *Handler) List(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Chrome.App(c, layout.Runs, "Runs")
	if err != nil {
		return err
	}
	kind := c.QueryParam("kind")
	offset := request.Offset(c)
	query := job.Query{Kind: kind, Limit: request.PageSize, Offset: offset}
	runs, err := h.Queue.List(ctx, w, query)
	if err != nil {
		return err
	}
	total, err := h.Queue.Count(ctx, w, query)
	if err != nil {
		return err
	}
	p := page.RunsProps{App: app, Kind: kind, Pager: page.Pager{Offset: offset, Limit: request.PageSize, Total: total}}
	for _, r := range runs {
		p.Items = append(p.Items, page.RunItem{
			ID: r.ID, Kind: r.Kind, Subject: h.Subject(ctx, r), Status: string(r.Status), Problem: r.Problem, Asks: r.Asleep(), URL: h.asked(ctx, r),
			Began: first(r.StartedAt, r.CreatedAt), Took: took(r, h.Now()),
		})
	}
	return respond.HTML(c, http.StatusOK, page.RunsPage(p))
}

// Show is the page of one run.
func (h *Handler) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	r, err := h.Queue.Get(ctx, w, domain.RunID(c.Param("id")))
	if err != nil {
		return err
	}
	drawn, err := h.Picture(ctx, w, r.Kind, r.ID)
	if err != nil {
		return err
	}
	subject := h.Subject(ctx, r)
	app, err := h.Chrome.App(c, layout.Runs, subject)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.RunPage(page.RunProps{
		App: app, Kind: r.Kind, Subject: subject, URL: h.place(ctx, r),
		Began: first(r.StartedAt, r.CreatedAt), Ended: r.FinishedAt, Attempt: max(1, r.Attempt), Trace: drawn,
	}))
}

// Stop ends a run and goes back to the page it was asked from.
func (h *Handler) Stop(c echo.Context) error {
	w, id := request.Workspace(c), domain.RunID(c.Param("id"))
	if err := h.Queue.Stop(c.Request().Context(), w, id); err != nil {
		return err
	}
	if c.Request().Header.Get("HX-Request") == "true" {
		return c.NoContent(http.StatusNoContent)
	}
	return respond.SeeOther(c, request.Local(c.FormValue("back"), link.Run(id)))
}

// Subject is what a run is about, in words.
func (h *Handler) Subject(ctx context.Context, r job.Run) string {
	switch r.Kind {
	case questions.Kind:
		if m, err := h.Ledger.Message(ctx, r.Workspace, domain.MessageID(r.Subject)); err == nil {
			return m.Question
		}
		return "a question that was deleted"
	case documents.Kind:
		if d, err := h.Ledger.Document(ctx, r.Workspace, domain.DocumentID(r.Subject)); err == nil {
			return d.Name
		}
		return "a document that was deleted"
	case summaries.Kind:
		if s, err := h.Ledger.Summary(ctx, r.Workspace, domain.SummaryID(r.Subject)); err == nil {
			return summaries.Title(s)
		}
		return "a summary that was deleted"
	case maintenance.CheckKind, maintenance.RebuildKind:
		return "The whole library"
	}
	return r.Subject
}

// asked is where a run that waits for a person is answered, "" for another.
func (h *Handler) asked(ctx context.Context, r job.Run) string {
	if !r.Asleep() {
		return ""
	}
	return h.place(ctx, r)
}

// place is the page of what a run is about, "" when it is gone.
func (h *Handler) place(ctx context.Context, r job.Run) string {
	switch r.Kind {
	case questions.Kind:
		if m, err := h.Ledger.Message(ctx, r.Workspace, domain.MessageID(r.Subject)); err == nil {
			return link.Turn(m.Conversation, m.ID)
		}
	case documents.Kind:
		if d, err := h.Ledger.Document(ctx, r.Workspace, domain.DocumentID(r.Subject)); err == nil {
			return link.Document(d.ID)
		}
	case summaries.Kind:
		if s, err := h.Ledger.Summary(ctx, r.Workspace, domain.SummaryID(r.Subject)); err == nil {
			return link.Summary(s.ID)
		}
	}
	return ""
}

func first(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

func took(r job.Run, now time.Time) time.Duration {
	switch {
	case r.StartedAt.IsZero():
		return 0
	case r.FinishedAt.IsZero():
		return now.Sub(r.StartedAt)
	}
	return r.FinishedAt.Sub(r.StartedAt)
}
