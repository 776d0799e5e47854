package trace

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/stategraph"
)

// scope is one graph of a run: its own, or a subgraph.
type scope struct {
	path     []string // nodes that lead to it; empty for the run's own graph
	topology stategraph.Topology
	super    int                // current super-step
	reached  []string           // nodes that ran in the super-step before the current one
	current  []string           // nodes that ran in the current super-step
	round    int                // number of starts
	working  int                // runs at work: a node may have several at a time
	within   []stategraph.Visit // of the nodes around it, outermost first
	sends    map[string]int     // that a decision planned, by node
	shared   bool               // several runs of it, or of a graph around it, were at work at a time
}

// Name returns a node's name behind the path of the subgraphs around it: "generate/model".
func Name(path []string, node string) string {
	return strings.Join(append(slices.Clip(path), node), "/")
}

func (s *scope) name(node string) string { return Name(s.path, node) }

func (s *scope) begin() {
	s.super, s.reached, s.current = 0, []string{stategraph.Start}, nil
	s.round++
	clear(s.sends)
}

// in returns the graph of an event, and makes it at its first event.
func (v *View) in(e Event) *scope {
	var path []string
	if len(e.Path) > 1 {
		path = e.Path[1:]
	}
	key := strings.Join(path, "/")
	if s, ok := v.scopes[key]; ok {
		return s
	}
	s := &scope{path: path, topology: subgraph(v.topology, path), reached: []string{stategraph.Start}, sends: map[string]int{}}
	v.scopes[key] = s
	return s
}

// subgraph returns the graph at a path of nodes, or an empty one if there is none.
func subgraph(t stategraph.Topology, path []string) stategraph.Topology {
	for _, name := range path {
		i := slices.IndexFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Name == name })
		if i < 0 || t.Nodes[i].Graph == nil {
			return stategraph.Topology{}
		}
		t = *t.Nodes[i].Graph
	}
	return t
}

// startInner starts or resumes the graph of a node, unless another run of it is at work. It stops the steps that an earlier
// attempt left unfinished.
func (v *View) startInner(s *scope, e Event) {
	s.working++
	if s.working > 1 {
		s.shared = true
		return
	}
	v.placed(s)
	if e.Resumed {
		v.keep(s, e.Step)
		return
	}
	for _, step := range v.Steps {
		if step.State == Working && slices.Equal(step.Path, s.path) {
			step.State, step.Open = Stopped, nil
			step.counted()
		}
	}
	s.begin()
	n := v.Nodes[s.name(stategraph.Start)]
	v.Nodes[s.name(stategraph.Start)] = Node{State: Done, Visits: n.Visits + 1}
}

// placed notes which visits of the nodes around it a graph runs as.
func (v *View) placed(s *scope) {
	outer := v.scopes[strings.Join(s.path[:len(s.path)-1], "/")]
	if outer == nil { // its events were deleted
		s.within, s.shared = nil, true
		return
	}
	s.within = append(slices.Clip(outer.within), stategraph.Visit{Node: s.path[len(s.path)-1], Step: outer.super})
	s.shared = outer.shared
}

func (v *View) endInner(s *scope, e Event) {
	s.working = max(0, s.working-1)
	if e.Problem == "" && s.working == 0 && !v.Asks {
		v.finish(s)
	}
}

// keep keeps what was done up to a super-step. Of a fan-out that was interrupted, only the rest starts again.
func (v *View) keep(s *scope, done int) {
	for _, step := range v.Steps {
		switch {
		case step.State == Done || step.Round != s.round || !slices.Equal(step.Path, s.path):
		case step.Super <= done:
			step.State, step.Open = Done, nil
			v.setNode(step.Name(), Done)
		default:
			step.Tasks, step.Attempt, step.Problem, step.Open = step.TasksDone, 0, "", nil
		}
	}
}

// finish walks a graph to its end.
func (v *View) finish(s *scope) {
	s.advance(s.super + 1)
	v.walkTo(s, stategraph.End)
	n := v.Nodes[s.name(stategraph.End)]
	v.Nodes[s.name(stategraph.End)] = Node{State: Done, Visits: n.Visits + 1}
}

// advance moves to a later super-step.
func (s *scope) advance(super int) {
	if super > s.super {
		s.super = super
		if len(s.current) > 0 {
			s.reached, s.current = s.current, nil
		}
	}
}

// walkTo marks the plain edges from the nodes before to a node. A branch marks the conditional edges that it takes.
func (v *View) walkTo(s *scope, node string) {
	for _, edge := range s.topology.Edges {
		if edge.To != node || edge.Conditional || edge.Send {
			continue
		}
		for _, from := range s.reached {
			if from == edge.From {
				v.Walked[Edge{s.name(edge.From), s.name(edge.To), edge.Label}]++
			}
		}
	}
}
