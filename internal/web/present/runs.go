package present

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/partial"
)

// Runs draws runs. All fields are required but Loops, Costs and Walks.
type Runs struct {
	Queue *job.Queue
	Hub   *trace.Hub
	Kinds run.Kinds
	Loops map[string]Loop // by kind of run, for graphs whose rounds are counted
	Costs *costs.Service  // nil leaves costs out
	Walks *Walks          // draws how searches went; nil draws none
	Now   domain.Clock
}

// A Loop names the node whose rounds are counted in a graph.
type Loop struct {
	Node string // the node that rewords the question, once a round
	Max  int    // by the settings
}

// A Part draws what the page of a run's subject shows of the run.
type Part struct {
	// Draw returns the part. live reports whether more follows without a
	// person's answer.
	Draw   func(ctx context.Context, r job.Run, v *trace.View) (part templ.Component, live bool, err error)
	Figure func(ctx context.Context, r job.Run, f domain.Figure) (templ.Component, error) // draws a chart; nil where there are none
}

// Trace returns the drawing of a stored run. Errors are those of the queue and
// the event log.
func (p *Runs) Trace(ctx context.Context, w domain.WorkspaceID, kind string, id domain.RunID) (partial.TraceProps, error) {
	v, err := p.View(ctx, w, kind, id)
	if err != nil {
		return partial.TraceProps{}, err
	}
	return p.TraceOf(ctx, w, kind, v)
}

// TraceOf returns the drawing of a run from its view. A run whose events were
// deleted with a document it read has no steps, only its final state.
func (p *Runs) TraceOf(ctx context.Context, w domain.WorkspaceID, kind string, v *trace.View) (partial.TraceProps, error) {
	if v.Last == 0 {
		r, err := p.Queue.Get(ctx, w, v.Run)
		if err != nil && domain.KindOf(err) != domain.NotFound {
			return partial.TraceProps{}, err
		}
		v.State = endStates[r.Status]
	}
	return p.Draw(ctx, w, v, kind), nil
}

var endStates = map[job.Status]trace.State{job.Done: trace.Done, job.Failed: trace.Failed, job.Stopped: trace.Stopped}

// EndState returns the state of a run that has ended, by its status.
func EndState(s job.Status) trace.State { return endStates[s] }

// View returns the view of a run, built from its stored events.
func (p *Runs) View(ctx context.Context, w domain.WorkspaceID, kind string, id domain.RunID) (*trace.View, error) {
	events, err := p.Hub.Events(ctx, w, id, 0)
	if err != nil {
		return nil, err
	}
	return p.Fold(kind, id, events), nil
}

// Fold returns the view of a run after the given events.
func (p *Runs) Fold(kind string, id domain.RunID, events []trace.Event) *trace.View {
	return trace.Fold(id, p.Kinds.Named(kind).Topology, events)
}

// Draw returns the drawing of a run from its view.
func (p *Runs) Draw(ctx context.Context, w domain.WorkspaceID, v *trace.View, kind string) partial.TraceProps {
	return p.priced(ctx, w, v, narrowed(p.Kinds.Named(kind).Topology, v), p.Loops[kind])
}

// priced draws a topology that holds no more than is to be drawn, with what the run has
// cost, row by row.
func (p *Runs) priced(ctx context.Context, w domain.WorkspaceID, v *trace.View, t stategraph.Topology, loop Loop) partial.TraceProps {
	drawn, rows := drawn(v, t, loop, p.Now())
	drawn.Cost = p.Cost(ctx, v)
	for i, s := range rows {
		p.soFar(ctx, &drawn.Steps[i], v, s)
		p.quote(ctx, w, &drawn.Steps[i])
	}
	return drawn
}

// row returns the row of a step in the list of a run of some kind, with what it
// cost.
func (p *Runs) row(ctx context.Context, w domain.WorkspaceID, v *trace.View, kind string, s *trace.Step) partial.StepProps {
	row := Step(v, s, p.Loops[kind])
	p.soFar(ctx, &row, v, s)
	p.quote(ctx, w, &row)
	return row
}

// quote adds to the row of a step that is done the sentences that its grades rest on.
func (p *Runs) quote(ctx context.Context, w domain.WorkspaceID, row *partial.StepProps) {
	if p.Walks != nil && row.State == diagram.Seen {
		row.Nearest, _ = NearestSentences(ctx, p.Walks.Ledger, w, row.Grades) // a row without them has the reasons
	}
}

// NearestSentences returns the sentences that grades rest on. A passage that is gone has
// none.
func NearestSentences(ctx context.Context, l *ledger.Ledger, w domain.WorkspaceID, grades []domain.Grading) (map[domain.ChunkID]string, error) {
	near := map[domain.ChunkID]domain.Span{}
	for _, g := range grades {
		if g.Nearest != nil {
			near[g.Chunk] = g.Nearest.Span
		}
	}
	if len(near) == 0 {
		return nil, nil
	}
	passages, err := l.Passages(ctx, w, slices.Collect(maps.Keys(near)))
	sentences := map[domain.ChunkID]string{}
	for _, passage := range passages {
		sentence := near[passage.ID].Shift(-passage.Span.Start).Slice(passage.Text)
		sentences[passage.ID] = strings.Join(strings.Fields(sentence), " ")
	}
	return sentences, err
}

// soFar adds to the row of a step what it has cost, and how long a call takes that is at work.
func (p *Runs) soFar(ctx context.Context, row *partial.StepProps, v *trace.View, s *trace.Step) {
	row.Cost = p.cost(ctx, v, s.Usages)
	if row.Estimated = slices.ContainsFunc(s.Usages, func(u domain.Usage) bool { return u.Estimated }); row.Estimated {
		row.Took = max(row.Took, p.Now().Sub(s.Began))
	}
}

// Cost writes what a run has cost, "" if it asked no model. Prices that can't be
// read are told on the page Usage, and leave it out here.
func (p *Runs) Cost(ctx context.Context, v *trace.View) string {
	if v.Tokens() == 0 {
		return ""
	}
	return p.cost(ctx, v, v.Usages())
}

// cost writes what calls of a run have cost, "" for none.
func (p *Runs) cost(ctx context.Context, v *trace.View, used []domain.Usage) string {
	if p.Costs == nil || len(used) == 0 {
		return ""
	}
	t, err := p.Costs.Prices.Table(ctx)
	if err != nil {
		return ""
	}
	return t.Sum(costs.DayOf(v.Started), used...).Fine()
}

// Spent writes what runs of one workspace have cost, by their ids. Those that asked no model are left out.
func (p *Runs) Spent(ctx context.Context, runs ...job.Run) (map[domain.RunID]string, error) {
	if p.Costs == nil || len(runs) == 0 {
		return nil, nil
	}
	ids := make([]domain.RunID, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	spent, err := p.Costs.OfRuns(ctx, runs[0].Workspace, ids...)
	said := map[domain.RunID]string{}
	for id, s := range spent {
		said[id] = s.Short()
	}
	return said, err
}
