package conversation

import (
	"context"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/trace"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/partial"
)

// branched are the answers to a question to switch between.
type branched struct {
	shown domain.BranchID // "" for the answer as asked
	items []partial.BranchItem
}

// branches returns the branches of messages. The message of the branch that the
// parameter branch names gets that branch's answer.
func (h *Handler) branches(c echo.Context, messages []ledger.Message) (map[domain.MessageID]branched, error) {
	if c.Param("n") != "" && c.QueryParam("branch") == "" {
		return nil, nil // a page with a source open costs enough statements
	}
	ids := make([]domain.MessageID, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	found, err := h.Ledger.BranchesOf(c.Request().Context(), request.Workspace(c), ids...)
	if err != nil {
		return nil, err
	}
	all := map[domain.MessageID][]ledger.Branch{}
	for _, b := range found {
		all[b.Message] = append(all[b.Message], b)
	}
	of := map[domain.MessageID]branched{}
	for i, m := range messages {
		list := branched{}
		for _, b := range all[m.ID] {
			if b.ID == domain.BranchID(c.QueryParam("branch")) {
				list.shown, messages[i] = b.ID, m.AnsweredBy(b)
			}
		}
		if len(all[m.ID]) > 0 {
			list.items = h.Tree(m, all[m.ID], messages[i].Run)
		}
		of[m.ID] = list
	}
	return of, nil
}

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
	all, err := h.Ledger.BranchesOf(ctx, r.Workspace, m.ID)
	turn := present.Turn(m.AnsweredBy(b), v, h.Runs.Now())
	turn.Branch, turn.Branches = b.ID, h.Tree(m, all, r.ID)
	return partial.Answer(turn), true, err
}

func (h *Handler) branchFigure(ctx context.Context, r job.Run, f domain.Figure) (templ.Component, error) {
	m, b, err := h.branch(ctx, r)
	return partial.Figure(partial.FigureProps{Conversation: m.Conversation, Message: m.ID, Branch: b.ID, Run: r.ID, Figure: f}), err
}
