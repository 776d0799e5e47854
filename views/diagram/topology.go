// Package diagram lays out a state graph: a pure function from a topology and
// the progress of a run to coordinates, which the templates draw.
package diagram

import (
	"cmp"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain/lists"
)

// A Topology is a state graph to draw. Its JSON form is the engine's.
type Topology struct {
	Name  string `json:"name"`
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// The kinds of node.
const (
	Start    = "start"
	Ordinary = "node"
	Task     = "task"
	Branch   = "branch"
	Subgraph = "subgraph"
	End      = "end"
)

// Node is one node of a topology.
type Node struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Within string `json:"within,omitempty"` // node whose subgraph contains it; the name then starts with that node's name and a slash
}

// title returns the name as drawn.
func (n Node) title() string {
	if n.Within == "" {
		return n.Name
	}
	return strings.TrimPrefix(n.Name, n.Within+"/")
}

// indent returns how far the name is indented.
func (n Node) indent() float64 {
	if n.Within == "" {
		return 0
	}
	return innerStep
}

// Edge is one edge of a topology.
type Edge struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Label       string `json:"label,omitempty"`
	Conditional bool   `json:"conditional,omitempty"`
	Send        bool   `json:"send,omitempty"`
}

// Folded returns a topology without the nodes of its subgraphs, and the walks of a run through it. What led out of a subgraph leads out
// of the node that holds it.
func (t Topology) Folded(walked []Walk) (Topology, []Walk) {
	within, folded := map[string]string{}, Topology{Name: t.Name}
	for _, n := range t.Nodes {
		if within[n.Name] = n.Within; n.Within == "" {
			folded.Nodes = append(folded.Nodes, n)
		}
	}
	at := map[Edge]bool{}
	for _, e := range t.Edges {
		if within[e.To] != "" {
			continue
		}
		if holder := within[e.From]; holder != "" {
			e = Edge{From: holder, To: e.To}
		}
		if !at[e] {
			at[e] = true
			folded.Edges = append(folded.Edges, e)
		}
	}
	var walks []Walk
	out := map[Walk]int{} // index in walks, by a walk without its number
	for _, w := range walked {
		if within[w.To] != "" {
			continue
		}
		if holder := within[w.From]; holder != "" {
			w.From, w.Label = holder, ""
		}
		key := Walk{From: w.From, To: w.To, Label: w.Label}
		if i, ok := out[key]; ok {
			walks[i].Times += w.Times
			continue
		}
		out[key] = len(walks)
		walks = append(walks, w)
	}
	return folded, walks
}

// Inner counts the nodes of subgraphs.
func (t Topology) Inner() (n int) {
	return lists.CountFunc(t.Nodes, func(node Node) bool { return node.Within != "" })
}

// A State is the progress of a node, a step or a run. The page carries it as
// data-state.
type State string

// The states. An empty State means Waiting.
const (
	Waiting State = "waiting" // not reached
	Now     State = "now"     // at work
	Seen    State = "seen"    // done
	Failed  State = "failed"
	Stopped State = "stopped" // by a user
)

// Or returns s, or Waiting if s is empty.
func (s State) Or() State {
	return cmp.Or(s, Waiting)
}

// A Visit sums up what a run did in one node.
type Visit struct {
	Node  string
	State State
	Times int           // visits, including the current one
	Took  time.Duration // over all visits
	Note  string        // replaces the time, for example "2 relevant"
	Said  string        // replaces the plain words of the node, for example "Searched 3 ways"
}

// A Walk counts how often a run took an edge.
type Walk struct {
	From, To, Label string
	Times           int
}
