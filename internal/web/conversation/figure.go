package conversation

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/table"
)

// byteOrderMark makes spreadsheets read a file as UTF-8.
const byteOrderMark = "\ufeff"

// FigureSource serves the source of a number in a chart, as Source does.
func (h *Handler) FigureSource(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	m, chart, err := h.chart(c)
	if err != nil {
		return err
	}
	p := partial.SourceProps{Conversation: m.Conversation, Message: m.Message, Branch: domain.BranchID(c.QueryParam("branch")), Figure: figureID(c)}
	source, err := h.source(ctx, w, p, chart.Citations, c.Param("n"))
	return h.sendSource(c, source, err)
}

// FigureCSV sends the table of a chart as a CSV file. It fails with kind
// NotFound for an unknown or unfinished chart.
func (h *Handler) FigureCSV(c echo.Context) error {
	_, chart, err := h.chart(c)
	if err != nil {
		return err
	}
	text, err := table.CSV(c.Request().Context(), chart)
	if err != nil {
		return err
	}
	name := mime.FormatMediaType("attachment", map[string]string{"filename": partial.FigureName(chart.Title) + ".csv"})
	c.Response().Header().Set(echo.HeaderContentDisposition, name)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", append([]byte(byteOrderMark), text...))
}

// figureID returns the id of the chart in the request's path. The router leaves
// parameters escaped if the URL has a RawPath.
func figureID(c echo.Context) string {
	id := c.Param("figure")
	if c.Request().URL.RawPath == "" {
		return id
	}
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// chart returns the finished chart in the request's path and its message.
func (h *Handler) chart(c echo.Context) (ledger.Answer, domain.Chart, error) {
	m, err := h.message(c)
	if err != nil {
		return m, domain.Chart{}, err
	}
	figures, err := h.figures(c.Request().Context(), request.Workspace(c), m)
	if err != nil {
		return m, domain.Chart{}, err
	}
	id := figureID(c)
	i := slices.IndexFunc(figures, func(f domain.Figure) bool { return f.ID == id && f.Chart != nil })
	if i < 0 {
		return m, domain.Chart{}, domain.Errorf(domain.NotFound, "The answer has no such chart.")
	}
	return m, *figures[i].Chart, nil
}

// figures returns the charts of an answer, also of an unfinished one.
func (h *Handler) figures(ctx context.Context, w domain.WorkspaceID, m ledger.Answer) ([]domain.Figure, error) {
	v, err := h.Runs.View(ctx, w, questions.Kind, m.Run)
	if err != nil {
		return nil, err
	}
	return present.Figures(m, v), nil
}

// DrawRun draws an answer for the event stream of its run.
func (h *Handler) DrawRun(ctx context.Context, r job.Run, v *trace.View) (templ.Component, bool, error) {
	a, err := h.Ledger.Answer(ctx, r.Workspace, r.ID)
	if err != nil {
		return nil, true, err
	}
	p := present.Turn(a, v, report.FoundFor(a, v), h.Runs.Now())
	p.Branch, p.Cost = a.Branch, h.Runs.Cost(ctx, v)
	p.ReadOnly = h.Ask.ReadOnly(ctx, r.Workspace, r.ID)
	h.ofWeb(&p, a)
	if a.Branch != "" {
		tree, err := h.Ask.Tree(ctx, r.Workspace, a.Conversation)
		if err != nil {
			return nil, false, err
		}
		for _, t := range tree.Line(r.ID) {
			if t.Run == r.ID {
				p.Branches = h.answers(ctx, tree, t)
			}
		}
	}
	if v.Asks && a.Branch == "" && !p.ReadOnly && !a.Withheld {
		asked, problem := h.Ask.AskingOf(ctx, r)
		if problem != nil {
			return nil, false, problem
		}
		if asked != nil {
			p.Asks, err = h.asksFor(ctx, a, asked, nil)
		}
	} else if found, problem := h.Documents.Pictures(ctx, r.Workspace, p.Citations); problem != nil {
		err = problem
	} else {
		p.Pictures = found[0]
		err = h.quote(ctx, r.Workspace, []partial.TurnProps{p}, p.Run)
	}
	return answerPart(p), p.Asks == nil, err
}

// answerPart is an answer, with its quotation in place where the page shows its steps.
func answerPart(p partial.TurnProps) templ.Component {
	if p.Found == nil {
		return partial.Answer(p)
	}
	return templ.Join(partial.Answer(p), partial.InPlace(p))
}

// DrawFigure draws a chart of an answer.
func (h *Handler) DrawFigure(ctx context.Context, r job.Run, f domain.Figure) (templ.Component, error) {
	a, err := h.Ledger.Answer(ctx, r.Workspace, r.ID)
	return partial.Figure(partial.FigureProps{Conversation: a.Conversation, Message: a.Message, Branch: a.Branch, Run: r.ID, Figure: f}), err
}
