package stategraph

import "slices"

// Topology is the shape of a graph, for drawing it.
type Topology struct {
	Name  string         `json:"name"`
	Nodes []TopologyNode `json:"nodes"` // the start, nodes as declared, each followed by its branches, the end
	Edges []TopologyEdge `json:"edges"` // by node
}

// TopologyNode is a node or a branch.
type TopologyNode struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"` // one of the Kind constants
	Graph  *Topology `json:"graph,omitempty"`
	Reads  []string  `json:"reads,omitzero"`  // declared fields, in the order of the schema; nil if not declared
	Writes []string  `json:"writes,omitzero"` // the same
	Aside  bool      `json:"aside,omitzero"`  // see [Aside]
}

// TopologyEdge leads from one node or branch to another.
type TopologyEdge struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Label       string `json:"label,omitempty"`       // of a branch's case
	Conditional bool   `json:"conditional,omitempty"` // a case of a branch
	Send        bool   `json:"send,omitempty"`        // a case taken by sends
	Join        bool   `json:"join,omitempty"`        // part of a join, which waits for all parts
}

// Topology returns the graph's shape. The caller may change it.
func (g *Graph[S]) Topology() Topology {
	t := g.topology
	t.Nodes, t.Edges = slices.Clone(t.Nodes), slices.Clone(t.Edges)
	return t
}

func (g *Graph[S]) draw() Topology {
	t := Topology{Name: g.name}
	for i := range g.nodes {
		if i != endIndex {
			g.drawNode(&t, i)
		}
	}
	t.Nodes = append(t.Nodes, TopologyNode{Name: End, Kind: KindEnd})
	return t
}

// drawNode adds a node, its branches and the edges out of them.
func (g *Graph[S]) drawNode(t *Topology, i int) {
	n, out := g.nodes[i], g.out[i]
	t.Nodes = append(t.Nodes, TopologyNode{Name: n.name, Kind: n.kind, Graph: n.topology, Reads: n.reads.Names(), Writes: n.writes.Names(), Aside: n.policy.aside})
	for _, to := range out.edges {
		t.Edges = append(t.Edges, TopologyEdge{From: n.name, To: g.nodes[to].name})
	}
	for _, j := range out.joins {
		t.Edges = append(t.Edges, TopologyEdge{From: n.name, To: g.nodes[g.joins[j].to].name, Join: true})
	}
	for _, b := range out.branches {
		t.Nodes = append(t.Nodes, TopologyNode{Name: b.name, Kind: KindBranch})
		t.Edges = append(t.Edges, TopologyEdge{From: n.name, To: b.name})
		for j, c := range b.cases {
			send := g.nodes[b.targets[j]].kind == KindTask
			t.Edges = append(t.Edges, TopologyEdge{From: b.name, To: c.Target, Label: c.Label, Conditional: true, Send: send})
		}
	}
}
