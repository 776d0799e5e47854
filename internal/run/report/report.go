// Package report describes how a run went: its steps in words, the time and money it took, the lit
// graph, and the state between two steps. Pages, event streams and commands show the same report.
package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// Runs reports on runs. All fields are required but Loops, Costs, Ledger and Graph.
type Runs struct {
	Queue  *job.Queue
	Hub    *trace.Hub
	Kinds  run.Kinds
	Loops  map[string]Loop   // by kind of run, for graphs whose rounds are counted
	Costs  *costs.Service    // nil leaves costs out
	Ledger *ledger.Ledger    // names passages; if nil, searches and the sentences that grades rest on are left out
	Graph  graphstore.Reader // names entities
	Now    domain.Clock
}

// A Loop names the node whose rounds are counted in a graph.
type Loop struct {
	Node string // the node that rewords the question, once per round
	Max  int    // from the settings
}

// A Log is a run with all that is kept of it.
type Log struct {
	job.Run
	Kind    run.Kind
	Events  []trace.Event
	Moments []trace.Moment // empty if there are no events
	View    *trace.View

	Loop Loop // whose rounds are counted
}

// Log reads the stored log of a run.
func (p *Runs) Log(ctx context.Context, r job.Run) (l Log, err error) {
	l = Log{Run: r, Kind: p.Kinds.Named(r.Kind)}
	if l.Events, err = p.Hub.Events(ctx, r.Workspace, r.ID, 0); err != nil {
		return l, err
	}
	if len(l.Events) == 0 {
		l.View = trace.NewView(r.ID, l.Kind.Topology)
		l.View.State = EndState(r.Status)
		return l, nil
	}
	l.Moments, l.View = trace.Moments(r.ID, l.Kind.Topology, l.Events)
	l.Loop = p.loopOf(ctx, l)
	return l, nil
}

