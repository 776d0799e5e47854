// Package run serves the runs: their list, their pages, and the stream of what
// happens in one.
package run

import (
	"context"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/run"
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

// Handler serves the runs. All fields are required.
type Handler struct {
	Chrome  chrome.Chrome
	Queue   *job.Queue
	Hub     *trace.Hub
	Kinds   run.Kinds
	Now     func() time.Time
	Closing <-chan struct{} // closed when the server stops: streams end
	Parts   map[string]Part // by kind of run; a kind without one has its own page alone
}

// A Part draws what the page of a run's subject shows of the run.
type Part struct {
	// Draw draws the part as it is now. live reports whether more will come by itself: a run that waits for a person
	// is silent until then.
	Draw     func(ctx context.Context, r job.Run, v *trace.View) (part templ.Component, live bool, err error)
	Figure   func(ctx context.Context, r job.Run, f domain.Figure) (templ.Component, error) // draws a chart; nil where there are none
	MaxLoops int                                                                            // 0 where the graph has no loop to count
}

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
	return trace.Fold(id, h.Kinds.Named(kind).Topology, events), nil
}

func (h *Handler) draw(v *trace.View, kind string) partial.TraceProps {
	return picture.Run(v, h.Kinds.Named(kind).Topology, h.Parts[kind].MaxLoops, h.Now())
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
	p := page.RunsProps{App: app, Kind: kind, Kinds: h.choices(), Pager: page.Pager{Offset: offset, Limit: request.PageSize, Total: total}}
	about, err := h.Kinds.Subjects(ctx, runs...)
	if err != nil {
		return err
	}
	for i, r := range runs {
		item := page.RunItem{
			ID: r.ID, Kind: h.Kinds.Named(r.Kind).Title, Subject: about[i].Title, Status: string(r.Status), Problem: r.Problem, Asks: r.Asleep(),
			Began: first(r.StartedAt, r.CreatedAt), Took: took(r, h.Now()),
		}
		if r.Asleep() { // it is answered there
			item.URL = about[i].Path
		}
		p.Items = append(p.Items, item)
	}
	return respond.HTML(c, http.StatusOK, page.RunsPage(p))
}

// choices returns the kinds by which the list of runs can be narrowed.
func (h *Handler) choices() []page.RunKind {
	choices := []page.RunKind{{Title: "All"}}
	for _, k := range h.Kinds {
		if k.Plural != "" {
			choices = append(choices, page.RunKind{Title: k.Plural, Name: k.Name})
		}
	}
	return choices
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
	kind := h.Kinds.Named(r.Kind)
	about, err := h.Kinds.Subjects(ctx, r)
	if err != nil {
		return err
	}
	app, err := h.Chrome.App(c, layout.Runs, about[0].Title)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.RunPage(page.RunProps{
		App: app, Kind: kind.Title, Subject: about[0].Title, URL: about[0].Path, Opens: kind.Opens,
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
