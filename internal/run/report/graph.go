package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
)

// drawn returns how a state of a run, a step or a node is drawn.
func drawn(s trace.State) diagram.State {
	switch s {
	case trace.Working:
		return diagram.Now
	case trace.Done:
		return diagram.Seen
	case trace.Failed:
		return diagram.Failed
	case trace.Stopped:
		return diagram.Stopped
	}
	return diagram.Waiting
}

// Visited returns the visited nodes of a run, each once, for the one-line
// trace.
func Visited(v *trace.View) []outline.Station {
	var stations []outline.Station
	at := map[string]int{}
	for _, s := range v.Steps {
		if s.Node == stategraph.Start || s.Node == stategraph.End || len(s.Path) > 0 {
			continue
		}
		i, ok := at[s.Node]
		if !ok {
			i = len(stations)
			at[s.Node] = i
			stations = append(stations, outline.Station{Node: s.Node, Said: diagram.Plain(v.Graph, s.Node).Done})
		}
		stations[i].State, stations[i].Times = drawn(s.State), stations[i].Times+1
	}
	return stations
}

// visits returns the visited nodes, sorted by name so that a run is always
// drawn alike.
func visits(v *trace.View) []diagram.Visit {
	notes, said := map[string]string{}, map[string]string{}
	for _, s := range v.Steps {
		said[s.Name()] = called(v, s)
		if note := nodeNote(s); note != "" {
			notes[s.Name()] = note
		}
		for _, b := range s.Branches {
			notes[trace.Name(s.Path, b.Name)] = verdicts(s)
		}
	}
	var list []diagram.Visit
	for name, n := range v.Nodes {
		list = append(list, diagram.Visit{Node: name, State: drawn(n.State), Times: n.Visits, Took: n.Took, Note: notes[name], Said: said[name]})
	}
	slices.SortFunc(list, func(a, b diagram.Visit) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// walked returns the edges taken. An edge over a branch that is not drawn
// starts at the node before the branch.
func walked(taken map[trace.Edge]int, folded map[string]string) []diagram.Walk {
	var list []diagram.Walk
	for e, times := range taken {
		if _, ok := folded[e.To]; ok {
			continue
		}
		if before, ok := folded[e.From]; ok {
			e.From = before
		}
		list = append(list, diagram.Walk{From: e.From, To: e.To, Label: e.Label, Times: times})
	}
	slices.SortFunc(list, func(a, b diagram.Walk) int {
		return cmp.Compare(a.From+"\x00"+a.To+"\x00"+a.Label, b.From+"\x00"+b.To+"\x00"+b.Label)
	})
	return list
}

// Topology returns the engine's topology as pages draw it. Only branches that decide are drawn as diamonds; a branch that
// fans out or chooses the first node becomes edges out of the node before it.
func Topology(t stategraph.Topology) diagram.Topology {
	out := diagram.Topology{Name: t.Name}
	plain := folded(t)
	for _, n := range t.Nodes {
		if _, ok := plain[n.Name]; !ok {
			out.Nodes = append(out.Nodes, diagram.Node{Name: n.Name, Kind: n.Kind, Within: parent(n.Name)})
		}
	}
	for _, e := range t.Edges {
		if _, ok := plain[e.To]; ok {
			continue
		}
		if before, ok := plain[e.From]; ok {
			e.From = before
		}
		out.Edges = append(out.Edges, diagram.Edge{From: e.From, To: e.To, Label: e.Label, Conditional: e.Conditional, Send: e.Send})
	}
	return out
}

// folded maps each branch that is not drawn to the node before it.
func folded(t stategraph.Topology) map[string]string {
	branches := lists.Pairs(t.Nodes, func(n stategraph.TopologyNode) (string, bool) { return n.Name, n.Kind == stategraph.KindBranch })
	before, sends := map[string]string{}, map[string]bool{}
	for _, e := range t.Edges {
		if branches[e.To] {
			before[e.To] = e.From
		}
		sends[e.From] = sends[e.From] || e.Send
	}
	for branch, from := range before {
		if from != stategraph.Start && !sends[branch] {
			delete(before, branch)
		}
	}
	return before
}

// narrowed removes the parts of a topology that are irrelevant to a run.
func narrowed(t stategraph.Topology, v *trace.View) stategraph.Topology {
	return asBegun(withoutAsides(t, v), v)
}

// asBegun removes the first nodes that a run did not choose, and nodes reachable only through them. A run that has not
// started, or starts later in the graph, keeps the first choice. A first question skips the node that rewords follow-ups,
// which stays.
func asBegun(t stategraph.Topology, v *trace.View) stategraph.Topology {
	begins := func(e stategraph.TopologyEdge) bool {
		return e.Conditional && slices.ContainsFunc(t.Edges, func(first stategraph.TopologyEdge) bool { return first.From == stategraph.Start && first.To == e.From })
	}
	taken := func(e stategraph.TopologyEdge) bool {
		return v.Walked[trace.Edge{From: e.From, To: e.To, Label: e.Label}] > 0
	}
	first := slices.IndexFunc(t.Edges, begins)
	if first < 0 {
		return t
	}
	if !slices.ContainsFunc(t.Edges, func(e stategraph.TopologyEdge) bool { return begins(e) && taken(e) }) {
		taken = func(e stategraph.TopologyEdge) bool { return e == t.Edges[first] }
	}
	if slices.ContainsFunc(t.Edges, func(e stategraph.TopologyEdge) bool { return begins(e) && taken(e) && e.To == answer.NodeRetrieve }) {
		was := taken
		taken = func(e stategraph.TopologyEdge) bool { return was(e) || e == t.Edges[first] }
	}
	edges := slices.DeleteFunc(slices.Clone(t.Edges), func(e stategraph.TopologyEdge) bool { return begins(e) && !taken(e) })
	reached := map[string]bool{stategraph.Start: true}
	for name, n := range v.Nodes {
		reached[name] = n.Visits > 0 || name == stategraph.Start
	}
	for grown := true; grown; {
		grown = false
		for _, e := range edges {
			if reached[e.From] && !reached[e.To] {
				reached[e.To], grown = true, true
			}
		}
	}
	t.Nodes = slices.DeleteFunc(slices.Clone(t.Nodes), func(n stategraph.TopologyNode) bool { return !reached[n.Name] })
	t.Edges = slices.DeleteFunc(edges, func(e stategraph.TopologyEdge) bool { return !reached[e.From] })
	return t
}

// withoutAsides removes nodes declared as asides, with their branches and edges, unless the run has visited them.
func withoutAsides(t stategraph.Topology, v *trace.View) stategraph.Topology {
	out := map[string]bool{}
	for _, n := range t.Nodes {
		if n.Aside && v.Nodes[n.Name].Visits == 0 {
			out[n.Name] = true
		}
	}
	for _, e := range t.Edges {
		if out[e.From] && !e.Conditional && isBranch(t, e.To) {
			out[e.To] = true
		}
	}
	t.Nodes = slices.DeleteFunc(slices.Clone(t.Nodes), func(n stategraph.TopologyNode) bool { return out[n.Name] })
	t.Edges = slices.DeleteFunc(slices.Clone(t.Edges), func(e stategraph.TopologyEdge) bool { return out[e.From] || out[e.To] })
	return t
}

// A bypass is a branch that decides nothing as drawn: all its cases lead from one node to the same other node.
type bypass struct{ branch, from, to string }

// bypasses lists the branches that decide nothing, but for those that pages leave out
// anyway.
func bypasses(t stategraph.Topology) (list []bypass) {
	plain := folded(t)
	for _, n := range t.Nodes {
		if _, ok := plain[n.Name]; ok || n.Kind != stategraph.KindBranch {
			continue
		}
		b, one := bypass{branch: n.Name}, true
		for _, e := range t.Edges {
			switch n.Name {
			case e.To:
				one = one && b.from == ""
				b.from = e.From
			case e.From:
				one = one && (b.to == "" || b.to == e.To)
				b.to = e.To
			}
		}
		if one {
			list = append(list, b)
		}
	}
	return list
}

// around replaces branches by edges.
func around(t stategraph.Topology, list []bypass) stategraph.Topology {
	t.Nodes, t.Edges = slices.Clone(t.Nodes), slices.Clone(t.Edges)
	for _, b := range list {
		t.Nodes = slices.DeleteFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Name == b.branch })
		t.Edges = slices.DeleteFunc(t.Edges, func(e stategraph.TopologyEdge) bool { return e.From == b.branch })
		for i, e := range t.Edges {
			if e.To == b.branch {
				t.Edges[i].To = b.to
			}
		}
	}
	return t
}

