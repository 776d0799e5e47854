package report

import (
	"slices"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
)

// withTools returns start → search → generate → check → end, where generate is
// a subgraph that may call for a chart.
func withTools() stategraph.Topology {
	node := func(name, kind string) stategraph.TopologyNode {
		return stategraph.TopologyNode{Name: name, Kind: kind}
	}
	start, end := node(stategraph.Start, stategraph.KindStart), node(stategraph.End, stategraph.KindEnd)
	inner := stategraph.Topology{
		Name: "tools",
		Nodes: []stategraph.TopologyNode{
			start, node("model", stategraph.KindNode), node("called", stategraph.KindBranch), node("chart", stategraph.KindNode),
			node("update_chart", stategraph.KindNode), node("settled", stategraph.KindBranch), end,
		},
		Edges: []stategraph.TopologyEdge{
			{From: "start", To: "model"}, {From: "model", To: "called"},
			{From: "called", To: "chart", Label: "chart call", Conditional: true}, {From: "called", To: "end", Label: "no tool call", Conditional: true},
			{From: "chart", To: "model"}, {From: "chart", To: "update_chart"}, {From: "update_chart", To: "settled"},
			{From: "settled", To: "end", Label: "ok", Conditional: true}, {From: "settled", To: "model", Label: "failed", Conditional: true},
		},
	}
	generate := node("generate", stategraph.KindSubgraph)
	generate.Graph = &inner
	return stategraph.Topology{
		Name:  "answer",
		Nodes: []stategraph.TopologyNode{start, node("search", stategraph.KindNode), generate, node("check", stategraph.KindNode), end},
		Edges: []stategraph.TopologyEdge{{From: "start", To: "search"}, {From: "search", To: "generate"}, {From: "generate", To: "check"}, {From: "check", To: "end"}},
	}
}

// within records the start of a node in the subgraph.
func (l *log) within(step int, name string) {
	l.add(trace.Event{Kind: string(stategraph.NodeStart), Path: []string{"answer", "generate"}, Node: name, Step: step, Attempt: 1})
}

func (l *log) withinEnds(step int, name string) {
	l.add(trace.Event{Kind: string(stategraph.NodeEnd), Path: []string{"answer", "generate"}, Node: name, Step: step})
}

func (l *log) withinBranch(name, label, target string) {
	l.add(trace.Event{Kind: string(stategraph.Branch), Path: []string{"answer", "generate"}, Node: name, Label: label, Targets: []string{target}})
}

// charting returns the events of a run that writes text while its chart is
// made.
func charting() *log {
	l := &log{}
	l.add(trace.Event{Kind: string(stategraph.RunStart)})
	l.node(1, "search")
	l.add(trace.Event{Kind: string(stategraph.NodeStart), Node: "generate", Step: 2, Attempt: 1})
	l.add(trace.Event{Kind: string(stategraph.RunStart), Path: []string{"answer", "generate"}})
	l.within(1, "model")
	l.withinEnds(1, "model")
	l.withinBranch("called", "chart call", "chart")
	l.within(2, "chart")
	l.withinEnds(2, "chart")
	l.within(3, "model")
	l.within(3, "update_chart")
	return l
}

func TestAnOpenSubgraphIsDrawnBehindItsNode(t *testing.T) {
	t.Parallel()
	l := charting()
	v := trace.Fold("r", withTools(), l.events)
	p := draw(v, withTools(), Loop{})
	drawn := p.Drawing()
	var names []string
	at := map[string]diagram.Stop{}
	for _, s := range drawn.Stops {
		names = append(names, s.Node)
		at[s.Node] = s
	}
	want := []string{"start", "search", "generate", "generate/model", "generate/called", "generate/chart", "generate/update_chart", "generate/settled", "check", "end"}
	if !slices.Equal(names, want) {
		t.Errorf("drawn are %v", names)
	}
	for _, busy := range []string{"generate", "generate/model", "generate/update_chart"} {
		if at[busy].State != diagram.Now {
			t.Errorf("%s is %q while both branches work", busy, at[busy].State)
		}
	}
	if s := at["generate/model"]; s.Name.Text != "model" || s.Times != 2 || s.Name.X <= at["generate"].Name.X {
		t.Errorf("model is %+v", s)
	}
	if stations := Visited(v); len(stations) != 2 {
		t.Errorf("the one-line trace has %v", stations)
	}
	for _, s := range p.Steps[2:] {
		if !slices.Equal(s.Path, []string{"generate"}) {
			t.Errorf("step %s is within %v", s.Node, s.Path)
		}
	}
}

