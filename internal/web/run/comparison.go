package run

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/worddiff"
)

// Compare serves the runs of the parameters left and right side by side, or without a
// right one the runs to compare the left one with. It fails with kind NotFound for an
// unknown left run.
func (h *Handler) Compare(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	left, right := domain.RunID(c.QueryParam("left")), domain.RunID(strings.TrimSpace(c.QueryParam("right")))
	if right == "" {
		return h.choose(c, left, "")
	}
	if right == left {
		return h.choose(c, left, lang.T(ctx, "A run can't be compared with itself. Choose another one."))
	}
	sides, err := h.Compares.Sides(ctx, w, left, right)
	if domain.KindOf(err) == domain.NotFound {
		return h.choose(c, left, lang.F(ctx, "There is no run %s here. Its id stands in the address of its page.", string(right)))
	}
	if err != nil {
		return err
	}
	p, err := h.props(c, sides[0], sides[1])
	return respond.Show(c, err, http.StatusOK, page.ComparePage(p))
}

func (h *Handler) props(c echo.Context, left, right questions.Side) (p page.CompareProps, err error) {
	if p.App, err = h.Frame.App(c, layout.Runs, lang.T(c.Request().Context(), "Two runs side by side")); err != nil {
		return p, err
	}
	p.Left, p.Right = h.side(c.Request().Context(), left), h.side(c.Request().Context(), right)
	pairs := compare.Steps(left.View.Steps, right.View.Steps)
	for i, pair := range pairs {
		p.Pairs = append(p.Pairs, h.stepPair(left, right, pair))
		if pair.Left != nil && pair.Right != nil {
			p.At = i + 1
		}
	}
	if at := request.Int(c, "at"); at > 0 && at <= len(pairs) {
		p.At = at
	}
	if err := h.states(c, &p, left, right, pairs); err != nil {
		return p, err
	}
	p.Passages = compare.Passages(left.View, right.View)
	if left.Answer != "" || right.Answer != "" {
		p.Answer = worddiff.Words(left.Answer, right.Answer)
	}
	p.Figures, err = h.figures(c.Request().Context(), left, right)
	return p, err
}

// states adds the states after the chosen pair of steps.
func (h *Handler) states(c echo.Context, p *page.CompareProps, left, right questions.Side, pairs []compare.Pair) error {
	if p.At == 0 {
		p.Gone = lang.T(c.Request().Context(), "The runs have no steps in common.")
		return nil
	}
	fields, err := h.Compares.States(c.Request().Context(), left, right, pairs[p.At-1])
	if domain.KindOf(err) == domain.NotFound {
		p.Gone = domain.InWords(err)
		return nil
	}
	for _, f := range fields {
		if f.Same() {
			p.Same++
		} else {
			p.States = append(p.States, page.StatePair{Name: f.Name, Left: report.ValueOf(f.Left), Right: report.ValueOf(f.Right)})
		}
	}
	return err
}

func (h *Handler) figures(ctx context.Context, left, right questions.Side) ([]page.FigurePair, error) {
	costs := make([]string, 2)
	for i, s := range []questions.Side{left, right} {
		cost, err := h.Compares.Cost(ctx, s.View)
		if err != nil {
			return nil, err
		}
		costs[i] = cost.Short()
	}
	now := h.Runs.Now()
	return []page.FigurePair{
		{Name: lang.T(ctx, "Time"), Left: lang.Duration(ctx, left.Took(now)), Right: lang.Duration(ctx, right.Took(now))},
		{Name: lang.T(ctx, "Tokens"), Left: lang.Int(ctx, left.View.Tokens()), Right: lang.Int(ctx, right.View.Tokens())},
		{Name: lang.T(ctx, "Cost"), Left: costs[0], Right: costs[1]},
	}, nil
}

func (h *Handler) side(ctx context.Context, s questions.Side) page.RunSide {
	return page.RunSide{Run: s.ID, Kind: s.Kind.Title, Title: s.About.Title, Began: s.CreatedAt, Trace: h.Runs.Draw(ctx, s.Workspace, s.View, s.Run.Kind)}
}

// choose offers runs to compare a run with.
func (h *Handler) choose(c echo.Context, id domain.RunID, problem string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	sides, err := h.Compares.Sides(ctx, w, id)
	if err != nil {
		return err
	}
	related, err := h.Compares.Related(ctx, sides[0])
	if err != nil {
		return err
	}
	p := page.CompareChoiceProps{Left: h.side(c.Request().Context(), sides[0]), Problem: problem, Typed: c.QueryParam("right")}
	for _, r := range related {
		p.Choices = append(p.Choices, page.RunChoice{Run: r.Run, Why: r.Why, Began: r.Began})
	}
	if p.App, err = h.Frame.App(c, layout.Runs, lang.T(ctx, "Compare with…")); err != nil {
		return err
	}
	status := http.StatusOK
	if problem != "" {
		status = http.StatusUnprocessableEntity
	}
	return respond.HTML(c, status, page.CompareChoicePage(p))
}

// stepPair returns the rows of a pair of steps.
func (h *Handler) stepPair(left, right questions.Side, p compare.Pair) page.StepPair {
	return page.StepPair{Left: h.stepRow(left, p.Left), Right: h.stepRow(right, p.Right)}
}

// stepRow returns the row of a step, or nil if s is nil.
func (h *Handler) stepRow(side questions.Side, s *trace.Step) *outline.Step {
	if s == nil {
		return nil
	}
	row := report.StepOf(side.View, s, h.Runs.Loops[side.Run.Kind])
	return &row
}

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
