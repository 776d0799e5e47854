package present

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
)

// openNodes returns the nodes to draw with their subgraph: those whose subgraph
// the run has visited more than one node of.
func openNodes(v *trace.View, t stategraph.Topology) map[string]bool {
	open := map[string]bool{}
	for _, n := range t.Nodes {
		if n.Graph == nil {
			continue
		}
		first := ""
		for _, s := range v.Steps {
			if !slices.Equal(s.Path, []string{n.Name}) {
				continue
			}
			if first != "" && first != s.Node {
				open[n.Name] = true
			}
			first = s.Node
		}
	}
	return open
}

// unfold puts the nodes of the open subgraphs behind their parent node and
// redirects the parent's outgoing edges.
func unfold(t stategraph.Topology, open map[string]bool) stategraph.Topology {
	out := stategraph.Topology{Name: t.Name}
	for _, n := range t.Nodes {
		out.Nodes = append(out.Nodes, stategraph.TopologyNode{Name: n.Name, Kind: n.Kind})
		if !open[n.Name] {
			continue
		}
		for _, inner := range n.Graph.Nodes {
			if inner.Kind != stategraph.KindStart && inner.Kind != stategraph.KindEnd {
				out.Nodes = append(out.Nodes, stategraph.TopologyNode{Name: inside(n.Name, inner.Name), Kind: inner.Kind})
			}
		}
		for _, e := range n.Graph.Edges {
			out.Edges = append(out.Edges, outerEdges(t, n.Name, e)...)
		}
	}
	for _, e := range t.Edges {
		if !open[e.From] {
			out.Edges = append(out.Edges, e)
		}
	}
	return out
}

// Unfolded returns a topology as pages draw it, with every subgraph in place.
func Unfolded(t stategraph.Topology) diagram.Topology {
	open := map[string]bool{}
	for _, n := range t.Nodes {
		open[n.Name] = n.Graph != nil
	}
	return Topology(unfold(t, open))
}

func inside(node, inner string) string { return trace.Name([]string{node}, inner) }

// outerEdges returns what an edge of a node's subgraph becomes in the graph
// around it: one edge, or one for each exit of the node.
func outerEdges(t stategraph.Topology, node string, e stategraph.TopologyEdge) []stategraph.TopologyEdge {
	to := e.To
	e.From, e.To = inside(node, e.From), inside(node, to)
	if e.From == inside(node, stategraph.Start) {
		e.From = node
	}
	if to != stategraph.End {
		return []stategraph.TopologyEdge{e}
	}
	var list []stategraph.TopologyEdge
	for _, out := range t.Edges {
		if out.From == node {
			e.To = out.To
			list = append(list, e)
		}
	}
	return list
}

// takenEdges counts how often a run took each edge of the unfolded graph.
func takenEdges(v *trace.View, t stategraph.Topology, open map[string]bool) map[trace.Edge]int {
	taken := map[trace.Edge]int{}
	for e, times := range v.Walked {
		from, to := parent(e.From), parent(e.To)
		switch {
		case open[e.From] && to == "": // replaced by the edges out of its subgraph
		case from == "":
			taken[e] += times
		case open[from]:
			for _, led := range outerEdges(t, from, stategraph.TopologyEdge{From: bare(e.From), To: bare(e.To), Label: e.Label}) {
				taken[trace.Edge{From: led.From, To: led.To, Label: led.Label}] += times
			}
		}
	}
	return taken
}

// parent returns the node whose subgraph holds the named node, or "" at the top
// level.
func parent(name string) string {
	i := strings.LastIndex(name, "/")
	return name[:max(0, i)]
}

func bare(name string) string { return name[strings.LastIndex(name, "/")+1:] }
