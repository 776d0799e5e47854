package conversation

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions/researches"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Researches serves the pages of research. All fields are required.
type Researches struct {
	Frame frame.Frame
	Desk  researches.Desk
	Runs  *report.Runs
}

// List serves the form for research, and the list of what was researched, newest first.
func (h *Researches) List(c echo.Context) error {
	n, err := strconv.Atoi(c.QueryParam("questions"))
	if err != nil {
		n = 6
	}
	p := page.ResearchesProps{Rounds: 2, Questions: n, Question: c.QueryParam("q"), Within: c.QueryParam("within")}
	if theme := c.QueryParam("theme"); theme != "" {
		var plan []string
		if p.Question, plan, err = h.Desk.OfTheme(c.Request().Context(), request.Workspace(c), theme); err != nil {
			return err
		}
		p.Plan = strings.Join(plan, "\n")
	}
	return h.list(c, http.StatusOK, p)
}

func (h *Researches) list(c echo.Context, status int, p page.ResearchesProps) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	var err error
	if p.App, err = h.Frame.App(c, layout.Ask, lang.T(ctx, "Research")); err != nil {
		return err
	}
	p.App.Works = true
	offset := request.Offset(c)
	found, err := h.Desk.List(ctx, w, request.PageSize, offset)
	if err != nil {
		return err
	}
	p.Pager = page.Pager{Offset: offset, Limit: request.PageSize, Total: found.Total}
	for _, r := range found.Items {
		p.Items = append(p.Items, page.ResearchItem{ID: r.ID, Question: r.Question, Status: string(r.Status), Questions: r.Questions, CreatedAt: r.Created})
	}
	estimate, err := h.Desk.Estimate(ctx, w, min(max(p.Questions, 1), research.MaxQuestions))
	p.Estimate = estimate.Says()
	return respond.Show(c, err, status, page.ResearchesPage(p))
}

// Start orders research and goes to its page. A wrong order shows the form again with the reason.
func (h *Researches) Start(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	p := page.ResearchesProps{Question: c.FormValue("question"), Plan: c.FormValue("ask"), Within: c.FormValue("within"), Budget: c.FormValue("budget"), Review: c.FormValue("plan") != ""}
	number := func(name string) (n int) {
		if text := strings.TrimSpace(c.FormValue(name)); text != "" {
			var err error
			if n, err = strconv.Atoi(text); err != nil {
				n = -1
			}
		}
		return n
	}
	p.Rounds, p.Questions = number("rounds"), number("questions")
	o := researches.Order{Workspace: w, Question: p.Question, Plan: lines(p.Plan), Rounds: p.Rounds, Questions: p.Questions, Budget: number("budget"), Review: p.Review, Form: request.FormKey(c)}
	var r ledger.Research
	var err error
	if o.Scope, err = h.Desk.Questions.Scope(ctx, w, lines(p.Within)); err == nil {
		r, err = h.Desk.Start(ctx, o)
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.TooLarge, domain.NotFound, domain.TooMany:
		problem := respond.Refusal(c, err)
		p.Problem = problem.Message
		return h.list(c, problem.Status, p)
	}
	return respond.After(c, err, link.Research(r.ID))
}

// lines returns the lines of a text that are not empty.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// Show serves the page of one research.
func (h *Researches) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	r, err := h.Desk.Get(ctx, w, domain.ResearchID(c.Param("id")))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Ask, r.Answer.Question)
	if err != nil {
		return err
	}
	view, err := h.Runs.View(ctx, w, researches.Kind, r.Run)
	if err != nil {
		return err
	}
	p := page.ResearchProps{App: app, Within: r.Answer.Scope.Terms(), Rounds: r.Rounds, Questions: r.Questions, Budget: r.Budget, CreatedAt: r.CreatedAt}
	if p.Research, err = h.props(ctx, r, view); err != nil {
		return err
	}
	p.Trace, err = h.Runs.TraceOf(ctx, w, researches.Kind, view)
	return respond.Show(c, err, http.StatusOK, page.ResearchPage(p))
}

func (h *Researches) props(ctx context.Context, r ledger.Research, v *trace.View) (partial.ResearchProps, error) {
	a := r.Answer
	p := partial.ResearchProps{
		ID: r.ID, Question: a.Question, Problem: a.Problem, Notes: r.Notes, Planned: r.Plan, Edited: r.Edits != nil,
		SummaryProps: partial.SummaryProps{Run: r.Run, Status: ledger.SummaryStatus(a.Status), Sentences: a.Sentences, Citations: a.Citations, Took: v.Took(h.Runs.Now()), Tokens: v.Tokens(), Cost: h.Runs.Cost(ctx, v), Stations: report.Visited(v)},
	}
	if a.Status == ledger.MessageAnswering {
		p.Status = ledger.SummaryWorking
	}
	if p.Live() && !a.Withheld {
		queued, err := h.Runs.Queue.Get(ctx, r.Workspace, r.Run)
		if err == nil && queued.Status == job.Capped {
			p.Paused = queued.Problem
		}
		state, err := h.Desk.SoFar(ctx, r)
		if err != nil {
			return p, err
		}
		report := state.Report()
		for i, q := range state.Planned {
			state.Planned[i].Came = report.Came[q.N]
		}
		if len(state.Planned) > 0 {
			r.Plan = state.Planned
		}
		r.Answer.Sentences, p.Citations = report.Sentences, report.Citations
	}
	p.Sections = researches.Sections(r)
	return p, nil
}

// DrawRun draws a research for the event stream of its run.
func (h *Researches) DrawRun(ctx context.Context, r job.Run, v *trace.View) (part templ.Component, live bool, err error) {
	found, err := h.Desk.Get(ctx, r.Workspace, domain.ResearchID(r.Subject))
	if err != nil {
		return nil, false, err
	}
	p, err := h.props(ctx, found, v)
	return partial.Research(p), p.Live(), err
}

// Continue lets a research go on with its edited plan.
func (h *Researches) Continue(c echo.Context) error {
	id := domain.ResearchID(c.Param("id"))
	edited := lines(c.FormValue("plan"))
	if edited == nil {
		edited = []string{}
	}
	return respond.After(c, h.Desk.Continue(c.Request().Context(), request.Workspace(c), id, edited), link.Research(id))
}

// File serves a report as a file.
func (h *Researches) File(c echo.Context) error {
	r, err := h.Desk.Get(c.Request().Context(), request.Workspace(c), domain.ResearchID(c.Param("id")))
	if err != nil {
		return err
	}
	format := c.Param("format")
	made, err := researches.Export(r, format)
	if err != nil {
		return err
	}
	return sendFile(c, made, r.Answer.Question, format)
}

// sendFile sends a file that is named by a title and an extension.
func sendFile(c echo.Context, made operation.Made, title, extension string) error {
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, made.Type)
	header.Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": partial.FigureName(title) + "." + extension}))
	return made.Write(c.Response())
}

// AskDelete serves the page that asks whether to delete a research.
func (h *Researches) AskDelete(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := h.Desk.Get(ctx, request.Workspace(c), domain.ResearchID(c.Param("id")))
	if err != nil {
		return err
	}
	return h.Frame.Deletion(c, layout.Ask, lang.T(ctx, "Delete this research"), page.Deletion{
		Thing: "research", Title: r.Answer.Question, URL: link.Delete(link.Research(r.ID)), Cancel: link.Research(r.ID),
		Says: lang.T(ctx, "Its report and the steps of its run are permanently removed. The documents stay."),
	})
}
