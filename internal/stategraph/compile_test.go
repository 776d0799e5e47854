package stategraph

import (
	"context"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/google/go-cmp/cmp"
)

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	none := choose()
	tests := []struct {
		name  string
		build func(k *kit)
		want  []string
	}{
		{"an empty graph", func(*kit) {}, []string{"the graph has no nodes"}},
		{"a name twice", func(k *kit) { k.logs("a", "a"); k.path(Start, "a", End) }, []string{`node "a" is declared twice`}},
		{"the name of an end", func(k *kit) { k.logs(Start, "a"); k.path(Start, "a", End) }, []string{`node "start" is declared twice`}},
		{"no name", func(k *kit) { k.logs("", "a"); k.path(Start, "a", End) }, []string{"a node has no name"}},
		{"no function", func(k *kit) { k.Node("a", nil); k.path(Start, "a", End) }, []string{`node "a" has no function`}},
		{"a task without function", func(k *kit) {
			k.logs("a")
			Task[board, int](k.Builder, "b", nil)
			k.path(Start, "a", "b", End)
		}, []string{`task "b" has no function`}},
		{"a subgraph without graph", func(k *kit) {
			Subgraph(k.Builder, "a", nil, func(board) board { return board{} }, func(board, board) update { return update{} })
			k.path(Start, "a", End)
		}, []string{`subgraph "a" has no function`}},
		{"unknown ends of an edge", func(k *kit) { k.logs("a"); k.path(Start, "a", End); k.Edge("x", "y") },
			[]string{`an edge from "x": there is no such node`, `an edge to "y": there is no such node`}},
		{"an edge out of the end", func(k *kit) { k.logs("a"); k.path(Start, "a", End, "a") }, []string{"an edge leads out of the end"}},
		{"an edge into the start", func(k *kit) { k.logs("a"); k.path(Start, "a", End); k.Edge("a", Start) }, []string{"an edge leads into the start"}},
		{"an edge twice", func(k *kit) { k.logs("a"); k.path(Start, "a", End); k.Edge("a", End) }, []string{`the edge from "a" to "end" is declared twice`}},
		{"an edge to a task", func(k *kit) {
			Task(k.Builder, "t", func(*Context, int) (update, error) { return update{}, nil })
			k.path(Start, "t", End)
		}, []string{`an edge to "t": a task is reached by sends alone`}},
		{"no path from start", func(k *kit) { k.logs("a"); k.Edge("a", End) }, []string{"nothing leads out of the start"}},
		{"an unreachable node", func(k *kit) { k.logs("a", "b"); k.path(Start, "a", End); k.Edge("b", "a") }, []string{`no path leads from the start to "b"`}},
		{"a dead end", func(k *kit) { k.logs("a", "b"); k.path(Start, "a", End); k.Edge("a", "b") }, []string{`no path leads from "b" to the end`}},
		{"a loop without exit", func(k *kit) { k.logs("a", "b", "c"); k.path(Start, "a", End); k.path("a", "b", "c", "b") },
			[]string{`no path leads from "b" to the end`, `no path leads from "c" to the end`}},
		{"a task that nothing sends to", func(k *kit) {
			k.logs("a")
			Task(k.Builder, "t", func(*Context, int) (update, error) { return update{}, nil })
			k.path(Start, "a", End)
			k.Edge("t", End)
		}, []string{`no path leads from the start to "t"`}},
		{"a join of one", func(k *kit) { k.logs("a", "b"); k.path(Start, "a"); k.Join("b", "a"); k.Edge("b", End) }, []string{`a join into "b" waits for 1 nodes`}},
		{"joins of the wrong nodes", func(k *kit) {
			k.logs("a", "b")
			k.path(Start, "a", "b", End)
			k.Join("b", "a", "a", "x", Start, End)
			k.Join(End, "a", "b")
		}, []string{`a join into "b" waits for "a" twice`, `a join into "b" from "x"`, `a join into "b" waits for the start`, `a join into "b" leads out of the end`, "a join leads to the end"}},
		{"a join twice", func(k *kit) {
			k.logs("a", "b", "c")
			k.path(Start, "a", "b")
			k.Join("c", "a", "b")
			k.Join("c", "a", "b")
			k.Edge("c", End)
		}, []string{`a join into "c" of the same nodes is declared twice`}},
		{"a branch without cases", func(k *kit) { k.logs("a"); k.path(Start, "a", End); k.Branch("a", "d", none) }, []string{`branch "d" has no cases`}},
		{"a branch without function", func(k *kit) { k.logs("a"); k.path(Start, "a", End); k.Branch("a", "d", nil, Case{"x", End}) }, []string{`branch "d" has no function`}},
		{"a branch without name", func(k *kit) { k.logs("a"); k.path(Start, "a", End); k.Branch("a", "", none, Case{"x", End}) }, []string{`a branch from "a" has no name`}},
		{"a branch with the name of a node", func(k *kit) { k.logs("a"); k.path(Start, "a", End); k.Branch("a", "a", none, Case{"x", End}) },
			[]string{`branch "a" has the name of another branch or node`}},
		{"two branches of one name", func(k *kit) {
			k.logs("a")
			k.path(Start, "a", End)
			k.Branch("a", "d", none, Case{"x", End})
			k.Branch("a", "d", none, Case{"x", End})
		}, []string{`branch "d" has the name`}},
		{"a branch from nowhere", func(k *kit) { k.logs("a"); k.path(Start, "a", End); k.Branch("x", "d", none, Case{"x", End}) }, []string{`branch "d" from "x": there is no such node`}},
		{"a case to nowhere", func(k *kit) {
			k.logs("a")
			k.path(Start, "a", End)
			k.Branch("a", "d", none, Case{"x", "y"}, Case{"z", Start})
		}, []string{`branch "d" to "y": there is no such node`, `branch "d" leads into the start`}},
		{"labels that are empty or taken", func(k *kit) {
			k.logs("a")
			k.path(Start, "a", End)
			k.Branch("a", "d", none, Case{"x", End}, Case{"", End}, Case{"x", "a"})
		}, []string{`the case to "end" has no label`, `two cases are labelled "x"`}},
		{"otherwise to a task", func(k *kit) {
			task := Task(k.Builder, "t", func(*Context, int) (update, error) { return update{}, nil })
			k.Branch(Start, "d", none, Otherwise(task.Name()))
			k.Edge("t", End)
		}, []string{`branch "d" otherwise leads to "t": a task is reached by sends alone`}},
		{"negative limits", func(k *kit) {
			k.Node("a", func(*Context, board) (update, error) { return update{}, nil }, WithTimeout(-time.Second))
			k.Node("b", func(*Context, board) (update, error) { return update{}, nil }, WithRetry(Retry{Attempts: -1}))
			k.path(Start, "a", "b", End)
		}, []string{`node "a" has a negative`, `node "b" has a negative`}},
		{"a recursion limit of a plain node", func(k *kit) {
			k.Node("a", func(*Context, board) (update, error) { return update{}, nil }, WithRecursionLimit(3))
			k.path(Start, "a", End)
		}, []string{`node "a" has a recursion limit`}},
		{"a payload that JSON loses", func(k *kit) {
			task := Task(k.Builder, "t", func(*Context, struct{ hidden int }) (update, error) { return update{}, nil })
			k.Branch(Start, "d", none, Case{"x", task.Name()})
			k.Edge("t", End)
		}, []string{`the payload of task "t"`, "hidden is not exported"}},
		{"everything at once", func(k *kit) {
			k.logs("a", "a", "lost")
			k.path(Start, "a", End, "b")
			k.Branch("a", "d", none)
		}, []string{`graph "g"`, `node "a" is declared twice`, "leads out of the end", `an edge to "b"`, `branch "d" has no cases`, `to "lost"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			tt.build(k)
			g, err := k.Compile()
			wantText(t, err, tt.want...)
			if g != nil {
				t.Error("a graph was returned beside the error")
			}
		})
	}
}

func TestCompileRefusesSchemas(t *testing.T) {
	t.Parallel()
	type thing struct {
		A int  `json:"a"`
		B *int `json:"b"`
	}
	a := func(s *thing) *int { return &s.A }
	elsewhere := new(int)
	tests := []struct {
		name   string
		schema func() *state.Schema[thing]
		want   string
	}{
		{"none", func() *state.Schema[thing] { return nil }, "the graph has no schema"},
		{"a field twice", func() *state.Schema[thing] {
			sc := state.NewSchema[thing](1)
			state.Replace(sc, "a", a)
			state.Sum(sc, "a", a)
			return sc
		}, `field "a": the name is empty or taken`},
		{"a field without name", func() *state.Schema[thing] {
			sc := state.NewSchema[thing](1)
			state.Max(sc, "", a)
			return sc
		}, `field "": the name is empty or taken`},
		{"two fields in one place", func() *state.Schema[thing] {
			sc := state.NewSchema[thing](1)
			state.Replace(sc, "a", a)
			state.Sum(sc, "b", a)
			return sc
		}, `fields "a" and "b" are the same place`},
		{"a field behind a pointer", func() *state.Schema[thing] {
			sc := state.NewSchema[thing](1)
			state.Replace(sc, "b", func(s *thing) *int { return s.B })
			return sc
		}, `field "b" does not point into the state`},
		{"a field elsewhere", func() *state.Schema[thing] {
			sc := state.NewSchema[thing](1)
			state.Replace(sc, "b", func(*thing) *int { return elsewhere })
			return sc
		}, `field "b" does not point into the state`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := New("g", tt.schema())
			b.Node("n", func(*Context, thing) (state.Update[thing], error) { return state.Update[thing]{}, nil })
			b.Edge(Start, "n")
			b.Edge("n", End)
			_, err := b.Compile()
			wantText(t, err, tt.want)
		})
	}
}

func TestCompileRefusesAStateThatJSONLoses(t *testing.T) {
	t.Parallel()
	type thing struct {
		Kept any `json:"kept"`
	}
	b := New("g", state.NewSchema[thing](1))
	b.Node("n", func(*Context, thing) (state.Update[thing], error) { return state.Update[thing]{}, nil })
	b.Edge(Start, "n")
	b.Edge("n", End)
	_, err := b.Compile()
	wantText(t, err, "the state does not survive a JSON round trip", ".Kept is an interface")
}

func TestCompiledGraphsAreFrozen(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	k.path(Start, "a", End)
	first := k.compile()
	before := first.Topology()
	k.logs("b")
	k.path("a", "b", End)
	if second := k.compile(); len(second.Topology().Nodes) != 4 {
		t.Error("the second graph lacks what was added to the builder")
	}
	if diff := cmp.Diff(before, first.Topology()); diff != "" {
		t.Errorf("the first graph changed with its builder (-before +after)\n%s", diff)
	}
	s, err := first.Run(context.Background(), board{})
	if err != nil || len(s.Log) != 1 {
		t.Errorf("the first graph ran %v (%v), want a alone", s.Log, err)
	}
}
