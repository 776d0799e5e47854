// Package outline defines the report of a run: its steps, figures and graph, its state between two
// steps, and what was found for a question. Package report fills it in; pages draw it.
package outline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/format"
)

// A Trace is a run as a graph and a list of steps.
type Trace struct {
	Run      domain.RunID
	Topology diagram.Topology
	Visits   []diagram.Visit // of the nodes reached, in any order
	Walked   []diagram.Walk  // edges taken, in any order
	Steps    []Step
	State    diagram.State // of the run
	Problem  string        // why it failed
	Gist     string        // how it went, in a sentence or two
	Undone   string        // what it would still have done; "" for nothing
	Took     time.Duration
	Tokens   int
	Cost     string // "" if there is none
	Loop     int    // rewrites so far
	Resumed  bool   // an earlier attempt was interrupted, and this one continued it
	MaxLoops int    // 0 if the graph has no loop
	After    int    // number of the last event shown; live pages continue from there
	Asks     bool   // it is waiting for a person
	Waits    string // when it will be tried again, and why; "" if it is not waiting
}

// A Step is a row of the list of steps. It includes the calls, notes and waits of its subgraph's steps unless these have
// rows.
type Step struct {
	Run      domain.RunID
	N        int // from 1
	Node     string
	Path     []string // nodes whose subgraphs contain it, outermost first
	Said     string   // its name for readers, and its outcome
	Note     string   // a short remark next to the name, for example "8 passages"
	State    diagram.State
	Attempt  int // from 1
	Took     time.Duration
	Usages   []domain.Usage
	Cost     string   // of its calls; "" if there is none
	Working  []string // calls at work, and what they are waiting for, a sentence each
	Grades   []domain.Grading
	Nearest  map[domain.ChunkID]string // the sentence that a grade rests on, if no model gave the grade
	Rewrites []domain.Rewrite
	Methods  []domain.Method
	Notes    []string
	Writes   []string // fields of the state
	Problem  string
	Unfolded bool // its body is shown
}

// Tokens returns the number of tokens that the step used.
func (s Step) Tokens() int {
	return lists.Sum(s.Usages, domain.Usage.Tokens)
}

// Estimated reports whether a call is in progress, so that tokens and cost are estimates.
func (s Step) Estimated() bool {
	return slices.ContainsFunc(s.Usages, func(u domain.Usage) bool { return u.Estimated })
}

// Models lists the models that were called, in order, each once.
func (s Step) Models() (models []string) {
	for _, u := range s.Usages {
		if u.Model != "" && !slices.Contains(models, u.Model) {
			models = append(models, u.Model)
		}
	}
	return models
}

// Recorded reports whether no call was made, because all answers were recorded earlier.
func (s Step) Recorded() bool {
	return len(s.Usages) > 0 && !slices.ContainsFunc(s.Usages, func(u domain.Usage) bool { return !u.Recorded })
}

// Live reports whether more events will come.
func (p Trace) Live() bool { return p.State.Or() == diagram.Waiting || p.State == diagram.Now }

// Drawing lays out the run's graph.
func (p Trace) Drawing() diagram.Drawing { return diagram.Draw(p.Topology, p.visits(), p.Walked) }

// mostInner is how many nodes of subgraphs a drawing in plain words has, at most: more make its letters too small beside a text.
const mostInner = 10

// PlainDrawing lays out the run's graph in plain words. A large subgraph, such as that of each answer of a research, is left to [Trace.Drawing]
// and to the steps.
func (p Trace) PlainDrawing() diagram.Drawing {
	t, walked := p.Topology, p.Walked
	if t.Inner() > mostInner {
		t, walked = t.Folded(walked)
	}
	return diagram.DrawPlain(t, p.visits(), walked)
}

// visits returns the visits with the rounds of the loop.
func (p Trace) visits() []diagram.Visit {
	visits := make([]diagram.Visit, len(p.Visits))
	for i, v := range p.Visits {
		if v.Note == "" && p.MaxLoops > 0 && p.Loop > 0 && p.leadsBack(v.Node) {
			v.Note = p.Loops()
		}
		visits[i] = v
	}
	return visits
}

