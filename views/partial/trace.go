package partial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/worddiff"
)

// Drawing lays out the run's graph.
func (p TraceProps) Drawing() diagram.Drawing {
	visits := make([]diagram.Visit, len(p.Visits))
	for i, v := range p.Visits {
		if v.Note == "" && p.MaxLoops > 0 && p.Loop > 0 && p.leadsBack(v.Node) {
			v.Note = p.loops()
		}
		visits[i] = v
	}
	return diagram.Draw(p.Topology, visits, p.Walked)
}

// leadsBack reports whether a node leads only to an earlier one.
func (p TraceProps) leadsBack(node string) bool {
	place := map[string]int{}
	for i, n := range p.Topology.Nodes {
		place[n.Name] = i
	}
	out, back := 0, 0
	for _, e := range p.Topology.Edges {
		if e.From == node {
			out++
			if place[e.To] < place[node] {
				back++
			}
		}
	}
	return out > 0 && out == back
}

// Summary describes the graph for screen readers.
func (p TraceProps) Summary() string {
	said := []string{"State graph of this run."}
	for _, v := range p.Visits {
		name := v.Node
		switch {
		case v.State == diagram.Now:
			said = append(said, name+" is at work.")
		case v.State == diagram.Failed:
			said = append(said, name+" failed.")
		case v.Times > 1:
			said = append(said, fmt.Sprintf("%s ran %d times.", name, v.Times))
		}
	}
	if p.MaxLoops > 0 && p.Loop > 0 {
		said = append(said, fmt.Sprintf("Loop %d of %d.", p.Loop, p.MaxLoops))
	}
	return strings.Join(said, " ")
}

// Stations returns the nodes of the main line with their state, for the one-line
// trace, without those that the run went past. One that searched in vain says that the
// question was reworded, and leaves out the check of an answer that claims nothing.
func (p TraceProps) Stations() []StripProps { return p.stations(p.Drawing()) }

// stations is Stations of a run's drawing.
func (p TraceProps) stations(d diagram.Drawing) []StripProps {
	var stations []StripProps
	stops := d.Stops
	reached, vain := lastReached(stops), p.capped()
	for i, s := range stops {
		station := StripProps{Node: s.Node, State: s.State, Times: s.Times, Vain: vain}
		switch {
		case s.Kind == diagram.Start || s.Kind == diagram.End || s.Within != "" || s.Name.End:
		case s.State == diagram.Waiting && i < reached: // the run went past it
		case vain && s.Figure.Text == SaysNoClaims:
		case s.Kind == diagram.Branch: // what follows it is walked once
			if vain {
				stations = append(stations, reworded(stops)...)
			}
			station.Times = min(station.Times, 1)
			stations = append(stations, station)
		default:
			stations = append(stations, station)
		}
	}
	return stations
}

// SaysNoClaims is the remark on a check that had nothing to check.
const SaysNoClaims = "no claims"

// reworded returns the stations beside the main line that a run has reached.
func reworded(stops []diagram.Stop) []StripProps {
	var stations []StripProps
	for _, s := range stops {
		if s.Name.End && s.State != diagram.Waiting && s.Within == "" {
			stations = append(stations, StripProps{Node: s.Node, State: s.State, Times: s.Times, Vain: true})
		}
	}
	return stations
}

// capped reports whether the searches of a run ended because no more were allowed.
func (p TraceProps) capped() bool {
	return slices.ContainsFunc(p.Walked, func(w diagram.Walk) bool { return w.Label == "cap reached" })
}

// lastReached returns the index of the last stop of the main line that the run has
// reached, -1 for none.
func lastReached(stops []diagram.Stop) int {
	reached := -1
	for i, s := range stops {
		if s.State != diagram.Waiting && !s.Name.End {
			reached = i
		}
	}
	return reached
}

// Later names the nodes of the main line that a run has still to reach, none once it has
// ended.
func (p TraceProps) Later() []string {
	if !p.Live() {
		return nil
	}
	return p.later(p.Drawing())
}

