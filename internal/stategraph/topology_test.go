package stategraph

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawn builds a graph with everything that can be drawn.
func drawn(t testing.TB) *Graph[board] {
	k := newKit(t)
	k.logs("retrieve", "grade documents", "end.")
	task := Task(k.Builder, "rate", func(*Context, int) (update, error) { return update{}, nil })
	Subgraph(k.Builder, "subgraph", inner(t, nil), func(s board) board { return s }, func(_, _ board) update { return update{} })
	k.path(Start, "retrieve", "grade documents")
	k.Branch("grade documents", "decide", choose("relevant"),
		Case{"relevant", "subgraph"}, Case{`"quoted" & <odd>`, End}, Case{"each", task.Name()}, Otherwise("end."))
	k.Join("end.", "rate", "subgraph")
	k.Edge("end.", End)
	return k.compile()
}

func TestTopology(t *testing.T) {
	t.Parallel()
	g := drawn(t)
	got := g.Topology()
	var kinds []string
	for _, n := range got.Nodes {
		kinds = append(kinds, n.Name+": "+n.Kind)
	}
	wantKinds := []string{"start: start", "retrieve: node", "grade documents: node", "decide: branch", "end.: node", "rate: task", "subgraph: subgraph", "end: end"}
	if diff := cmp.Diff(wantKinds, kinds); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	wantEdges := []TopologyEdge{
		{From: "start", To: "retrieve"},
		{From: "retrieve", To: "grade documents"},
		{From: "grade documents", To: "decide"},
		{From: "decide", To: "subgraph", Label: "relevant", Conditional: true},
		{From: "decide", To: "end", Label: `"quoted" & <odd>`, Conditional: true},
		{From: "decide", To: "rate", Label: "each", Conditional: true, Send: true},
		{From: "decide", To: "end.", Label: "otherwise", Conditional: true},
		{From: "end.", To: "end"},
		{From: "rate", To: "end.", Join: true},
		{From: "subgraph", To: "end.", Join: true},
	}
	if diff := cmp.Diff(wantEdges, got.Edges); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
	if sub := got.Nodes[6].Graph; sub == nil || len(sub.Nodes) != 4 {
		t.Errorf("the subgraph's own topology is %+v", sub)
	}
	got.Nodes[0].Name = "changed"
	if g.Topology().Nodes[0].Name != Start || got.Name != g.Name() {
		t.Error("a topology that was handed out is the graph's own")
	}
}

func TestTopologySurvivesJSON(t *testing.T) {
	t.Parallel()
	want := drawn(t).Topology()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Topology
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after JSON (-want +got):\n%s", diff)
	}
}

// Every case that a branch takes is an edge of the topology, so that a page can
// highlight it.
func TestBranchEventsAreEdges(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	task := Task(k.Builder, "t", func(*Context, int) (update, error) { return update{}, nil })
	k.Branch(Start, "d", func(*Context, board) (route, error) {
		return Choose[board]("x", "y").And(Fan(task.Send(1), task.Send(2))), nil
	}, Case{"x", "a"}, Case{"y", End}, Case{"z", "t"})
	k.path("a", End)
	k.path("t", End)
	g := k.compile()
	r := &recorder{}
	if _, err := g.Run(t.Context(), board{}, r.observe()); err != nil {
		t.Fatal(err)
	}
	edges := map[TopologyEdge]bool{}
	for _, e := range g.Topology().Edges {
		edges[TopologyEdge{From: e.From, To: e.To, Label: e.Label}] = true
	}
	taken := 0
	for _, e := range r.events {
		if e.Kind == Branch {
			taken++
			if !edges[TopologyEdge{From: e.Node, To: e.Targets[0], Label: e.Label}] {
				t.Errorf("%s is no edge", line(e))
			}
		}
	}
	if taken != 3 {
		t.Errorf("%d cases were reported, want 3, each once", taken)
	}
}
