package questions

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
)

// Comparisons set runs side by side, and the answers to a question by each method. All fields are required.
type Comparisons struct {
	Ledger *ledger.Ledger
	Queue  *job.Queue
	Hub    *trace.Hub
	Kinds  run.Kinds
	Prices *costs.Book
	Now    domain.Clock
}

// Side is one of two runs that are compared.
type Side struct {
	job.Run
	Kind    run.Kind
	About   run.Subject
	View    *trace.View
	Moments []trace.Moment
	Message domain.MessageID // that it answers; "" for other runs
	Parent  domain.RunID     // that it branches off; "" if there is none
	Answer  string
}

// Took returns how long the run worked.
func (s Side) Took(now time.Time) time.Duration { return s.View.Took(now).Round(time.Millisecond) }

// Sides returns runs to compare, in the order of ids. The error is NotFound for a
// run that there is not.
func (c *Comparisons) Sides(ctx context.Context, w domain.WorkspaceID, ids ...domain.RunID) ([]Side, error) {
	events, err := c.Hub.EventsOf(ctx, w, ids)
	if err != nil {
		return nil, err
	}
	sides := make([]Side, len(ids))
	runs := make([]job.Run, len(ids))
	for i, id := range ids {
		if runs[i], err = c.Queue.Get(ctx, w, id); err != nil {
			return nil, err
		}
		kind := c.Kinds.Named(runs[i].Kind)
		sides[i] = Side{Run: runs[i], Kind: kind}
		if len(events[id]) == 0 {
			sides[i].View = trace.NewView(id, kind.Topology)
			if runs[i].Status.Ended() {
				sides[i].View.State = trace.State(runs[i].Status)
			}
		} else {
			sides[i].Moments, sides[i].View = trace.Moments(id, kind.Topology, events[id])
		}
		if err := c.answer(ctx, &sides[i]); err != nil && domain.KindOf(err) != domain.NotFound {
			return nil, err
		}
	}
	about, err := c.Kinds.Subjects(ctx, runs...)
	for i := range about {
		sides[i].About = about[i]
	}
	return sides, err
}

// answer adds the run's answer.
func (c *Comparisons) answer(ctx context.Context, s *Side) error {
	if !slices.Contains([]string{Kind, BranchKind, evaluation.Kind}, s.Run.Kind) {
		return nil
	}
	a, err := c.Ledger.Answer(ctx, s.Workspace, s.ID)
	s.Message, s.Answer, s.Parent = a.Message, a.Text, a.Parent
	return err
}

// Cost returns the cost of a run's models.
func (c *Comparisons) Cost(ctx context.Context, v *trace.View) (costs.Amount, error) {
	table, err := c.Prices.Table(ctx)
	if err != nil {
		return costs.Amount{}, err
	}
	return table.Sum(costs.DayOf(v.Started), v.Usages()...), nil
}

// States returns the states of two runs after a pair of steps, field by field. The error is NotFound if a state is
// missing.
func (c *Comparisons) States(ctx context.Context, left, right Side, p compare.Pair) ([]compare.Field, error) {
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
func (c *Comparisons) Related(ctx context.Context, s Side) ([]Related, error) {
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
		if r, err := c.Queue.Get(ctx, s.Workspace, s.Parent); err == nil {
			add(r.ID, "The run it was forked from", r.CreatedAt)
		}
	}
	all, err := c.Ledger.AnswersBeside(ctx, s.Workspace, s.ID)
	if err != nil || len(all) == 0 {
		return list, err
	}
	question := all[0].Question
	add(all[0].Run, "The turn’s own answer", all[0].CreatedAt)
	for _, b := range slices.Backward(all[1:]) {
		add(b.Run, "A branch of the turn: "+purpose(b), b.CreatedAt)
	}
	same, err := c.Queue.List(ctx, s.Workspace, job.Query{Kind: Kind, Words: question, Limit: maxAlike})
	if err != nil || len(same) == 0 {
		return list, err
	}
	about, err := c.Kinds.Subjects(ctx, same...)
	for i, r := range same {
		if err == nil && about[i].Title == question {
			add(r.ID, "The same question, asked another time", r.CreatedAt)
		}
	}
	return list, err
}