// Read reads the log of the run with an id. A run that ends in the meantime is read in its final state. The error is
// NotFound for an unknown run.
func (p *Runs) Read(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (Log, error) {
	r, err := p.Queue.Get(ctx, w, id)
	if err != nil {
		return Log{}, err
	}
	l, err := p.Log(ctx, r)
	if err != nil || !l.View.Settled || r.Status.Ended() {
		return l, err
	}
	if r, err = p.Queue.Get(ctx, w, id); err != nil {
		return Log{}, err
	}
	return p.Log(ctx, r)
}

// loopOf returns the loop whose rounds are counted. The maximum comes from the initial state of an ended run, because a
// branch may allow another number than the current settings.
func (p *Runs) loopOf(ctx context.Context, l Log) Loop {
	loop := p.Loops[l.Kind.Name]
	if loop.Node == "" || !l.Status.Ended() || l.View.Withheld {
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

// MomentOf returns the number of the moment after the row n of the run's steps, or -1 if that step was not finished.
func (l Log) MomentOf(n int) int {
	return slices.IndexFunc(l.Moments, func(m trace.Moment) bool { return slices.Contains(m.Rows, n) })
}

// at returns the moment n of the run, its last for n < 0. Errors are NotFound.
func (l Log) at(n int) (trace.Moment, error) {
	if l.View.Withheld {
		return trace.Moment{}, trace.ErrWithheld
	}
	if len(l.Moments) == 0 {
		return trace.Moment{}, domain.Errorf(domain.NotFound, "The steps of this run are gone: it read a document that has been deleted, or it has not started.")
	}
	if n < 0 {
		n = len(l.Moments) - 1
	}
	return trace.MomentAt(l.Moments, n)
}

// State returns the state of the run at its moment n as JSON, or an error of kind NotFound.
func (l Log) State(ctx context.Context, n int) (json.RawMessage, error) {
	m, err := l.at(n)
	if err != nil {
		return nil, err
	}
	return l.Kind.StateAt(ctx, l.ID, m)
}

// EndState returns the state of a run that has ended, by its status.
func EndState(s job.Status) trace.State {
	return map[job.Status]trace.State{job.Done: trace.Done, job.Failed: trace.Failed, job.Stopped: trace.Stopped}[s]
}

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

// Trace returns the trace of a stored run. Errors are those of the queue and the event log.
func (p *Runs) Trace(ctx context.Context, w domain.WorkspaceID, kind string, id domain.RunID) (outline.Trace, error) {
	v, err := p.View(ctx, w, kind, id)
	if err != nil {
		return outline.Trace{}, err
	}
	return p.TraceOf(ctx, w, kind, v)
}

// TraceOf returns the trace of a run from its view. A run whose events were deleted with a document it read has no steps,
// only its final state.
func (p *Runs) TraceOf(ctx context.Context, w domain.WorkspaceID, kind string, v *trace.View) (outline.Trace, error) {
	if v.Last == 0 {
		r, err := p.Queue.Get(ctx, w, v.Run)
		if err != nil && domain.KindOf(err) != domain.NotFound {
			return outline.Trace{}, err
		}
		v.State = EndState(r.Status)
	}
	return p.Draw(ctx, w, v, kind), nil
}

// Draw returns the trace of a run from its view.
func (p *Runs) Draw(ctx context.Context, w domain.WorkspaceID, v *trace.View, kind string) outline.Trace {
	return p.traced(ctx, w, v, narrowed(p.Kinds.Named(kind).Topology, v), p.Loops[kind])
}

// Drawn returns the trace of the whole run.
func (p *Runs) Drawn(ctx context.Context, l Log) outline.Trace { return p.draw(ctx, l, l.View) }

// draw returns the trace of the run as in v. All moments of a run have the same nodes.
func (p *Runs) draw(ctx context.Context, l Log, v *trace.View) outline.Trace {
	return p.traced(ctx, l.Workspace, v, narrowed(l.Kind.Topology, l.View), l.Loop)
}

// traced returns the trace of a run as of now. The topology holds no more than is to be drawn.
func (p *Runs) traced(ctx context.Context, w domain.WorkspaceID, v *trace.View, topology stategraph.Topology, loop Loop) outline.Trace {
	past := bypasses(topology)
	topology = around(topology, past)
	open := openNodes(v, topology)
	flat := unfold(topology, open)
	taken := takenEdges(v, topology, open)
	goAround(taken, v, past)
	t := outline.Trace{
		Run: v.Run, Topology: Topology(flat), State: drawn(v.State), Problem: v.Problem, Resumed: v.Resumed, Asks: v.Asks,
		Took: v.Took(p.Now()), Tokens: v.Tokens(), Cost: p.Cost(ctx, v), Loop: loop.Rounds(v), MaxLoops: loop.Max, After: v.Last,
		Visits: visits(v), Walked: walked(taken, folded(flat)), Gist: Gist(v),
	}
	if unwritten(v) {
		t.Undone = needsModel
	}
	nameless(&t)
	for _, s := range rows(v, open) {
		t.Steps = append(t.Steps, p.row(ctx, w, v, s, loop))
	}
	return t
}

// nameless removes the names of the edges out of the start, because it is visible which one was taken.
func nameless(t *outline.Trace) {
	for i, e := range t.Topology.Edges {
		if e.From == stategraph.Start {
			t.Topology.Edges[i].Label = ""
		}
	}
	for i, w := range t.Walked {
		if w.From == stategraph.Start {
			t.Walked[i].Label = ""
		}
	}
}

// rows returns the steps with a row. Steps of a closed subgraph are part of the row of its node.
func rows(v *trace.View, open map[string]bool) []*trace.Step {
	var list []*trace.Step
	at := map[string]int{} // of the last row of each node of the graph itself
	for _, s := range v.Steps {
		if len(s.Path) == 0 {
			at[s.Node] = len(list)
			list = append(list, s)
			continue
		}
		if i, ok := at[s.Path[0]]; ok && !open[s.Path[0]] {
			both := *list[i]
			both.Usages, both.Notes, both.Open = slices.Concat(both.Usages, s.Usages), slices.Concat(both.Notes, s.Notes), slices.Concat(both.Open, s.Open)
			list[i] = &both
		} else {
			list = append(list, s)
		}
	}
	return list
}

// Rows returns the rows that a change of a step affects. A step that opens a subgraph affects the row of its node, and
// adds the rows of the steps before it.
func (p *Runs) Rows(ctx context.Context, w domain.WorkspaceID, v *trace.View, kind string, changed *trace.Step) []outline.Step {
	open := openNodes(v, p.Kinds.Named(kind).Topology)
	from := changed.N
	if len(changed.Path) > 0 && (!open[changed.Path[0]] || opens(v, changed)) {
		from = owner(v, changed)
	}
	var list []outline.Step
	for _, s := range rows(v, open) {
		if s.N == from || s.N > from && s.N <= changed.N && slices.Equal(s.Path, changed.Path) {
			list = append(list, p.row(ctx, w, v, s, p.Loops[kind]))
		}
	}
	return list
}

// owner returns the number of the step whose subgraph contains a step, or its own number if there is none.
func owner(v *trace.View, s *trace.Step) int {
	for _, before := range slices.Backward(v.Steps[:s.N-1]) {
		if len(before.Path) == 0 && before.Node == s.Path[0] {
			return before.N
		}
	}
	return s.N
}

// opens reports whether a step is the first in its subgraph.
func opens(v *trace.View, s *trace.Step) bool {
	before := v.Steps[owner(v, s)-1 : s.N-1]
	return len(s.Path) == 1 && !slices.ContainsFunc(before, func(b *trace.Step) bool {
		return slices.Equal(b.Path, s.Path) && (b.Node == s.Node || b.Node != firstOf(before, s.Path))
	})
}

// firstOf returns the node of the first step with a path.
func firstOf(steps []*trace.Step, path []string) string {
	if i := slices.IndexFunc(steps, func(s *trace.Step) bool { return slices.Equal(s.Path, path) }); i >= 0 {
		return steps[i].Node
	}
	return ""
}

// StepOf returns the row of a step of a run with the given loop.
func StepOf(v *trace.View, s *trace.Step, loop Loop) outline.Step {
	row := outline.Step{
		Run: v.Run, N: s.N, Node: s.Node, Path: s.Path, Said: Said(v, s, loop), Note: cmp.Or(note(s), loop.round(v, s), counted(s)), State: drawn(s.State),
		Attempt: max(1, s.Attempt), Took: s.Took, Usages: s.Usages, Working: Working(s), Grades: s.Grades, Methods: s.Methods, Writes: s.Writes, Problem: s.Problem,
		Unfolded: s.Node == loop.Node && len(s.Rewrites) > 0 || wrote(s),
	}
	for _, r := range s.Rewrites {
		switch {
		case r.SameWords():
			row.Notes = append(row.Notes, r.How)
			continue
		case r.How == answer.ByModel: // its tokens show it
			r.How = ""
		}
		row.Rewrites = append(row.Rewrites, r)
	}
	for _, n := range s.Notes {
		if n != row.Note {
			row.Notes = append(row.Notes, n)
		}
	}
	return row
}

// row returns the row of a step with its cost, the duration of a call in progress, and, once it is done, the sentences
// that its grades rest on.
func (p *Runs) row(ctx context.Context, w domain.WorkspaceID, v *trace.View, s *trace.Step, loop Loop) outline.Step {
	row := StepOf(v, s, loop)
	row.Cost = p.cost(ctx, v, s.Usages)
	if row.Estimated() {
		row.Took = max(row.Took, p.Now().Sub(s.Began))
	}
	if p.Ledger != nil && s.State == trace.Done {
		row.Nearest, _ = nearestSentences(ctx, p.Ledger, w, row.Grades) // without them, a row still has the reasons
	}
	return row
}

// nearestSentences returns the sentences that grades rest on, leaving out passages that are gone.
func nearestSentences(ctx context.Context, l *ledger.Ledger, w domain.WorkspaceID, grades []domain.Grading) (map[domain.ChunkID]string, error) {
	near := map[domain.ChunkID]domain.Span{}
	for _, g := range grades {
		if g.Nearest != nil {
			near[g.Chunk] = g.Nearest.Span
		}
	}
	if len(near) == 0 {
		return nil, nil
	}
	passages, err := l.AnyPassages(ctx, w, slices.Collect(maps.Keys(near)))
	sentences := map[domain.ChunkID]string{}
	for _, passage := range passages {
		sentences[passage.ID] = domain.OneLine(near[passage.ID].Shift(-passage.Span.Start).Slice(passage.Text))
	}
	return sentences, err
}

// Cost returns the cost of a run, or "" if it asked no model. Pages omit costs while prices can't be read, which the page
// Usage reports.
func (p *Runs) Cost(ctx context.Context, v *trace.View) string {
	if v.Tokens() == 0 {
		return ""
	}
	return p.cost(ctx, v, v.Usages())
}

// cost returns the cost of some calls of a run, or "" if there are none.
func (p *Runs) cost(ctx context.Context, v *trace.View, used []domain.Usage) string {
	if amount, known := p.amount(ctx, v, used); known {
		return amount.Fine()
	}
	return ""
}

// amount returns the cost of some calls of a run. It returns false if there are none, or no prices.
func (p *Runs) amount(ctx context.Context, v *trace.View, used []domain.Usage) (costs.Amount, bool) {
	if p.Costs == nil || len(used) == 0 {
		return costs.Amount{}, false
	}
	prices, err := p.Costs.Prices.Table(ctx)
	return prices.Sum(costs.DayOf(v.Started), used...), err == nil
}

// Spent returns the cost of runs of one workspace in words, by run id. Runs that asked no model are left out.
func (p *Runs) Spent(ctx context.Context, runs ...job.Run) (map[domain.RunID]string, error) {
	if p.Costs == nil || len(runs) == 0 {
		return nil, nil
	}
	ids := lists.Map(runs, func(r job.Run) domain.RunID { return r.ID })
	spent, err := p.Costs.OfRuns(ctx, runs[0].Workspace, ids...)
	said := map[domain.RunID]string{}
	for id, s := range spent {
		said[id] = s.Short()
	}
	return said, err
}

// Rounds returns how often a run has reworded its question.
func (l Loop) Rounds(v *trace.View) int { return l.roundsTo(v, math.MaxInt) }

// roundsTo returns how often a run reworded its question up to its nth step.
func (l Loop) roundsTo(v *trace.View, n int) int {
	rounds := 0
	for _, s := range v.Steps {
		if s.Node == l.Node && s.N <= n {
			rounds += len(s.Rewrites)
		}
	}
	return rounds
}

// round names the round that a step started by rewording the question, or returns "" for other steps.
func (l Loop) round(v *trace.View, s *trace.Step) string {
	if s.Node != l.Node || len(s.Rewrites) == 0 || l.Max == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", l.roundsTo(v, s.N), l.Max)
}
