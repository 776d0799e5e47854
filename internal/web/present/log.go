package present

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/partial"
)

// A Log is a run with all that is kept of it.
type Log struct {
	job.Run
	Kind    run.Kind
	Events  []trace.Event
	Moments []trace.Moment // none without events
	View    *trace.View

	Loop Loop // whose rounds are counted
}

// Log reads what is kept of a run.
func (p *Runs) Log(ctx context.Context, r job.Run) (l Log, err error) {
	l = Log{Run: r, Kind: p.Kinds.Named(r.Kind)}
	if l.Events, err = p.Hub.Events(ctx, r.Workspace, r.ID, 0); err != nil {
		return l, err
	}
	if len(l.Events) == 0 {
		l.View = trace.NewView(r.ID, l.Kind.Topology)
		l.View.State = endStates[r.Status]
		return l, nil
	}
	l.Moments, l.View = trace.Moments(r.ID, l.Kind.Topology, l.Events)
	l.Loop = p.loopOf(ctx, l)
	return l, nil
}

// loopOf returns the loop whose rounds are counted. How many there may be at most says the state that an ended run began
// with: a branch may allow another number than the settings here.
func (p *Runs) loopOf(ctx context.Context, l Log) Loop {
	loop := p.Loops[l.Kind.Name]
	if loop.Node == "" || !l.Status.Ended() {
		return loop
	}
	var begins struct {
		MaxLoops *int `json:"max_loops"`
	}
	state, err := l.Kind.StateAt(ctx, l.ID, l.Moments[0])
	if err == nil && json.Unmarshal(state, &begins) == nil && begins.MaxLoops != nil {
		loop.Max = *begins.MaxLoops
	}
	return loop
}

// Drawn returns the drawing of the whole run.
func (p *Runs) Drawn(ctx context.Context, l Log) partial.TraceProps { return p.draw(ctx, l, l.View) }

// draw returns the drawing of the run as in v. All moments of a run have the same nodes.
func (p *Runs) draw(ctx context.Context, l Log, v *trace.View) partial.TraceProps {
	return p.priced(ctx, l.Workspace, v, narrowed(l.Kind.Topology, l.View), l.Loop)
}

// MomentOf returns the number of the moment after the row n of the run's steps, -1 if that step was not finished.
func (l Log) MomentOf(n int) int {
	return slices.IndexFunc(l.Moments, func(m trace.Moment) bool { return slices.Contains(m.Rows, n) })
}

// State returns the state of the run at its moment n as JSON, or an error of kind NotFound.
func (l Log) State(ctx context.Context, n int) (json.RawMessage, error) {
	if len(l.Moments) == 0 {
		return nil, domain.Errorf(domain.NotFound, "The steps of this run are gone: it has read a document that was deleted, or has not begun.")
	}
	m, err := trace.MomentAt(l.Moments, n)
	if err != nil {
		return nil, err
	}
	return l.Kind.StateAt(ctx, l.ID, m)
}
