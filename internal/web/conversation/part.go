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

// Part returns what the event stream of an answer's run draws on the
// conversation's page.
func (h *Handler) Part() present.Part { return present.Part{Draw: h.turn, Figure: h.figure} }

func (h *Handler) turn(ctx context.Context, r job.Run, v *trace.View) (templ.Component, bool, error) {
	m, err := h.Ledger.Message(ctx, r.Workspace, domain.MessageID(r.Subject))
	if err != nil {
		return nil, true, err
	}
	p := present.Turn(m, v, report.FoundFor(m, v), h.Runs.Now())
	p.Cost = h.Runs.Cost(ctx, v)
	if v.Asks {
		p.Asks, err = h.asks(ctx, m, nil)
	} else {
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

func (h *Handler) figure(ctx context.Context, r job.Run, f domain.Figure) (templ.Component, error) {
	m, err := h.Ledger.Message(ctx, r.Workspace, domain.MessageID(r.Subject))
	return partial.Figure(partial.FigureProps{Conversation: m.Conversation, Message: m.ID, Run: m.Run, Figure: f}), err
}
