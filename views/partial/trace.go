package partial

import (
	"cmp"
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
func (p TraceProps) Drawing() diagram.Drawing { return diagram.Draw(p.Topology, p.visits(), p.Walked) }

// PlainDrawing lays out the run's graph in plain words.
func (p TraceProps) PlainDrawing() diagram.Drawing {
	return diagram.DrawPlain(p.Topology, p.visits(), p.Walked)
}

// visits returns the visits with the rounds of the loop.
func (p TraceProps) visits() []diagram.Visit {
	visits := make([]diagram.Visit, len(p.Visits))
	for i, v := range p.Visits {
		if v.Note == "" && p.MaxLoops > 0 && p.Loop > 0 && p.leadsBack(v.Node) {
			v.Note = p.loops()
		}
		visits[i] = v
	}
	return visits
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
	said := []string{"The way of this run."}
	if p.Gist != "" {
		said = append(said, p.Gist)
	}
	for _, v := range p.Visits {
		words := diagram.Plain(p.Topology.Name, v.Node)
		switch {
		case v.State == diagram.Now && !strings.HasPrefix(p.Gist, words.Now):
			said = append(said, words.Now+".")
		case v.State == diagram.Failed:
			said = append(said, words.Later+": failed.")
		case v.Times > 1 && words.Done != words.Later: // no decision
			said = append(said, fmt.Sprintf("%s, %d times.", words.Done, v.Times))
		}
	}
	return strings.Join(said, " ")
}

// Stations returns the nodes of the main line with their state, for the one-line
// trace, without decisions and what the run went past. Where it reworded the question,
// that follows what led to it; the check of an answer that claims nothing is left out.
func (p TraceProps) Stations() []StripProps { return p.stations(p.PlainDrawing()) }

// stations is Stations of a run's drawing.
func (p TraceProps) stations(d diagram.Drawing) []StripProps {
	var stations []StripProps
	stops := d.Stops
	reached, vain := lastReached(stops), p.capped()
	for i, s := range stops {
		switch {
		case s.Kind == diagram.Start || s.Kind == diagram.End || s.Within != "" || s.Name.End:
		case s.State == diagram.Waiting && i < reached: // the run went past it
		case vain && s.Figure.Text == SaysNoClaims:
		case s.Kind == diagram.Branch:
			stations = append(stations, p.beside(stops)...)
		default:
			stations = append(stations, p.station(s))
		}
	}
	return stations
}

func (p TraceProps) station(s diagram.Stop) StripProps {
	return StripProps{Node: s.Node, Said: diagram.Plain(p.Topology.Name, s.Node).In(s.State), State: s.State, Times: s.Times}
}

// SaysNoClaims is the remark on a check that had nothing to check.
const SaysNoClaims = "nothing"

// beside returns the stations beside the main line that a run has reached.
func (p TraceProps) beside(stops []diagram.Stop) []StripProps {
	var stations []StripProps
	for _, s := range stops {
		if s.Name.End && s.State != diagram.Waiting && s.Within == "" {
			stations = append(stations, p.station(s))
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
	return p.later(p.PlainDrawing())
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

// Short returns the first of the station's plain words, for narrow screens.
func (p StripProps) Short() string {
	word, _, _ := strings.Cut(cmp.Or(p.Said, diagram.Plain("", p.Node).In(p.State)), " ")
	return strings.ToLower(word)
}

// ShortName returns the beginning of the station's name.
func (p StripProps) ShortName() string {
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

// A total is a figure of a run.
type total struct{ text, class string }

// figures returns the totals of a run as text.
func (p TraceProps) figures() []total {
	var figures []total
	if p.Took > 0 {
		figures = append(figures, total{format.Duration(p.Took), ""})
	}
	if p.Tokens > 0 {
		figures = append(figures, total{format.Count(p.Tokens, "token", "tokens"), "te"})
	}
	if p.Cost != "" {
		figures = append(figures, total{p.Cost, ""})
	}
	if p.Resumed {
		figures = append(figures, total{"resumed", ""})
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
	said := format.Count(p.Loop+1, "search", "searches")
	if p.capped() {
		said += ", tried enough"
	}
	return said + ". " + p.InShort()
}

func (p TraceProps) loops() string { return fmt.Sprintf("%d of %d", p.Loop, p.MaxLoops) }

// calm reports whether the drawing says all there is to say of how the run stands.
func (p TraceProps) calm() bool {
	return !p.Asks && (p.State == diagram.Seen || p.State == diagram.Now)
}

// Title names the run by the first letters of its id, which its page has in full.
func (p TraceProps) Title() string {
	id := strings.TrimPrefix(string(p.Run), "run")
	return "Run " + id[:min(len(id), 6)]
}

// heading says what the run did.
func (p TraceProps) heading() string {
	switch {
	case p.Topology.Name == "answer" && p.Undone != "":
		return "How this was found"
	case p.Topology.Name == "answer":
		return "How this was answered"
	case p.Topology.Name == "ingest":
		return "How this was read"
	case p.Topology.Name == "summarize":
		return "How this was summed up"
	}
	return p.Title()
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

func gistID(run domain.RunID) string   { return "gist-" + string(run) }
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

// said returns what a reader calls the step.
func (p StepProps) said() string { return cmp.Or(p.Said, diagram.Plain("", p.Node).In(p.State)) }

// hush reports whether the step has nothing to unfold for whom the state does not matter.
func (p StepProps) hush() bool {
	return !p.Bare() && len(p.Grades)+len(p.Rewrites)+len(p.Methods)+len(p.remarks()) == 0 && p.Problem == ""
}

// tells reports whether a step shows more than what it wrote to the state.
func (p StepProps) tells() bool {
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

// How many of the passages that are not relevant are listed at once, beside relevant ones and
// alone, and how many when one asks for them.
const (
	besides = 1
	alone   = 2
	shown   = 24
)

// grades returns the grades that are listed, the relevant ones first, and the rest of
// those that are not.
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

// nearness says how near the sentence comes that a grade rests on.
func nearness(g domain.Grading) string { return fmt.Sprintf("nearness %.2f", g.Nearest.Score) }

// methodSaid returns a method of search in plain words.
func methodSaid(m domain.Method) string {
	switch m.Name {
	case domain.MethodWords:
		return "by words"
	case domain.MethodVectors:
		return "by meaning"
	case domain.MethodWalk:
		return "by names and relations"
	case domain.MethodHybrid:
		return "by words and meaning"
	case domain.MethodRerank:
		return "put in order by a model"
	}
	return string(m.Name)
}

// whyNot says why a method was not used, "" for one that was.
func whyNot(m domain.Method) string {
	why, unused := strings.CutPrefix(m.Reason, "left out: ")
	if !unused {
		return ""
	}
	return cmp.Or(m.Missing, why)
}

// capital writes a remark with a capital letter.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