// later is Later of a run's drawing.
func (p TraceProps) later(d diagram.Drawing) []string {
	if !p.Live() {
		return nil
	}
	var nodes []string
	for _, s := range d.Stops[lastReached(d.Stops)+1:] {
		if s.Kind != diagram.End && s.Kind != diagram.Start && s.Kind != diagram.Branch && !s.Name.End && s.Within == "" {
			nodes = append(nodes, s.Node)
		}
	}
	return nodes
}

// inVain are the names of stations where a search found nothing.
var inVain = map[string]string{"transform_query": "rewrite", "generate": "write"}

// Short returns the station's name for narrow screens.
func (p StripProps) Short() string {
	if said := inVain[p.Node]; p.Vain && said != "" {
		return said
	}
	name, _, _ := strings.Cut(p.Node, "_")
	return name
}

func (p StripProps) class() string {
	switch {
	case p.State.Or() == diagram.Waiting:
		return "later"
	case p.State == diagram.Now:
		return "now"
	case p.State == diagram.Failed:
		return "failed"
	case p.Times > 1:
		return "twice"
	}
	return ""
}

// figures returns the totals of a run as text.
func (p TraceProps) figures() []string {
	var figures []string
	if p.Took > 0 {
		figures = append(figures, format.Duration(p.Took))
	}
	if p.Tokens > 0 {
		figures = append(figures, format.Count(p.Tokens, "token", "tokens"))
	}
	if p.Cost != "" {
		figures = append(figures, p.Cost)
	}
	if p.Resumed {
		figures = append(figures, "resumed")
	}
	return figures
}

// InShort says what the run took and cost.
func (p TraceProps) InShort() string {
	said := format.Duration(p.Took)
	if p.Cost != "" {
		said += ", " + p.Cost
	}
	return said
}

// InAll says how often an ended run searched, and what that took and cost; "" if it
// searched once.
func (p TraceProps) InAll() string {
	if p.Live() || p.Loop == 0 {
		return ""
	}
	said := format.Count(p.Loop+1, "pass", "passes") + ", " + p.loops()
	if p.capped() {
		said += ", cap reached"
	}
	return said + ". " + p.InShort()
}

func (p TraceProps) loops() string { return fmt.Sprintf("rewrite %d of %d", p.Loop, p.MaxLoops) }

// calm reports whether the drawing says all there is to say of how the run stands.
func (p TraceProps) calm() bool {
	return !p.Asks && (p.State == diagram.Seen || p.State == diagram.Now)
}

// Title names the run by the first letters of its id, which its page has in full.
func (p TraceProps) Title() string {
	id := strings.TrimPrefix(string(p.Run), "run")
	return "Run " + id[:min(len(id), 6)]
}

func (p TraceProps) status() string {
	if p.Asks {
		return "waiting for you"
	}
	switch p.State {
	case diagram.Now:
		return "at work"
	case diagram.Seen:
		return "finished"
	case diagram.Failed:
		return "failed"
	case diagram.Stopped:
		return "stopped"
	}
	return "waiting"
}

func graphID(run domain.RunID) string  { return "graph-" + string(run) }
func stepsID(run domain.RunID) string  { return "steps-" + string(run) }
func totalsID(run domain.RunID) string { return "totals-" + string(run) }
func laterID(run domain.RunID) string  { return "later-" + string(run) }
func stripID(run domain.RunID) string  { return "strip-" + string(run) }

func (p StepProps) id() string { return fmt.Sprintf("step-%s-%d", p.Run, p.N) }

func (p StepProps) class() string {
	switch p.State.Or() {
	case diagram.Now:
		return "now"
	case diagram.Waiting:
		return "later"
	case diagram.Failed:
		return "failed"
	case diagram.Stopped:
		return "stopped"
	}
	return ""
}

// about says that a figure is an estimate.
func (p StepProps) about() templ.Attributes {
	if !p.Estimated {
		return nil
	}
	return templ.Attributes{"title": "About, until the server has counted"}
}

