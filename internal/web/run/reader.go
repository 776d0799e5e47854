package run

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/compare"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/evaluation"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/page"
)

// A Reader reads what comparisons of runs need. All fields are required.
type Reader struct {
	Runs   *report.Runs
	Ledger *ledger.Ledger
	Prices *costs.Book
	Branch string // names the kind of run that is a branch of a turn
}

// Side is one of two runs that are compared.
type Side struct {
	job.Run
	Kind    run.Kind
	About   run.Subject
	View    *trace.View
	Moments []trace.Moment
	Message domain.MessageID // that it answers; "" for other runs
	Parent  domain.RunID     // that it branches off; "" for none
	Answer  string
}

// Took returns how long the run worked.
func (s Side) Took(now time.Time) time.Duration { return s.View.Took(now).Round(time.Millisecond) }

// Sides returns runs to compare, in the order of ids. The error is NotFound for a
// run that there is not.
func (c *Reader) Sides(ctx context.Context, w domain.WorkspaceID, ids ...domain.RunID) ([]Side, error) {
	events, err := c.Runs.Hub.EventsOf(ctx, w, ids)
	if err != nil {
		return nil, err
	}
	sides := make([]Side, len(ids))
	runs := make([]job.Run, len(ids))
	for i, id := range ids {
		if runs[i], err = c.Runs.Queue.Get(ctx, w, id); err != nil {
			return nil, err
		}
		kind := c.Runs.Kinds.Named(runs[i].Kind)
		sides[i] = Side{Run: runs[i], Kind: kind}
		if len(events[id]) == 0 {
			sides[i].View = trace.NewView(id, kind.Topology)
			sides[i].View.State = report.EndState(runs[i].Status)
		} else {
			sides[i].Moments, sides[i].View = trace.Moments(id, kind.Topology, events[id])
		}
		if err := c.answer(ctx, &sides[i]); err != nil && domain.KindOf(err) != domain.NotFound {
			return nil, err
		}
	}
	about, err := c.Runs.Kinds.Subjects(ctx, runs...)
	for i := range about {
		sides[i].About = about[i]
	}
	return sides, err
}

// answer adds what the run answered.
func (c *Reader) answer(ctx context.Context, s *Side) error {
	switch s.Run.Kind {
	case questions.Kind:
		m, err := c.Ledger.Message(ctx, s.Workspace, domain.MessageID(s.Subject))
		s.Message, s.Answer = m.ID, m.Answer
		return err
	case c.Branch:
		b, err := c.Ledger.Branch(ctx, s.Workspace, domain.BranchID(s.Subject))
		s.Message, s.Answer, s.Parent = b.Message, b.Answer, b.Parent
		return err
	case evaluation.Kind:
		r, err := c.Ledger.EvaluationReply(ctx, s.Workspace, s.ID)
		s.Answer = r.Answer
		return err
	}
	return nil
}

// Cost returns what the models of a run cost.
func (c *Reader) Cost(ctx context.Context, v *trace.View) (costs.Amount, error) {
	table, err := c.Prices.Table(ctx)
	if err != nil {
		return costs.Amount{}, err
	}
	return table.Sum(costs.DayOf(v.Started), v.Usages()...), nil
}

// States returns the states of two runs after a pair of steps, field by field. The
// error is NotFound if there is none.
func (c *Reader) States(ctx context.Context, left, right Side, p compare.Pair) ([]compare.Field, error) {
	a, err := left.after(ctx, p.Left)
	if err != nil {
		return nil, err
	}
	b, err := right.after(ctx, p.Right)
	if err != nil {
		return nil, err
	}
	return compare.States(a, b)
}

// after returns the state after a step, which may be nil.
func (s Side) after(ctx context.Context, step *trace.Step) (json.RawMessage, error) {
	if step == nil {
		return nil, nil
	}
	i := slices.IndexFunc(s.Moments, func(m trace.Moment) bool { return slices.Contains(m.Rows, step.N) })
	if i < 0 {
		return nil, domain.Errorf(domain.NotFound, "Step %d of run %s was not finished.", step.N, s.ID)
	}
	return s.Kind.StateAt(ctx, s.ID, s.Moments[i])
}

