package trace

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// nested returns start → find → write → end. Within write, ask calls for a
// drawing: talk and draw run at the same time, and draw may fail, which leads
// back to ask once.
func nested(t *testing.T, talk, draw func(*stategraph.Context) error) stategraph.Runnable[values] {
	t.Helper()
	in := stategraph.New("inner", schema)
	node := func(b *stategraph.Builder[values], name string, f func(*stategraph.Context) error) {
		b.Node(name, func(ctx *stategraph.Context, _ values) (state.Update[values], error) {
			if f == nil {
				return sum.Add(1), nil
			}
			return sum.Add(1), f(ctx)
		})
	}
	node(in, "ask", nil)
	node(in, "talk", talk)
	node(in, "draw", draw)
	in.Edge(stategraph.Start, "ask")
	in.Branch("ask", "tools", func(*stategraph.Context, values) (stategraph.Route[values], error) {
		return stategraph.Choose[values]("call"), nil
	}, stategraph.Case{Label: "call", Target: "talk"}, stategraph.Case{Label: "none", Target: stategraph.End})
	in.Edge("ask", "draw")
	in.Edge("talk", stategraph.End)
	in.Edge("draw", stategraph.End)
	inner, err := in.Compile()
	if err != nil {
		t.Fatal(err)
	}
	out := stategraph.New("outer", schema)
	node(out, "find", nil)
	stategraph.Subgraph(out, "write", inner, func(s values) values { return s }, func(_, last values) state.Update[values] { return tries.Set(last.Sum) })
	out.Edge(stategraph.Start, "find")
	out.Edge("find", "write")
	out.Edge("write", stategraph.End)
	g, err := out.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestSubgraphNodesAreSeparateSteps(t *testing.T) {
	t.Parallel()
	g := nested(t, nil, nil)
	h := newHub(&memory{})
	carryOut(t, h, "r", g)
	events, err := h.Events(t.Context(), looping, "r", 0)
	if err != nil {
		t.Fatal(err)
	}
	v := Fold("r", g.Topology(), events)
	if diff := cmp.Diff([]string{"find", "write"}, v.Path()); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
	var names []string
	for _, s := range v.Steps {
		names = append(names, s.Name())
		if s.State != Done {
			t.Errorf("%s: got state %s", s.Name(), s.State)
		}
	}
	slices.Sort(names[3:]) // they start at the same time
	if diff := cmp.Diff([]string{"find", "write", "write/ask", "write/draw", "write/talk"}, names); diff != "" {
		t.Errorf("steps (-want +got)\n%s", diff)
	}
	want := map[Edge]int{
		{"start", "find", ""}: 1, {"find", "write", ""}: 1, {"write", "end", ""}: 1,
		{"write/start", "write/ask", ""}: 1, {"write/ask", "write/tools", ""}: 1, {"write/tools", "write/talk", "call"}: 1,
		{"write/ask", "write/draw", ""}: 1, {"write/talk", "write/end", ""}: 1, {"write/draw", "write/end", ""}: 1,
	}
	if diff := cmp.Diff(want, v.Walked); diff != "" {
		t.Errorf("edges (-want +got)\n%s", diff)
	}
}

// Two nodes of a subgraph wait for each other: the view in between shows both
// as running, within their parent node.
func TestSubgraphBranchesRunConcurrently(t *testing.T) {
	t.Parallel()
	both := make(chan struct{}, 2)
	release := make(chan struct{})
	wait := func(*stategraph.Context) error {
		both <- struct{}{}
		<-release
		return nil
	}
	g := nested(t, wait, wait)
	h := newHub(&memory{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		carryOut(t, h, "r", g)
	}()
	<-both
	<-both
	events, err := h.Events(t.Context(), looping, "r", 0)
	close(release)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	v := Fold("r", g.Topology(), events)
	for _, name := range []string{"write", "write/talk", "write/draw"} {
		if v.Nodes[name].State != Working {
			t.Errorf("%s: got state %q", name, v.Nodes[name].State)
		}
	}
}

func TestFiguresAreReplacedByID(t *testing.T) {
	t.Parallel()
	b := stategraph.New("g", schema)
	b.Node("write", func(ctx *stategraph.Context, _ values) (state.Update[values], error) {
		ctx.Emit(domain.EventFigure, domain.Figure{ID: "a", Status: domain.FigurePending})
		ctx.Emit(domain.EventFigure, domain.Figure{ID: "b", Status: domain.FigurePending})
		ctx.Emit(domain.EventWritten, domain.Written{Sentences: 2})
		ctx.Emit(domain.EventFigure, domain.Figure{ID: "a", Status: domain.FigureFailed, Problem: "No."})
		return sum.Add(1), nil
	})
	b.Edge(stategraph.Start, "write")
	b.Edge("write", stategraph.End)
	g, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	h := newHub(&memory{})
	carryOut(t, h, "r", g)
	events, err := h.Events(t.Context(), looping, "r", 0)
	if err != nil {
		t.Fatal(err)
	}
	v := Fold("r", g.Topology(), events)
	want := []domain.Figure{{ID: "a", Status: domain.FigureFailed, Problem: "No."}, {ID: "b", Status: domain.FigurePending}}
	if diff := cmp.Diff(want, v.Figures); diff != "" || !v.Written {
		t.Errorf("got written %t; figures (-want +got)\n%s", v.Written, diff)
	}
}