func TestASubgraphThatDidOneThingStaysFolded(t *testing.T) {
	t.Parallel()
	l := &log{}
	l.add(trace.Event{Kind: string(stategraph.RunStart)})
	l.node(1, "search")
	l.add(trace.Event{Kind: string(stategraph.NodeStart), Node: "generate", Step: 2, Attempt: 1})
	l.add(trace.Event{Kind: string(stategraph.RunStart), Path: []string{"answer", "generate"}})
	l.within(1, "model")
	l.withinEnds(1, "model")
	l.withinBranch("called", "no tool call", "end")
	p := draw(trace.Fold("r", withTools(), l.events), withTools(), Loop{})
	if stops := p.Drawing().Stops; len(stops) != 5 {
		t.Errorf("%d nodes are drawn, want the five of the graph", len(stops))
	}
}

// TestRowsOfASubgraph gives what a subgraph did to the row of its node, until the
// subgraph opens.
func TestRowsOfASubgraph(t *testing.T) {
	t.Parallel()
	kinds := run.Kinds{{Name: "answer", Topology: withTools()}}
	runs := &Runs{Kinds: kinds, Now: func() time.Time { return noon }}
	rowsAfter := func(events int) (rows []string) {
		v := trace.Fold("r", withTools(), charting().events[:events])
		for _, row := range runs.Rows(t.Context(), domain.DefaultWorkspace, v, "answer", v.Steps[len(v.Steps)-1]) {
			rows = append(rows, row.Node)
		}
		return rows
	}
	l := charting()
	at := func(node string) int {
		return 1 + slices.IndexFunc(l.events, func(e trace.Event) bool { return e.Node == node && e.Kind == string(stategraph.NodeStart) })
	}
	for node, want := range map[string][]string{"generate": {"generate"}, "model": {"generate"}, "chart": {"generate", "model", "chart"}, "update_chart": {"update_chart"}} {
		if got := rowsAfter(at(node)); !slices.Equal(got, want) {
			t.Errorf("%s changes the rows %v, want %v", node, got, want)
		}
	}
	v := trace.Fold("r", withTools(), l.events[:at("chart")-1])
	v.Steps[2].Usages, v.Steps[2].Notes = []domain.Usage{{Model: "tiny", Input: 5}}, []string{"slow"}
	p := draw(v, withTools(), Loop{})
	if last := p.Steps[len(p.Steps)-1]; len(p.Steps) != 2 || last.Node != "generate" || last.Tokens() != 5 || !slices.Equal(last.Models(), []string{"tiny"}) || !slices.Equal(last.Notes, []string{"slow"}) {
		t.Errorf("the rows are %+v", p.Steps)
	}
}

func TestEdgesOutOfAnOpenSubgraphAreWalked(t *testing.T) {
	t.Parallel()
	l := charting()
	l.withinEnds(3, "model")
	l.withinBranch("called", "no tool call", "end")
	l.withinEnds(3, "update_chart")
	l.withinBranch("settled", "ok", "end")
	l.add(trace.Event{Kind: string(stategraph.RunEnd), Path: []string{"answer", "generate"}})
	l.add(trace.Event{Kind: string(stategraph.NodeEnd), Node: "generate", Step: 2})
	l.node(3, "check")
	walks := map[string]int{}
	for _, w := range draw(trace.Fold("r", withTools(), l.events), withTools(), Loop{}).Walked {
		walks[w.From+" → "+w.To] += w.Times
	}
	for _, edge := range []string{"search → generate", "generate → generate/model", "generate/chart → generate/update_chart", "generate/called → check", "generate/settled → check"} {
		if walks[edge] != 1 {
			t.Errorf("%s was taken %d times: %v", edge, walks[edge], walks)
		}
	}
	if walks["generate → check"] != 0 {
		t.Error("the subgraph's node leads past its own nodes")
	}
}
