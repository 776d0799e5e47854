// Package run serves the list of runs, their pages and event streams, the form that forks an answer at
// a step, replays, and side-by-side comparisons of runs.
package run

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	pictures "github.com/clewhq/clew/views/diagram/picture"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Handler serves the runs. All fields are required.
type Handler struct {
	Frame   frame.Frame
	Runs    *report.Runs
	Files   *run.Files
	Access  operation.Access
	Closing <-chan struct{} // closed when the server stops, to end the streams
	Parts   map[string]Part // by kind of run; other kinds are drawn only on their run's page

	Ask      *questions.Service
	Ledger   *ledger.Ledger
	Compares *questions.Comparisons
}

// A Part draws what the page of a run's subject shows of the run. One that is a Charts too draws its charts.
type Part interface {
	// DrawRun returns the part. live reports whether it will change without a person's answer.
	DrawRun(ctx context.Context, r job.Run, v *trace.View) (part templ.Component, live bool, err error)
}

// Charts draw the charts of a run.
type Charts interface {
	DrawFigure(ctx context.Context, r job.Run, f domain.Figure) (templ.Component, error)
}

// asked returns the run that a request names. It fails with kind NotFound for an unknown run.
func (h *Handler) asked(c echo.Context) (report.Log, error) {
	return h.Runs.Read(c.Request().Context(), request.Workspace(c), domain.RunID(c.Param("id")))
}

// Show serves the page of one run. It fails with kind NotFound for an unknown
// run.
func (h *Handler) Show(c echo.Context) error {
	ctx := c.Request().Context()
	l, err := h.asked(c)
	if err != nil {
		return err
	}
	r, drawn := l.Run, h.Runs.Drawn(ctx, l)
	drawn.Waits = report.Waits(r)
	var moment *outline.Moment
	if !drawn.Live() {
		if moment, err = h.moment(c, l); err != nil {
			return err
		}
	}
	if moment != nil && r.Kind != questions.Kind && r.Kind != questions.BranchKind {
		moment.Forks = false
	}
	if moment != nil && c.Request().Header.Get("HX-Request") == "true" {
		return respond.HTML(c, http.StatusOK, partial.Moment(*moment))
	}
	about, err := h.Runs.Kinds.Subjects(ctx, r)
	if err != nil {
		return err
	}
	asks, err := h.asks(ctx, r, l.View)
	if err != nil {
		return err
	}
	tree, turn, err := h.branchesOf(ctx, r)
	if err != nil {
		return err
	}
	var replayed *partial.ReplayProps
	replays := r.Status == job.Done && (r.Kind == questions.Kind || r.Kind == questions.BranchKind)
	if replays {
		if replayed, err = h.replayOf(ctx, r); err != nil {
			return err
		}
	}
	app, err := h.Frame.App(c, layout.Runs, about[0].Title)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.RunPage(page.RunProps{
		App: app, Kind: l.Kind.Title, Subject: about[0].Title, URL: about[0].Path, Opens: l.Kind.Opens,
		Began: first(r.StartedAt, r.CreatedAt), Ended: r.FinishedAt, Attempt: max(1, r.Attempt), Trace: drawn, Moment: moment, Asks: asks, Replay: replayed,
		Ends:     l.Status.Ended() && len(l.Events) > 0,
		Stops:    drawn.Live() && run.Desk{Kinds: h.Runs.Kinds, Access: h.Access}.MayStop(ctx, r) == nil,
		Turn:     turn,
		Branches: tree,
		Replays:  replays,
	}))
}

// asks draws what a run asks a person, or nil if it asks nothing.
func (h *Handler) asks(ctx context.Context, r job.Run, v *trace.View) (templ.Component, error) {
	part, ok := h.Parts[r.Kind]
	if !ok || !v.Asks {
		return nil, nil //nolint:nilnil // nothing is asked
	}
	drawn, live, err := part.DrawRun(ctx, r, v)
	if live {
		drawn = nil
	}
	return drawn, err
}

// moment returns the drawing of an ended run at the moment that the parameter step or row names, or at its last. It is nil
// if the run's events were deleted.
func (h *Handler) moment(c echo.Context, l report.Log) (*outline.Moment, error) {
	n := -1
	if c.QueryParam("step") != "" {
		n = request.Int(c, "step")
	} else if row := request.Int(c, "row"); row > 0 {
		n = l.MomentOf(row)
	}
	return h.Runs.Moment(c.Request().Context(), l, n)
}

// State serves the state at a moment of a run as JSON. It fails with kind NotFound for an unknown run or moment, and
// for a state that was deleted.
func (h *Handler) State(c echo.Context) error {
	l, err := h.asked(c)
	if err != nil {
		return err
	}
	state, err := l.State(c.Request().Context(), request.Int(c, "step"))
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, state)
}

// Changes serves what the step in the parameter row changed in the state. It fails with kind NotFound for an unknown run, and
// for a step that has not ended.
func (h *Handler) Changes(c echo.Context) error {
	l, err := h.asked(c)
	if err != nil {
		return err
	}
	changed, err := l.Changes(c.Request().Context(), request.Int(c, "row"))
	return respond.Show(c, err, http.StatusOK, partial.Changes(changed))
}

// Stopped returns to the page in the form field back after a run was stopped.
func Stopped(c echo.Context, _ operation.Nothing) error {
	if c.Request().Header.Get("HX-Request") == "true" {
		return c.NoContent(http.StatusNoContent)
	}
	return respond.SeeOther(c, request.Local(c.FormValue("back"), link.Run(domain.RunID(c.Param("id")))))
}

func first(times ...time.Time) time.Time {
	return lists.First(times, func(t time.Time) bool { return !t.IsZero() })
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

// Export serves a run as a file, with the texts of its passages if the parameter text is set.
func (h *Handler) Export(c echo.Context) error {
	id := domain.RunID(c.Param("id"))
	var file bytes.Buffer
	if err := h.Files.Export(c.Request().Context(), h.Runs.Kinds, request.Workspace(c), id, c.QueryParam("text") != "", &file); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+string(id)+run.FileExtension+`"`)
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, file.Bytes())
}

// Picture serves the graph of a run as it was lit at a step, as SVG or PNG by the name's end.
func (h *Handler) Picture(c echo.Context) error {
	l, err := h.asked(c)
	if err != nil {
		return err
	}
	m, err := h.moment(c, l)
	if err != nil {
		return err
	}
	drawn := h.Runs.Drawn(c.Request().Context(), l)
	if m != nil {
		drawn = m.Trace
	}
	picture := drawn.Drawing()
	if !frame.Technical(c) {
		picture = drawn.PlainDrawing()
	}
	var file bytes.Buffer
	kind, ends := "image/svg+xml", ".svg"
	if c.Param("format") == "png" {
		kind, ends = "image/png", ".png"
		err = pictures.PNG(&file, picture)
	} else {
		err = pictures.SVG(&file, picture, drawn.Summary())
	}
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+string(l.ID)+ends+`"`)
	return c.Blob(http.StatusOK, kind, file.Bytes())
}
