package trace

import (
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/stategraph"
)

// State is the state of a node, a step or a run.
type State string

// The states of a node, a step or a run.
const (
	Waiting State = "waiting" // not reached
	Working State = "working"
	Done    State = "done"
	Failed  State = "failed"
	Stopped State = "stopped" // by a person
)

// A View is the picture of a run: a fold over its events. The same events give the same view, live or from storage.
type View struct {
	Run     domain.RunID
	Graph   string
	State   State
	Problem string
	Resumed bool // an earlier attempt was cut off
	Asks    bool // the run is waiting for a person
	Started time.Time
	Ended   time.Time // zero while it works
	Last    int       // number of the last event folded in
	Settled bool      // no further event will follow

	Withheld bool // the run has read documents that its reader may not read: nothing else is known about it

	Steps   []*Step         // in order of their start, subgraphs included
	Nodes   map[string]Node // by Name; only nodes that were reached
	Walked  map[Edge]int    // how often each edge was taken
	Figures []domain.Figure // charts of the answer, in order of their requests
	Written bool            // the text is complete; figures may still be pending

	topology stategraph.Topology
	scopes   map[string]*scope // by path
	forked   int               // super-step of another run where this one began; 0 for the start of the graph
}

// A Node sums up the visits of one node.
type Node struct {
	State  State
	Visits int
	Took   time.Duration // over all visits
}

// An Edge is an edge of the topology, by the Name of its nodes.
type Edge struct{ From, To, Label string }

// A Step is one node's work in one super-step; a fan-out is one step.
type Step struct {
	N         int // from 1
	Node      string
	Path      []string // nodes of the subgraphs around it, outermost first
	State     State
	Super     int // super-step of its graph
	Tasks     int // started
	Sends     int // planned by a fan-out
	TasksDone int
	Open      []Task // at work, in order of their start
	Attempt   int
	Began     time.Time
	Took      time.Duration // from first start to last end
	Usages    []domain.Usage
	Grades    []domain.Grading
	Rewrites  []domain.Rewrite
	Methods   []domain.Method
	Found     []domain.FoundPassage // of a search, best first
	Progress  *domain.Progress
	Words     *domain.Words // of the question, if nothing near was found
	Notes     []string
	Branches  []Branch
	Writes    []string // names of the fields it wrote, sorted
	Cites     *Cites   // in the answer it wrote; nil for other steps
	Claims    *Claims  // of the answer it wrote or checked; nil for other steps
	Problem   string

	Round  int                // starts of its graph so far
	Within []stategraph.Visit // see [Moment]
	Shared bool
}

// Name returns the name of the step's node with its path.
func (s *Step) Name() string { return Name(s.Path, s.Node) }

// A Branch is a decision after a step.
type Branch struct {
	Name    string
	Label   string
	Targets []string
}

// Tokens returns the number of tokens that the step used.
func (s *Step) Tokens() int {
	return lists.Sum(s.Usages, domain.Usage.Tokens)
}

// Tokens returns the number of tokens that the run used.
func (v *View) Tokens() int {
	return lists.Sum(v.Steps, (*Step).Tokens)
}

// Usages returns the usage of each call of the run.
func (v *View) Usages() []domain.Usage {
	return lists.Flat(v.Steps, func(s *Step) []domain.Usage { return s.Usages })
}

// Took returns how long the run worked, up to now while it still does.
func (v *View) Took(now time.Time) time.Duration {
	switch {
	case v.Started.IsZero():
		return 0
	case v.Ended.IsZero():
		return now.Sub(v.Started)
	}
	return v.Ended.Sub(v.Started)
}

// Words returns how often the words of the question occur in the library, or nil if something near was found.
func (v *View) Words() *domain.Words {
	for _, s := range slices.Backward(v.Steps) {
		if s.Words != nil {
			return s.Words
		}
	}
	return nil
}

// Forked reports whether the run began at a step of another one.
func (v *View) Forked() bool { return v.forked > 0 }

// Path lists the nodes of the steps in order, without subgraphs.
func (v *View) Path() []string {
	path := make([]string, 0, len(v.Steps))
	for _, s := range v.Steps {
		if len(s.Path) == 0 {
			path = append(path, s.Node)
		}
	}
	return path
}

// NewView returns the picture of a run before its first event.
func NewView(run domain.RunID, topology stategraph.Topology) *View {
	v := &View{Run: run, topology: topology, Graph: topology.Name, State: Waiting}
	v.begin()
	return v
}

// Fold returns the picture after all events.
func Fold(run domain.RunID, topology stategraph.Topology, events []Event) *View {
	v := NewView(run, topology)
	for _, e := range events {
		v.Apply(e)
	}
	return v
}

// begin clears the trace of earlier attempts.
func (v *View) begin() {
	v.Steps, v.Nodes, v.Walked = nil, map[string]Node{}, map[Edge]int{}
	v.scopes, v.Figures, v.Written = map[string]*scope{}, nil, false
	v.Problem, v.Ended, v.Settled, v.Asks = "", time.Time{}, false, false
}

// Apply folds in the next event and returns the steps it changed.
func (v *View) Apply(e Event) []*Step {
	v.Last, v.Withheld = e.Seq, e.Withheld
	switch e.Kind {
	case Settled:
		return v.settle(e)
	case string(stategraph.RunStart):
		if len(e.Path) <= 1 {
			v.start(e)
		} else {
			v.startInner(v.in(e), e)
		}
	case string(stategraph.RunEnd):
		if len(e.Path) <= 1 {
			v.end(e)
		} else {
			v.endInner(v.in(e), e)
		}
	case string(stategraph.NodeStart):
		return []*Step{v.nodeStart(e)}
	case string(stategraph.Branch):
		return v.branch(e)
	case string(stategraph.Interrupted):
		v.Asks = true
		return v.foldStep(e)
	default:
		return v.foldStep(e)
	}
	return nil
}