// leadsBack reports whether a node leads only to an earlier one.
func (p Trace) leadsBack(node string) bool {
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
func (p Trace) Summary() string {
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

// A Station is a node in the one-line trace.
type Station struct {
	Node  string
	Said  string // in plain words, short
	State diagram.State
	Times int
}

// Short returns the first of the station's plain words, for narrow screens.
func (s Station) Short() string {
	word, _, _ := strings.Cut(cmp.Or(s.Said, diagram.Plain("", s.Node).In(s.State)), " ")
	return strings.ToLower(word)
}

// Stations returns the nodes of the main line of the run's plain drawing with their state, for the one-line trace. It
// leaves out decisions, skipped nodes, and the check of an answer without claims. A rewording follows the nodes that led
// to it.
func (p Trace) Stations(d diagram.Drawing) []Station {
	var stations []Station
	stops := d.Stops
	reached, vain := lastReached(stops), p.capped()
	for i, s := range stops {
		switch {
		case s.Kind == diagram.Start || s.Kind == diagram.End || s.Within != "" || s.Name.End:
		case s.State == diagram.Waiting && i < reached: // the run went past it
		case vain && s.Figure.Text == NothingToCheck:
		case s.Kind == diagram.Branch:
			stations = append(stations, p.beside(stops)...)
		default:
			stations = append(stations, p.station(s))
		}
	}
	return stations
}

func (p Trace) station(s diagram.Stop) Station {
	return Station{Node: s.Node, Said: diagram.Plain(p.Topology.Name, s.Node).In(s.State), State: s.State, Times: s.Times}
}

// beside returns the stations beside the main line that a run has reached.
func (p Trace) beside(stops []diagram.Stop) []Station {
	var stations []Station
	for _, s := range stops {
		if s.Name.End && s.State != diagram.Waiting && s.Within == "" {
			stations = append(stations, p.station(s))
		}
	}
	return stations
}

// capped reports whether the searches of a run ended because no more were allowed.
func (p Trace) capped() bool {
	return slices.ContainsFunc(p.Walked, func(w diagram.Walk) bool { return w.Label == capReached })
}

// lastReached returns the index of the last stop of the main line that the run has reached, or -1 if there is none.
func lastReached(stops []diagram.Stop) int {
	reached := -1
	for i, s := range stops {
		if s.State != diagram.Waiting && !s.Name.End {
			reached = i
		}
	}
	return reached
}

// Later names the nodes of the main line of the run's plain drawing that it has yet to reach, or none once it has ended.
func (p Trace) Later(d diagram.Drawing) []string {
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

// InShort describes what the run took and cost.
func (p Trace) InShort() string {
	said := format.Duration(p.Took)
	if p.Cost != "" {
		said += ", " + p.Cost
	}
	return said
}

// InAll describes how often an ended run searched, and what that took and cost, or "" if it searched once.
func (p Trace) InAll() string {
	if p.Live() || p.Loop == 0 {
		return ""
	}
	said := format.Count(p.Loop+1, "search", "searches")
	if p.capped() {
		said += ", tried enough"
	}
	return said + ". " + p.InShort()
}

// Loops describes how often a run has reworded its question, and how often it may.
func (p Trace) Loops() string { return fmt.Sprintf("%d of %d", p.Loop, p.MaxLoops) }

// Title names the run by the last letters of its id: runs of the same time begin alike.
func (p Trace) Title() string {
	id := strings.TrimPrefix(string(p.Run), "run")
	return "Run " + id[max(len(id)-6, 0):]
}

// Heading describes what a run did.
func (p Trace) Heading() string {
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

// Status describes the state of the run.
func (p Trace) Status() string {
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

// A Walk is how a search went from the question to passages, in the order of these.
type Walk []WalkPath

// A WalkPath is the way to one passage.
type WalkPath struct {
	diagram.WalkPath
	How []string // how each node was reached, in plain words
}

// NothingToCheck remarks that a check had nothing to check.
const NothingToCheck = "nothing"

// capReached labels the way from a decision to write though nothing was found, see answer.CaseCap.
const capReached = "cap reached"