func (c *Comparisons) sameSubject(ctx context.Context, s Side, add func(domain.RunID, string, time.Time)) error {
	same, err := c.Queue.List(ctx, s.Workspace, job.Query{Kind: s.Run.Kind, Subject: s.Subject, Limit: maxAlike})
	for _, r := range same {
		add(r.ID, "Another run about the same", r.CreatedAt)
	}
	return err
}

// purposes describes why there are branches, other than for a method.
var purposes = map[string]string{"fork": "forked", "replay": "replayed", "again": "asked again", "web": "from the web"}

// purpose describes why there is a branch.
func purpose(b ledger.Answer) string {
	changes, err := ChangesOf(b)
	if said, ok := purposes[b.Purpose]; ok || err != nil || changes.Method == nil {
		return said
	}
	return Searched(*changes.Method)
}

// Searched names a method in a comparison of methods.
func Searched(m domain.MethodName) string {
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

// A Way is the answer to a question by one method.
type Way struct {
	Method domain.MethodName
	Branch ledger.Answer
	View   *trace.View
	Cost   costs.Amount
}

// Ways returns the answers of branches by the methods that have one, in the order of
// [domain.Methods], and at which rank each passage stood.
func (c *Comparisons) Ways(ctx context.Context, w domain.WorkspaceID, by map[domain.MethodName]ledger.Answer) ([]Way, compare.Ranks, error) {
	var runs []domain.RunID
	for _, b := range by {
		runs = append(runs, b.Run)
	}
	events, err := c.Hub.EventsOf(ctx, w, runs)
	if err != nil {
		return nil, compare.Ranks{}, err
	}
	var ways []Way
	var columns []compare.Column
	for _, m := range domain.Methods() {
		b, ok := by[m]
		if !ok {
			continue
		}
		way := Way{Method: m, Branch: b, View: trace.Fold(b.Run, c.Kinds.Named(BranchKind).Topology, events[b.Run])}
		if way.Cost, err = c.Cost(ctx, way.View); err != nil {
			return nil, compare.Ranks{}, err
		}
		ways = append(ways, way)
		column := compare.Column{Method: m, View: way.View, Ended: b.Status == ledger.MessageDone}
		for _, x := range b.Citations {
			if !x.Close || x.Tie != "" { // a sentence that is only near the question answers nothing
				column.Cited = append(column.Cited, x.Chunk)
			}
		}
		columns = append(columns, column)
	}
	return ways, compare.Methods(columns), nil
}

// Working reports whether the answer is not there yet.
func (w Way) Working() bool {
	return w.Branch.Status == ledger.MessageWaiting || w.Branch.Status == ledger.MessageAnswering
}

// StartMethods starts a branch of a turn for each method, and those by vectors only if there is an embedding model. A
// single method searches once; the default also rewords the question. runs returns the function that adds a run; nil
// stands for the queue.
func (s *Service) StartMethods(ctx context.Context, w domain.WorkspaceID, m domain.MessageID, runs func() job.Adder) ([]ledger.Answer, error) {
	var started []ledger.Answer
	for _, method := range domain.Methods() {
		if method.ByVectors() && !s.Vectors {
			continue
		}
		v := Variation{Workspace: w, Message: m, Purpose: Method}
		v.Changes.Method = &method
		if method != domain.MethodDefault {
			v.Changes.MaxLoops = new(0)
		}
		if runs != nil {
			v.Runs = runs()
		}
		b, err := s.Vary(ctx, v)
		if err != nil {
			return started, err
		}
		started = append(started, b)
	}
	return started, nil
}

// ByMethod returns the latest branch of a turn by each method, in the order of
// Methods. A method without a branch is left out.
func (s *Service) ByMethod(ctx context.Context, w domain.WorkspaceID, m domain.MessageID) (map[domain.MethodName]ledger.Answer, error) {
	all, err := s.Ledger.BranchesOf(ctx, w, m)
	if err != nil {
		return nil, err
	}
	by := map[domain.MethodName]ledger.Answer{}
	for _, b := range slices.Backward(all) {
		if b.Purpose != string(Method) {
			continue
		}
		changes, err := ChangesOf(b)
		if err != nil {
			return nil, err
		}
		if changes.Method == nil {
			continue
		}
		if _, ok := by[*changes.Method]; !ok {
			by[*changes.Method] = b
		}
	}
	return by, nil
}
