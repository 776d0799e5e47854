package present

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/trace"
	"github.com/clewhq/clew/views/partial"
)

// Runs draws runs. All fields are required but Loops.
type Runs struct {
	Queue *job.Queue
	Hub   *trace.Hub
	Kinds run.Kinds
	Loops map[string]Loop // by kind of run, for graphs whose rounds are counted
	Now   func() time.Time
}

// A Loop names the node whose rounds are counted in a graph.
type Loop struct {
	Node string // the node that rewords the question, once a round
	Max  int
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
	return p.Draw(v, kind), nil
}

var endStates = map[job.Status]trace.State{job.Done: trace.Done, job.Failed: trace.Failed, job.Stopped: trace.Stopped}

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
func (p *Runs) Draw(v *trace.View, kind string) partial.TraceProps {
	return Run(v, p.Kinds.Named(kind).Topology, p.Loops[kind], p.Now())
}