// A Related run is worth comparing with another.
type Related struct {
	Run   domain.RunID
	Why   string
	Began time.Time
}

// maxAlike bounds the runs of the same question that are offered.
const maxAlike = 20

// Related lists the runs to compare a run with: the one it branches off, the others
// of its turn, and those of the same question or about the same thing.
func (c *Reader) Related(ctx context.Context, s Side) ([]Related, error) {
	var list []Related
	add := func(id domain.RunID, why string, began time.Time) {
		if id != s.ID && !slices.ContainsFunc(list, func(r Related) bool { return r.Run == id }) {
			list = append(list, Related{id, why, began})
		}
	}
	if s.Message == "" {
		return list, c.sameSubject(ctx, s, add)
	}
	if s.Parent != "" {
		if r, err := c.Runs.Queue.Get(ctx, s.Workspace, s.Parent); err == nil {
			add(r.ID, "The run it was forked from", r.CreatedAt)
		}
	}
	question := s.About.Title
	if s.Run.Kind == c.Branch {
		m, err := c.Ledger.Message(ctx, s.Workspace, s.Message)
		if err != nil {
			return list, err
		}
		question = m.Question
		add(m.Run, "The turn’s own answer", m.CreatedAt)
	}
	all, err := c.Ledger.BranchesOf(ctx, s.Workspace, s.Message)
	if err != nil {
		return list, err
	}
	for _, b := range slices.Backward(all) {
		add(b.Run, "A branch of the turn: "+purpose(b), b.CreatedAt)
	}
	same, err := c.Runs.Queue.List(ctx, s.Workspace, job.Query{Kind: questions.Kind, Words: question, Limit: maxAlike})
	if err != nil || len(same) == 0 {
		return list, err
	}
	about, err := c.Runs.Kinds.Subjects(ctx, same...)
	for i, r := range same {
		if err == nil && about[i].Title == question {
			add(r.ID, "The same question, asked another time", r.CreatedAt)
		}
	}
	return list, err
}

func (c *Reader) sameSubject(ctx context.Context, s Side, add func(domain.RunID, string, time.Time)) error {
	same, err := c.Runs.Queue.List(ctx, s.Workspace, job.Query{Kind: s.Run.Kind, Subject: s.Subject, Limit: maxAlike})
	for _, r := range same {
		add(r.ID, "Another run about the same", r.CreatedAt)
	}
	return err
}

// purposes says why there are branches, other than for a method.
var purposes = map[string]string{"fork": "forked", "replay": "replayed", "again": "asked again"}

// purpose says why there is a branch.
func purpose(b ledger.Branch) string {
	var changes struct {
		Method *domain.MethodName `json:"method"`
	}
	if said, ok := purposes[b.Purpose]; ok || json.Unmarshal(b.Changes, &changes) != nil || changes.Method == nil {
		return said
	}
	return MethodTitle(*changes.Method)
}

// MethodTitle names a method for people.
func MethodTitle(m domain.MethodName) string {
	switch m {
	case domain.MethodWords:
		return "Words"
	case domain.MethodVectors:
		return "Vectors"
	case domain.MethodHybrid:
		return "Hybrid"
	case domain.MethodWalk:
		return "Graph walk"
	}
	return "Full loop"
}

// stepPair returns the rows of a pair of steps.
func (c *Reader) stepPair(left, right Side, p compare.Pair) page.StepPair {
	return page.StepPair{Left: c.row(left, p.Left), Right: c.row(right, p.Right)}
}

// row returns the row of a step of a side, nil for none.
func (c *Reader) row(side Side, s *trace.Step) *outline.Step {
	if s == nil {
		return nil
	}
	row := report.StepOf(side.View, s, c.Runs.Loops[side.Run.Kind])
	return &row
}
