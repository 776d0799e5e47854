package stategraph

import (
	"testing"

	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/google/go-cmp/cmp"
)

func TestAnUndeclaredWriteNamesTheNodeAndTheField(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("writer", func(*Context, board) (update, error) { return state.Merge(k.word.Set("x"), k.high.Raise(2)), nil },
		Writes(k.total), Writes(k.word))
	k.path(Start, "writer", End)
	s, err := k.fails()
	wantText(t, err, `g/writer (step 1)`, `wrote "high"`, "word, total")
	if s.Word != "" || s.High != 0 {
		t.Errorf("part of the update was merged: %+v", s)
	}
}

func TestANodeThatDeclaresNoWritesMakesNone(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("reader", func(*Context, board) (update, error) { return k.log.Add("x"), nil }, Writes())
	k.path(Start, "reader", End)
	_, err := k.fails()
	wantText(t, err, `g/reader (step 1)`, `wrote "log"`)
}

func TestATaskAndASubgraphAreHeldToTheirWrites(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	task := Task(k.Builder, "task", func(_ *Context, n int) (update, error) { return k.high.Raise(n), nil }, Writes(k.log))
	k.Branch(Start, "each", func(*Context, board) (route, error) { return Fan(task.Send(7)), nil }, Case{"one", "task"})
	k.Edge("task", End)
	_, err := k.fails()
	wantText(t, err, `g/task (step 1)`, `wrote "high"`)

	k = newKit(t)
	Subgraph(k.Builder, "sub", inner(t, nil), func(s board) board { return s }, func(_, _ board) update { return k.word.Set("x") }, Writes(k.log))
	k.path(Start, "sub", End)
	_, err = k.fails()
	wantText(t, err, `g/sub (step 1)`, `wrote "word"`)
}

func TestAWriteThatIsMadeWithinADeclarationIsMerged(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("writer", func(*Context, board) (update, error) { return state.Merge(k.word.Set("x"), k.log.Add("y")), nil }, Writes(k.log, k.word))
	k.path(Start, "writer", End)
	if s := k.run(); s.Word != "x" || len(s.Log) != 1 {
		t.Errorf("the state is %+v", s)
	}
}

func TestDeclarationsAreChecked(t *testing.T) {
	t.Parallel()
	k, other := newKit(t), newFields(1)
	Task(k.Builder, "task", func(*Context, int) (update, error) { return update{}, nil }, Reads(k.word))
	k.Node("node", func(*Context, board) (update, error) { return update{}, nil }, Writes(other.word))
	k.path(Start, "node", End)
	_, err := k.Compile()
	wantText(t, err, `task "task" declares what it reads`, `node "node" declares a field of another schema`)
}

func TestTheTopologyTellsWhatIsDeclared(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("open", func(*Context, board) (update, error) { return update{}, nil })
	k.Node("told", func(*Context, board) (update, error) { return update{}, nil }, Reads(k.total, k.word), Writes())
	k.path(Start, "open", "told", End)
	want := []TopologyNode{
		{Name: Start, Kind: KindStart}, {Name: "open", Kind: KindNode},
		{Name: "told", Kind: KindNode, Reads: []string{"word", "total"}, Writes: []string{}}, {Name: End, Kind: KindEnd},
	}
	if diff := cmp.Diff(want, k.compile().Topology().Nodes); diff != "" {
		t.Errorf("nodes (-want +got)\n%s", diff)
	}
	if k.word.Name() != "word" {
		t.Errorf("the field is called %q", k.word.Name())
	}
}
