package stategraph

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
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
		{"no way from start", func(k *kit) { k.logs("a"); k.Edge("a", End) }, []string{"nothing leads out of the start"}},
		{"an unreachable node", func(k *kit) { k.logs("a", "b"); k.path(Start, "a", End); k.Edge("b", "a") }, []string{`no way leads from the start to "b"`}},
		{"a dead end", func(k *kit) { k.logs("a", "b"); k.path(Start, "a", End); k.Edge("a", "b") }, []string{`no way leads from "b" to the end`}},
		{"a loop without exit", func(k *kit) { k.logs("a", "b", "c"); k.path(Start, "a", End); k.path("a", "b", "c", "b") },
			[]string{`no way leads from "b" to the end`, `no way leads from "c" to the end`}},
		{"a task that nothing sends to", func(k *kit) {
			k.logs("a")
			Task(k.Builder, "t", func(*Context, int) (update, error) { return update{}, nil })
			k.path(Start, "a", End)
			k.Edge("t", End)
		}, []string{`no way leads from the start to "t"`}},
		{"a join of one", func(k *kit) { k.logs("a", "b"); k.path(Start, "a"); k.Join("b", "a"); k.Edge("b", End) }, []string{`a join into "b" waits for 1 nodes`}},
		{"joins of the wrong nodes", func(k *kit) {
			k.logs("a", "b")
			k.path(Start, "a", "b", End)
			k.Join("b", "a", "a", "x", Start, End)
			k.Join(End, "a", "b")
		}, []string{`a join into "b" waits for "a" twice`, `a join into "b" from "x"`, `a join into "b" waits for the start`, `a join into "b" leads out of the end`, "a join leads to the end"}},
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
	type state struct {
		A int  `json:"a"`
		B *int `json:"b"`
	}
	a := func(s *state) *int { return &s.A }
	elsewhere := new(int)
	tests := []struct {
		name   string
		schema func() *Schema[state]
		want   string
	}{
		{"none", func() *Schema[state] { return nil }, "the graph has no schema"},
		{"a field twice", func() *Schema[state] {
			sc := NewSchema[state](1)
			Replace(sc, "a", a)
			Sum(sc, "a", a)
			return sc
		}, `field "a": the name is empty or taken`},
		{"a field without name", func() *Schema[state] {
			sc := NewSchema[state](1)
			Max(sc, "", a)
			return sc
		}, `field "": the name is empty or taken`},
		{"two fields in one place", func() *Schema[state] {
			sc := NewSchema[state](1)
			Replace(sc, "a", a)
			Sum(sc, "b", a)
			return sc
		}, `fields "a" and "b" are the same place`},
		{"a field behind a pointer", func() *Schema[state] {
			sc := NewSchema[state](1)
			Replace(sc, "b", func(s *state) *int { return s.B })
			return sc
		}, `field "b" does not point into the state`},
		{"a field elsewhere", func() *Schema[state] {
			sc := NewSchema[state](1)
			Replace(sc, "b", func(*state) *int { return elsewhere })
			return sc
		}, `field "b" does not point into the state`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := New("g", tt.schema())
			b.Node("n", func(*Context, state) (Update[state], error) { return Update[state]{}, nil })
			b.Edge(Start, "n")
			b.Edge("n", End)
			_, err := b.Compile()
			wantText(t, err, tt.want)
		})
	}
}

// one-way codecs for the test below.
type writesOnly struct{ A int }

func (writesOnly) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

type embedded struct {
	Name string `json:"name"`
}

func compileState[S any]() error {
	b := New("g", NewSchema[S](1))
	b.Node("n", func(*Context, S) (Update[S], error) { return Update[S]{}, nil })
	b.Edge(Start, "n")
	b.Edge("n", End)
	_, err := b.Compile()
	return err
}

func TestStatesThatDoNotSurviveJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"unexported field", compileState[struct{ a int }](), ".a is not exported"},
		{"field left out", compileState[struct {
			A int `json:"-"`
		}](), ".A is left out of JSON"},
		{"interface", compileState[struct{ A any }](), ".A is an interface"},
		{"interface deep down", compileState[struct {
			A map[string][]struct{ B error }
		}](), ".A.B is an interface"},
		{"function", compileState[struct{ A func() }](), ".A is a func"},
		{"channel", compileState[struct{ A chan int }](), ".A is a chan"},
		{"complex number", compileState[struct{ A complex128 }](), ".A is a complex128"},
		{"key of a map", compileState[struct{ A map[float64]int }](), ".A is a map whose keys"},
		{"a name that an embedded field has too", compileState[struct {
			embedded
			Name string `json:"name"`
		}](), `.Name has the JSON name "name" of another field`},
		{"encodes itself only", compileState[struct{ A writesOnly }](), ".A encodes itself and has no method to decode itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantText(t, tt.err, "does not survive a JSON round trip", tt.want)
		})
	}
}

// The type is put together here because vet refuses one that is written out.
func TestTwoFieldsOfOneNameDoNotSurvive(t *testing.T) {
	t.Parallel()
	number := reflect.TypeFor[int]()
	err := survives(reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: number, Tag: `json:"x"`},
		{Name: "B", Type: number, Tag: `json:"x"`},
	}))
	wantText(t, err, `.B has the JSON name "x" of another field`)
}

func TestStatesThatSurviveJSON(t *testing.T) {
	t.Parallel()
	type tree struct {
		Children []*tree           `json:"children"`
		ByID     map[int]tree      `json:"by_id"`
		At       time.Time         `json:"at"`
		ByTime   map[time.Time]int `json:"by_time"`
		Raw      json.RawMessage   `json:"raw"`
		Bytes    []byte            `json:"bytes"`
		Took     time.Duration     `json:"took,omitzero"`
		embedded
	}
	if err := compileState[tree](); err != nil {
		t.Error(err)
	}
	if err := compileState[struct{}](); err != nil {
		t.Error(err)
	}
}

func TestCompiledGraphsAreFrozen(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	k.path(Start, "a", End)
	first := k.compile()
	before := first.Mermaid()
	k.logs("b")
	k.path("a", "b", End)
	if second := k.compile(); !strings.Contains(second.Mermaid(), "b[") {
		t.Error("the second graph lacks what was added to the builder")
	}
	if first.Mermaid() != before {
		t.Error("the first graph changed with its builder")
	}
	s, err := first.Run(context.Background(), board{})
	if err != nil || len(s.Log) != 1 {
		t.Errorf("the first graph ran %v (%v), want a alone", s.Log, err)
	}
}
