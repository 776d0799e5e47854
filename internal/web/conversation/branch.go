package conversation

import (
	"context"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/views/partial"
)

// BranchPart returns what the event stream of a branch's run draws on the
// conversation's page.
func (h *Handler) BranchPart() present.Part {
	return present.Part{Draw: h.branchTurn, Figure: h.branchFigure}
}

func (h *Handler) branch(ctx context.Context, r job.Run) (ledger.Message, ledger.Branch, error) {
	b, err := h.Ledger.Branch(ctx, r.Workspace, domain.BranchID(r.Subject))
	if err != nil {
		return ledger.Message{}, b, err
	}
	m, err := h.Ledger.Message(ctx, r.Workspace, b.Message)
	return m, b, err
}

func (h *Handler) branchTurn(ctx context.Context, r job.Run, v *trace.View) (templ.Component, bool, error) {
	m, b, err := h.branch(ctx, r)
	if err != nil {
		return nil, false, err
	}
	tree, err := h.Ask.Tree(ctx, r.Workspace, m.Conversation)
	if err != nil {
		return nil, false, err
	}
	m = m.AnsweredBy(b)
	turn := present.Turn(m, v, report.FoundFor(m, v), h.Runs.Now())
	turn.Branch, turn.Cost = b.ID, h.Runs.Cost(ctx, v)
	for _, t := range tree.Line(r.ID) {
		if t.Run == r.ID {
			turn.Branches = h.answers(tree, t)
		}
	}
	err = h.quote(ctx, r.Workspace, []partial.TurnProps{turn}, turn.Run)
	return answerPart(turn), true, err
}

func (h *Handler) branchFigure(ctx context.Context, r job.Run, f domain.Figure) (templ.Component, error) {
	m, b, err := h.branch(ctx, r)
	return partial.Figure(partial.FigureProps{Conversation: m.Conversation, Message: m.ID, Branch: b.ID, Run: r.ID, Figure: f}), err
}
