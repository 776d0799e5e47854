package conversation

import (
	"context"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/views/partial"
)

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