func (v *View) start(e Event) {
	if e.Resumed && !v.Started.IsZero() {
		v.resume(e)
		return
	}
	v.begin()
	v.State, v.Started, v.Resumed = Working, e.At, e.Resuming
	if e.Resumed && e.Step > 0 {
		v.fork(e)
		return
	}
	v.in(e).begin()
	v.Nodes[stategraph.Start] = Node{State: Done, Visits: 1}
}

// fork starts the view at a super-step of another run, whose nodes are unknown.
func (v *View) fork(e Event) {
	in := v.in(e)
	in.round++
	in.super, in.reached, v.forked = e.Step, nil, e.Step
}

// resume keeps what an earlier attempt finished.
func (v *View) resume(e Event) {
	v.State, v.Resumed, v.Problem, v.Ended, v.Settled = Working, !v.Asks, "", time.Time{}, false
	v.Asks = false
	for _, inner := range v.scopes {
		inner.working = 0
	}
	v.keep(v.in(e), e.Step)
}

// end records the end of an attempt. Until the run is settled, another may follow.
func (v *View) end(e Event) {
	v.Ended = e.At
	if v.Asks = v.Asks || e.Asks; v.Asks {
		return
	}
	if e.Problem != "" {
		v.Problem = e.Problem
		return
	}
	v.finish(v.in(e))
}

func (v *View) settle(e Event) []*Step {
	v.State, v.Settled, v.Asks = Done, true, false
	switch e.Label {
	case "failed":
		v.State = Failed
	case "stopped":
		v.State = Stopped
	}
	if e.Problem != "" {
		v.Problem = e.Problem
	}
	if v.Ended.IsZero() {
		v.Ended = e.At
	}
	return v.closeOpen(e.At)
}

// closeOpen ends the steps that were in progress when the run was settled. A stop cancels their context, so they may have
// reported failure.
func (v *View) closeOpen(at time.Time) []*Step {
	var changed []*Step
	for _, s := range v.Steps {
		switch {
		case s.State == Working:
			v.lasted(s, at)
		case s.State == Failed && v.State == Stopped:
			s.Problem = ""
		default:
			continue
		}
		s.State, s.Open = v.State, nil
		s.counted()
		v.setNode(s.Name(), v.State)
		changed = append(changed, s)
	}
	return changed
}

func (v *View) nodeStart(e Event) *Step {
	in := v.in(e)
	in.advance(e.Step)
	s := v.find(e)
	if s == nil {
		s = &Step{N: len(v.Steps) + 1, Node: e.Node, Path: in.path, Super: e.Step, Began: e.At, Round: in.round, Within: in.within, Sends: in.sends[e.Node]}
		delete(in.sends, e.Node)
		v.Steps = append(v.Steps, s)
		in.current = append(in.current, e.Node)
		v.walkTo(in, e.Node)
		n := v.Nodes[s.Name()]
		n.Visits++
		v.Nodes[s.Name()] = n
	}
	if e.Attempt <= 1 {
		s.Tasks++
	}
	s.begun(e.Task, e.At)
	s.Attempt = max(s.Attempt, e.Attempt)
	s.Shared = s.Shared || in.shared
	s.State = Working
	v.setNode(s.Name(), Working)
	return s
}

func (v *View) setNode(name string, state State) {
	n := v.Nodes[name]
	n.State = state
	v.Nodes[name] = n
}

// lasted records that a step worked until at. Its node has worked for as long as its steps.
func (v *View) lasted(s *Step, at time.Time) {
	more := at.Sub(s.Began) - s.Took
	s.Took += more
	n := v.Nodes[s.Name()]
	n.Took += more
	v.Nodes[s.Name()] = n
}

// find returns the step of a node's event, nil before its start.
func (v *View) find(e Event) *Step {
	in := v.in(e)
	for _, s := range slices.Backward(v.Steps) {
		if s.Node == e.Node && s.Super == e.Step && s.Round == in.round && slices.Equal(s.Path, in.path) {
			return s
		}
	}
	return nil
}

// branch marks the edges through a decision, from the node before it to its targets. A branch that takes several cases at
// once is one visit.
func (v *View) branch(e Event) []*Step {
	in := v.in(e)
	for _, target := range e.Targets {
		v.Walked[Edge{in.name(e.Node), in.name(target), e.Label}]++
		if e.Sends > 0 {
			in.sends[target] = e.Sends
		}
	}
	s := v.before(in, e.Node)
	if s == nil {
		return nil
	}
	if !s.took(e.Node) {
		v.Walked[Edge{From: s.Name(), To: in.name(e.Node)}]++
		n := v.Nodes[in.name(e.Node)]
		v.Nodes[in.name(e.Node)] = Node{State: Done, Visits: n.Visits + 1}
	}
	s.Branches = append(s.Branches, Branch{Name: e.Node, Label: e.Label, Targets: e.Targets})
	return []*Step{s}
}

// took reports whether the step has the branch already.
func (s *Step) took(branch string) bool {
	return slices.ContainsFunc(s.Branches, func(b Branch) bool { return b.Name == branch })
}

// before returns the latest step whose node leads to a branch of its graph.
func (v *View) before(in *scope, branch string) *Step {
	leads := map[string]bool{}
	for _, e := range in.topology.Edges {
		leads[e.From] = leads[e.From] || e.To == branch
	}
	for _, s := range slices.Backward(v.Steps) {
		if leads[s.Node] && slices.Equal(s.Path, in.path) {
			return s
		}
	}
	return nil
}
