package trace

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/stategraph"
)

// scope is one graph of a run: the run's own, or that of a subgraph's node.
type scope struct {
	path     []string // nodes that lead to it; none for the run's own
	topology stategraph.Topology
	super    int      // current super-step
	reached  []string // nodes that ran in the super-step before the current one
	current  []string // nodes that ran in it
	round    int      // how often it was begun
	working  int      // a node may have several at work at the same time
	fields   map[string]json.RawMessage
}

// Name is a node's name with the nodes whose subgraphs it lies in before it,
// as in "generate/model".
func Name(path []string, node string) string {
	return strings.Join(append(slices.Clip(path), node), "/")
}

func (s *scope) name(node string) string { return Name(s.path, node) }

func (s *scope) begin() {
	s.super, s.reached, s.current = 0, []string{stategraph.Start}, nil
	s.fields = map[string]json.RawMessage{}
	s.round++
}

// in is the graph that an event comes from, made when it is heard of first.
func (v *View) in(e Event) *scope {
	var path []string
	if len(e.Path) > 1 {
		path = e.Path[1:]
	}
	key := strings.Join(path, "/")
	if s, ok := v.scopes[key]; ok {
		return s
	}
	s := &scope{path: path, topology: within(v.topology, path), reached: []string{stategraph.Start}, fields: map[string]json.RawMessage{}}
	v.scopes[key] = s
	return s
}

// within is the graph that a path of subgraphs' nodes leads to, empty when it
// leads nowhere.
func within(t stategraph.Topology, path []string) stategraph.Topology {
	for _, name := range path {
		i := slices.IndexFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Name == name })
		if i < 0 || t.Nodes[i].Graph == nil {
			return stategraph.Topology{}
		}
		t = *t.Nodes[i].Graph
	}
	return t
}

// startInner begins the graph of a node anew, or goes on with it, unless
// another of the same node is at work. What an attempt before this one left
// unfinished is stopped.
func (v *View) startInner(s *scope, e Event) {
	s.working++
	if s.working > 1 {
		return
	}
	if e.Resumed {
		v.keep(s, e.Step)
		return
	}
	for _, step := range v.Steps {
		if step.State == Working && slices.Equal(step.Path, s.path) {
			step.State = Stopped
		}
	}
	s.begin()
	n := v.Nodes[s.name(stategraph.Start)]
	v.Nodes[s.name(stategraph.Start)] = Node{State: Done, Visits: n.Visits + 1}
}

func (v *View) endInner(s *scope, e Event) {
	s.working = max(0, s.working-1)
	if e.Problem == "" && s.working == 0 && !v.Asks {
		v.finish(s)
	}
}

// keep leaves what was done up to a super-step as it is. Of a fan-out that was
// in the middle, only the rest will begin again.
func (v *View) keep(s *scope, done int) {
	for _, step := range v.Steps {
		switch {
		case step.State == Done || step.Round != s.round || !slices.Equal(step.Path, s.path):
		case step.Super <= done:
			step.State = Done
			v.setNode(step.Name(), Done, 0)
		default:
			step.Tasks, step.Attempt, step.Problem = step.TasksDone, 0, ""
		}
	}
}

// finish leads a graph to its end.
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

// walkTo lights the plain edges that lead to a node from those that ran
// before; conditional ones are lit by the branch that took them.
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
