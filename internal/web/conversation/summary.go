package conversation

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run"
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

// Summaries serves the pages of summaries. All fields are required.
type Summaries struct {
	Frame  frame.Frame
	Ledger *ledger.Ledger
	Digest *summaries.Service
	Runs   *report.Runs
}

// List serves the list of summaries, newest first.
func (h *Summaries) List(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Summaries, lang.T(ctx, "Summaries"))
	if err != nil {
		return err
	}
	offset := request.Offset(c)
	found, total, err := h.Ledger.Summaries(ctx, w, request.PageSize, offset)
	if err != nil {
		return err
	}
	p := page.SummariesProps{App: app, Pager: page.Pager{Offset: offset, Limit: request.PageSize, Total: total}}
	outdated, err := h.Digest.Outdated(ctx, w, found...)
	if err != nil {
		return err
	}
	for _, s := range found {
		item := page.SummaryItem{
			ID: s.ID, Title: summaries.Title(s), Length: s.Length, Status: s.Status, Outdated: outdated[s.ID] != "", CreatedAt: s.CreatedAt,
		}
		if len(s.Sentences) > 0 {
			item.Begins = s.Sentences[0].Text
		}
		p.Items = append(p.Items, item)
	}
	return respond.HTML(c, http.StatusOK, page.SummariesPage(p))
}

// New serves the form to order a summary of the documents or the tag in the
// query, or of the whole library. It fails with kind NotFound for an unknown
// document.
func (h *Summaries) New(c echo.Context) error {
	documents, tag := c.QueryParams()["document"], domain.Tag(c.QueryParam("tag"))
	if len(documents) > 0 {
		tag = ""
	}
	return h.orderForm(c, http.StatusOK, page.NewSummaryProps{Whole: len(documents) == 0 && tag == "", Tag: tag}, documents)
}

// maxDocuments is the most documents one form lists.
const maxDocuments = 1000

func (h *Summaries) orderForm(c echo.Context, status int, p page.NewSummaryProps, documents []string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	var err error
	if p.App, err = h.Frame.App(c, layout.Summaries, lang.T(ctx, "Summarise")); err != nil {
		return err
	}
	for _, id := range documents[:min(maxDocuments, len(documents))] {
		d, err := h.Ledger.Document(ctx, w, domain.DocumentID(id))
		if err != nil {
			return err
		}
		p.Documents = append(p.Documents, d)
	}
	if p.Readable, err = h.Digest.Count(ctx, w, ""); err != nil {
		return err
	}
	if p.Tag != "" {
		if p.Tagged, err = h.Digest.Count(ctx, w, p.Tag); err != nil {
			return err
		}
	}
	return respond.HTML(c, status, page.NewSummaryPage(p))
}

// Start orders a summary and goes to its page. An invalid order shows the form
// again with the reason.
func (h *Summaries) Start(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read. Reload the page and try again.")
	}
	var how summaries.How
	err = operation.Fill(&how, request.Given(form))
	o := how.Order(request.Workspace(c))
	o.Documents, o.Whole, o.Tag, o.Form = run.IDs[domain.DocumentID](form["document"]), form.Get("whole") != "", form.Get("tag"), request.FormKey(c)
	var s ledger.Summary
	if err == nil {
		s, err = h.Digest.Start(c.Request().Context(), o)
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.TooLarge, domain.Conflict, domain.TooMany:
		problem := respond.Refusal(c, err)
		return h.orderForm(c, problem.Status, page.NewSummaryProps{
			Whole: o.Whole, Tag: domain.Tag(o.Tag), Length: string(o.Length), Focus: domain.Span{End: summaries.MaxFocus}.Slice(o.Focus), TokenMax: form.Get("token_max"),
			Review: o.Review, Problem: problem.Message,
		}, form["document"])
	}
	return respond.After(c, err, link.Summary(s.ID))
}

// Show serves the page of one summary. It fails with kind NotFound for an
// unknown one.
func (h *Summaries) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	s, err := h.Ledger.Summary(ctx, w, domain.SummaryID(c.Param("id")))
	if err != nil {
		return err
	}
	title := lang.Sentence(ctx, summaries.Title(s))
	app, err := h.Frame.App(c, layout.Summaries, title)
	if err != nil {
		return err
	}
	view, err := h.Runs.View(ctx, w, summaries.Kind, s.Run)
	if err != nil {
		return err
	}
	p := page.SummaryProps{App: app, Title: title, Focus: s.Focus, Length: s.Length, CreatedAt: s.CreatedAt}
	if p.TokenMax, err = h.Digest.TokenMax(ctx, s); err != nil {
		return err
	}
	if p.Summary, err = h.props(ctx, s, view); err != nil {
		return err
	}
	p.Trace, err = h.Runs.TraceOf(ctx, w, summaries.Kind, view)
	return respond.Show(c, err, http.StatusOK, page.SummaryPage(p))
}

func (h *Summaries) props(ctx context.Context, s ledger.Summary, v *trace.View) (p partial.SummaryProps, err error) {
	if p, err = summaryProps(ctx, h.Digest, h.Runs, s, v); err != nil {
		return p, err
	}
	p.Draft, err = h.Digest.Draft(ctx, s)
	return p, err
}

// summaryProps returns what the parts of a summary and of a study set have in common.
func summaryProps(ctx context.Context, orders *summaries.Service, runs *report.Runs, s ledger.Summary, v *trace.View) (partial.SummaryProps, error) {
	p := partial.SummaryProps{
		ID: s.ID, Run: s.Run, Status: s.Status, Sentences: s.Sentences, Citations: s.Citations, Problem: s.Problem,
		Warnings: s.Warnings, Took: v.Took(runs.Now()), Tokens: v.Tokens(), Cost: runs.Cost(ctx, v), Stations: report.Visited(v),
	}
	if s.Status == ledger.SummaryWorking {
		r, err := runs.Queue.Get(ctx, s.Workspace, s.Run)
		if err != nil {
			return p, err
		}
		if r.Status == job.Capped {
			p.Paused = r.Problem
		}
	}
	outdated, err := orders.Outdated(ctx, s.Workspace, s)
	p.Outdated = outdated[s.ID]
	return p, err
}

// DrawRun draws a summary for the event stream of its run.
func (h *Summaries) DrawRun(ctx context.Context, r job.Run, v *trace.View) (part templ.Component, live bool, err error) {
	s, err := h.Ledger.Summary(ctx, r.Workspace, domain.SummaryID(r.Subject))
	if err != nil {
		return nil, false, err
	}
	p, err := h.props(ctx, s, v)
	return partial.Summary(p), p.Live(), err
}

// SummaryOpened goes to the page of a summary.
func SummaryOpened(c echo.Context, s summaries.Summed) error {
	return respond.SeeOther(c, link.Summary(s.ID))
}

// AskDelete serves the page that asks whether to delete a summary.
func (h *Summaries) AskDelete(c echo.Context) error {
	s, err := h.Ledger.Summary(c.Request().Context(), request.Workspace(c), domain.SummaryID(c.Param("id")))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	title := lang.Sentence(ctx, summaries.Title(s))
	return h.Frame.Deletion(c, layout.Summaries, lang.F(ctx, "Delete %s", title), page.Deletion{
		Thing: "summary", Title: title, URL: link.DeleteSummary(s.ID), Cancel: link.Summary(s.ID),
		Says: lang.T(c.Request().Context(), "Its text and the steps of its run are permanently removed. The documents stay, and you can summarise them again."),
	})
}