// within names the subgraphs that contain the step.
func (p StepProps) within() string { return strings.Join(p.Within, ", ") }

// note returns the remark beside the name.
func (p StepProps) note() string {
	switch {
	case p.Note != "":
		return p.Note
	case p.Total > 0:
		return fmt.Sprintf("%s of %s", format.Int(p.Done), format.Int(p.Total))
	}
	return ""
}

// remarks returns the lines of small print under a step.
func (p StepProps) remarks() []string {
	var out []string
	if p.Attempt > 1 {
		out = append(out, fmt.Sprintf("Attempt %d.", p.Attempt))
	}
	return append(out, p.Notes...)
}

// called names the models that a step asked.
func (p StepProps) called() string {
	switch {
	case p.Recorded && len(p.Models) > 0:
		return "Recorded before by " + strings.Join(p.Models, ", ") + ", not called again."
	case len(p.Models) > 0:
		return "Model: " + strings.Join(p.Models, ", ") + "."
	}
	return ""
}

// said reports whether a step shows more than what it wrote to the state.
func (p StepProps) said() bool {
	return len(p.Grades)+len(p.Rewrites)+len(p.Methods)+len(p.remarks()) > 0 && len(p.Writes)+len(p.Models) > 0
}

// Bare reports whether there is nothing to unfold.
func (p StepProps) Bare() bool {
	return len(p.Grades)+len(p.Rewrites)+len(p.Methods)+len(p.Writes)+len(p.Models)+len(p.remarks()) == 0 && p.Problem == ""
}

// ChangesProps show what a step changed in the state of its run.
type ChangesProps struct {
	Run   domain.RunID
	N     int // of the step's row
	Lines []ChangeLine
	Gone  string // why it can't be told; "" where it can
}

// A ChangeLine is a value that a field got or lost.
type ChangeLine struct {
	Added bool
	Field string
	Value string
}

func (l ChangeLine) class() string {
	if l.Added {
		return "a"
	}
	return "r"
}

// text writes a line with its values in a column.
func (p ChangesProps) text(l ChangeLine) string {
	widest := 0
	for _, other := range p.Lines {
		widest = max(widest, len(other.Field))
	}
	sign := "−"
	if l.Added {
		sign = "+"
	}
	return fmt.Sprintf("%s %-*s  %s", sign, widest, l.Field, l.Value)
}

func diffOf(r domain.Rewrite) []worddiff.Part { return worddiff.Wordings(r.From, r.To) }

// spaced returns the space before the next part.
func spaced(parts []worddiff.Part, i int) string {
	if i+1 < len(parts) && !parts[i+1].Tight {
		return " "
	}
	return ""
}

// gradeName returns the name and page of a graded document.
func gradeName(g domain.Grading) string { return g.Where() }

// How many of the passages graded no are listed at once, beside relevant ones and
// alone, and how many when one asks for them.
const (
	besides = 1
	alone   = 2
	shown   = 24
)

// grades returns the grades that are listed, the relevant ones first, and the rest of
// those graded no.
func (p StepProps) grades() (first, rest []domain.Grading) {
	var other []domain.Grading
	for _, g := range p.Grades {
		switch g.Verdict {
		case domain.Relevant:
			first = append(first, g)
		case domain.Irrelevant:
			rest = append(rest, g)
		default:
			other = append(other, g)
		}
	}
	n := besides
	if len(first) == 0 {
		n = alone
	}
	n = min(n, len(rest))
	return slices.Concat(first, other, rest[:n]), rest[n:]
}

func (p StepProps) writes() string { return strings.Join(p.Writes, ", ") }

func nameClass(s diagram.Stop) string {
	switch s.State {
	case diagram.Now:
		return "b"
	case diagram.Waiting:
		return "dim"
	}
	return ""
}

// legible is how much larger than it is a drawing is shown at least: its letters of
// 11.5 units then have 12 px.
const legible = 1.044

func verdictWord(v domain.Verdict) string {
	if v == domain.Ungraded {
		return "none"
	}
	return string(v)
}