// goAround counts the edges that replace branches. A run older than the branch counts as having passed it as often as the
// node before it.
func goAround(taken map[trace.Edge]int, v *trace.View, list []bypass) {
	for _, b := range list {
		times := 0
		for e, n := range taken {
			switch b.branch {
			case e.From:
				times += n
				delete(taken, e)
			case e.To:
				delete(taken, e)
			}
		}
		if times == 0 && v.Nodes[b.to].Visits > 0 {
			times = v.Nodes[b.from].Visits
		}
		if times > 0 {
			taken[trace.Edge{From: b.from, To: b.to}] = times
		}
	}
}

func isBranch(t stategraph.Topology, name string) bool {
	return slices.ContainsFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Name == name && n.Kind == stategraph.KindBranch })
}

// openNodes returns the nodes to draw with their subgraph: those in whose subgraph the run has visited more than one
// node.
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

// unfold inserts the nodes of the open subgraphs after their parent node and redirects the parent's outgoing edges.
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
	open := lists.Pairs(t.Nodes, func(n stategraph.TopologyNode) (string, bool) { return n.Name, n.Graph != nil })
	return Topology(unfold(t, open))
}

func inside(node, inner string) string { return trace.Name([]string{node}, inner) }

// outerEdges returns the edges of the outer graph that replace an edge of a node's subgraph: one edge, or one for each
// exit of the node.
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
