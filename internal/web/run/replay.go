package run

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// StartReplay replays a run and returns to its page. The errors are those of
// [questions.Service.StartReplay].
func (h *Handler) StartReplay(c echo.Context) error {
	id := domain.RunID(c.Param("id"))
	_, err := h.Ask.StartReplay(c.Request().Context(), request.Workspace(c), id, nil)
	return respond.After(c, err, link.Run(id)+"#replay")
}

// Replay serves how the replay of a run did: to a script as a fragment, else on the
// run's page. It fails with kind NotFound for a run without a replay.
func (h *Handler) Replay(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := h.Runs.Queue.Get(ctx, request.Workspace(c), domain.RunID(c.Param("id")))
	if err != nil {
		return err
	}
	p, err := h.replayOf(ctx, r)
	switch {
	case err != nil:
		return err
	case p == nil:
		return domain.Errorf(domain.NotFound, "This run has not been replayed.")
	case !respond.Fragment(c):
		return respond.SeeOther(c, link.Run(r.ID)+"#replay")
	}
	return respond.HTML(c, http.StatusOK, partial.Replay(*p))
}

// replayOf returns the drawing of a run's replay, or nil if there is none.
func (h *Handler) replayOf(ctx context.Context, r job.Run) (*partial.ReplayProps, error) {
	got, err := h.Ask.Replayed(ctx, r)
	if err != nil || got == nil {
		return nil, err
	}
	return drawn(ctx, r.ID, got), nil
}

// drawn returns the drawing of a run's replay.
func drawn(ctx context.Context, id domain.RunID, r *questions.Replayed) *partial.ReplayProps {
	p := &partial.ReplayProps{Run: id, Replay: r.Run, At: r.CreatedAt, Working: !r.Ended, Stopped: r.Status == ledger.MessageStopped}
	for _, n := range r.Nodes {
		node := partial.ReplayedNode{Name: n.Name, Row: n.Row}
		switch {
		case n.Problem != "":
			node.Says = n.Problem
		case n.Mark == compare.Missing:
			node.Says = lang.T(ctx, "Was not reached.")
		case n.Mark == compare.Extra:
			node.Says = lang.T(ctx, "Did not run before.")
		case n.Difference != nil:
			node.Says, node.Path = lang.T(ctx, "Wrote something else, first at"), n.Difference.Path
			node.Before, node.After = report.ValueOf(n.Difference.Before), report.ValueOf(n.Difference.After)
		}
		p.Nodes = append(p.Nodes, node)
	}
	return p
}
