// Package diagram finds where the nodes and lines of a state graph stand on
// the page. It is a pure function from a topology and what a run has done to
// places; the templates draw them.
package diagram

import (
	"strings"
	"time"
)

// Topology is a state graph as it is drawn. Its JSON form is that of the
// engine's topology.
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
	Within string `json:"within,omitempty"` // the node whose subgraph it belongs to; its name then begins with that and a stroke
}

// title is the name as it is written.
func (n Node) title() string {
	if n.Within == "" {
		return n.Name
	}
	return strings.TrimPrefix(n.Name, n.Within+"/")
}

// indent is how far the name is moved in.
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

// State says how far a node, a step or a run has come. The page carries it as
// data-state.
type State string

// The states. Waiting is the zero value's meaning too.
const (
	Waiting State = "waiting" // not reached
	Now     State = "now"     // at work
	Seen    State = "seen"    // done
	Failed  State = "failed"
	Stopped State = "stopped" // by a person
)

// Or is s, or Waiting when s is empty.
func (s State) Or() State {
	if s == "" {
		return Waiting
	}
	return s
}

// Visit sums up what a run did in one node.
type Visit struct {
	Node  string
	State State
	Times int           // visits, the one at work included
	Took  time.Duration // over all visits
	Note  string        // in place of the time, for instance "4 of 8 relevant"
}

// Walk says how often a run took an edge.
type Walk struct {
	From, To, Label string
	Times           int
}
