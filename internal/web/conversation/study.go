package conversation

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/studies"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
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

// Studies serves the pages of study sets. All fields are required.
type Studies struct {
	Frame   frame.Frame
	Desk    studies.Desk
	Suggest *suggest.Service
	Runs    *report.Runs
}

// What the form of a study set begins with.
const (
	usualMost = 30
	tried     = 6 // questions to try
)

// List serves what can be read from the documents or the tag in the query, or from the library, and the study sets.
func (h *Studies) List(c echo.Context) error {
	return h.list(c, http.StatusOK, page.StudiesProps{Kind: domain.Glossary, Most: usualMost}, run.IDs[domain.DocumentID](c.QueryParams()["document"]), c.QueryParam("tag"))
}

func (h *Studies) list(c echo.Context, status int, p page.StudiesProps, documents []domain.DocumentID, tag string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	var err error
	if p.App, err = h.Frame.App(c, layout.Documents, lang.T(ctx, "Study")); err != nil {
		return err
	}
	p.App.Works = true
	from, err := h.Desk.Source(ctx, w, documents[:min(maxDocuments, len(documents))], tag)
	if err != nil {
		return err
	}
	p.Of, p.Names, p.Scope, p.Readable = from.Of, from.Names, from.Scope, from.Read
	within, err := h.Desk.Within(ctx, w, from.Scope)
	if err != nil {
		return err
	}
	if len(within) > 0 || len(from.Scope.Tags) == 0 {
		p.Questions = present.Suggested(ctx, h.Suggest, w, tried, within...)
	}
	offset := request.Offset(c)
	found, err := h.Desk.List(ctx, w, request.PageSize, offset)
	if err != nil {
		return err
	}
	p.Pager = page.Pager{Offset: offset, Limit: request.PageSize, Total: found.Total}
	for _, s := range found.Items {
		p.Items = append(p.Items, page.StudyLine{ID: s.ID, Kind: s.Kind, Of: s.Of, Items: s.Items, Status: s.Status, CreatedAt: s.Created})
	}
	return respond.HTML(c, status, page.StudiesPage(p))
}

// Start orders a study set and goes to its page. A wrong order shows the form again with the reason.
func (h *Studies) Start(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read. Reload the page and try again.")
	}
	var in studies.Making
	err = operation.Fill(&in, request.Given(form))
	documents := run.IDs[domain.DocumentID](form["document"])
	o := summaries.Order{Workspace: request.Workspace(c), Documents: documents, Kind: in.Kind, Most: in.Most, Tag: in.Tag, Whole: in.Tag == "" && len(documents) == 0, Form: request.FormKey(c)}
	var set ledger.Summary
	if err == nil {
		set, err = h.Desk.Start(c.Request().Context(), o)
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.TooLarge, domain.Conflict, domain.TooMany:
		problem := respond.Refusal(c, err)
		return h.list(c, problem.Status, page.StudiesProps{Kind: in.Kind, Most: in.Most, Problem: problem.Message}, documents, in.Tag)
	}
	return respond.After(c, err, link.StudySet(set.ID))
}

// Show serves the page of one study set.
func (h *Studies) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	set, err := h.Desk.Get(ctx, w, domain.SummaryID(c.Param("id")))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Documents, lang.Sentence(ctx, summaries.Title(set)))
	if err != nil {
		return err
	}
	view, err := h.Runs.View(ctx, w, studies.Kind, set.Run)
	if err != nil {
		return err
	}
	app.Works = true
	p := page.StudyProps{App: app, Of: summaries.Subject(set), Most: set.Most, CreatedAt: set.CreatedAt, Scope: studies.ScopeOf(set)}
	if p.Study, err = h.props(ctx, set, view); err != nil {
		return err
	}
	p.Trace, err = h.Runs.TraceOf(ctx, w, studies.Kind, view)
	return respond.Show(c, err, http.StatusOK, page.StudyPage(p))
}

func (h *Studies) props(ctx context.Context, set ledger.Summary, v *trace.View) (partial.StudyProps, error) {
	common, err := summaryProps(ctx, h.Desk.Orders, h.Runs, set, v)
	return partial.StudyProps{Kind: set.Kind, Items: set.Items, Formats: studies.Formats(), SummaryProps: common}, err
}

// DrawRun draws a study set for the event stream of its run.
func (h *Studies) DrawRun(ctx context.Context, r job.Run, v *trace.View) (part templ.Component, live bool, err error) {
	set, err := h.Desk.Get(ctx, r.Workspace, domain.SummaryID(r.Subject))
	if err != nil {
		return nil, false, err
	}
	p, err := h.props(ctx, set, v)
	return partial.Study(p), p.Live(), err
}

// File serves a study set as a file.
func (h *Studies) File(c echo.Context) error {
	set, err := h.Desk.Get(c.Request().Context(), request.Workspace(c), domain.SummaryID(c.Param("id")))
	if err != nil {
		return err
	}
	format := c.Param("format")
	made, err := studies.Export(set, format)
	if err != nil {
		return err
	}
	if format == "anki" {
		format = "anki.csv"
	}
	return sendFile(c, made, summaries.Title(set), format)
}

// AskDelete serves the page that asks whether to delete a study set.
func (h *Studies) AskDelete(c echo.Context) error {
	ctx := c.Request().Context()
	set, err := h.Desk.Get(ctx, request.Workspace(c), domain.SummaryID(c.Param("id")))
	if err != nil {
		return err
	}
	return h.Frame.Deletion(c, layout.Documents, lang.T(ctx, "Delete this study set"), page.Deletion{
		Thing: "study set", Title: lang.Sentence(ctx, summaries.Title(set)), URL: link.Delete(link.StudySet(set.ID)), Cancel: link.StudySet(set.ID),
		Says: lang.T(ctx, "Its items and the steps of its run are permanently removed. The documents stay, and you can make it again."),
	})
}

// StudyOpened goes to the page of a study set.
func StudyOpened(c echo.Context, s studies.Set) error {
	return respond.SeeOther(c, link.StudySet(s.ID))
}
