package stategraphtest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/stategraph/stategraphtest"
)

type values struct {
	Word  string   `json:"word"`
	Found []string `json:"found"`
	Count *int     `json:"count"`
	Given string   `json:"given"` // no field
}

type (
	update = state.Update[values]
	node   = func(*stategraph.Context, values) (update, error)
	route  = stategraph.Route[values]
)

var (
	schema = state.NewSchema[values](1)
	word   = state.Replace(schema, "word", func(s *values) *string { return &s.Word })
	found  = state.Append(schema, "found", func(s *values) *[]string { return &s.Found })
	count  = state.Replace(schema, "count", func(s *values) **int { return &s.Count })
)

func nothing(*stategraph.Context, values) (update, error) { return update{}, nil }

// beside builds a graph of a node with an innocent one beside it.
func beside(t testing.TB, f node, opts ...stategraph.NodeOption) *stategraph.Graph[values] {
	b := stategraph.New("g", schema)
	b.Node("innocent", nothing)
	b.Node("checked", f, opts...)
	for _, name := range []string{"innocent", "checked"} {
		b.Edge(stategraph.Start, name)
		b.Edge(name, stategraph.End)
	}
	return compiled(t, b)
}

func compiled(t testing.TB, b *stategraph.Builder[values]) *stategraph.Graph[values] {
	g, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func given() values {
	one := 1
	return values{Word: "w", Found: []string{"b", "a"}, Count: &one, Given: "g"}
}

// check runs a graph and fails the test unless its error contains all of want, or is
// nil if want is empty.
func check(t *testing.T, g *stategraph.Graph[values], opt stategraph.RunOption, want ...string) {
	t.Helper()
	_, err := g.Run(t.Context(), given(), opt)
	if err != nil && want == nil {
		t.Errorf("the run failed: %v", err)
	}
	for _, part := range want {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error is %v, want it to say %q", err, part)
		}
	}
}

func TestMutationsAreCaught(t *testing.T) {
	t.Parallel()
	sorts := func(_ *stategraph.Context, s values) (update, error) { slices.Sort(s.Found); return update{}, nil }
	check(t, beside(t, sorts), stategraphtest.CheckMutation(), "g/checked (step 1)", `changed the state it was given at "found"`)
	counts := func(_ *stategraph.Context, s values) (update, error) { *s.Count++; return update{}, nil }
	check(t, beside(t, counts), stategraphtest.CheckMutation(), "g/checked", `"count"`)
	own := func(_ *stategraph.Context, s values) (update, error) {
		s.Word = "mine"
		s.Found = append(s.Found, "mine")
		return word.Set("x"), nil
	}
	check(t, beside(t, own), stategraphtest.CheckMutation())
}

func TestMutationsByBranchesAndTasksAreCaught(t *testing.T) {
	t.Parallel()
	b := stategraph.New("g", schema)
	b.Node("a", nothing)
	b.Edge(stategraph.Start, "a")
	b.Branch("a", "decide", func(_ *stategraph.Context, s values) (route, error) {
		s.Found[0] = "c"
		return stategraph.Choose[values]("x"), nil
	}, stategraph.Case{Label: "x", Target: stategraph.End})
	check(t, compiled(t, b), stategraphtest.CheckMutation(), "g/decide (step 1)", `"found"`)

	b = stategraph.New("g", schema)
	task := stategraph.Task(b, "task", func(_ *stategraph.Context, p []int) (update, error) { p[0]++; return update{}, nil })
	b.Branch(stategraph.Start, "each", func(*stategraph.Context, values) (route, error) {
		return stategraph.Fan(task.Send([]int{1})), nil
	}, stategraph.Case{Label: "x", Target: "task"})
	b.Edge("task", stategraph.End)
	check(t, compiled(t, b), stategraphtest.CheckMutation(), "g/task (step 1)", "changed the payload")
}

// A checked node sees its declared fields and members that are not fields; an
// unchecked one sees everything.
func TestWhatANodeDoesNotDeclareIsBlankInTests(t *testing.T) {
	t.Parallel()
	var seen values
	g := beside(t, func(_ *stategraph.Context, s values) (update, error) { seen = s; return update{}, nil }, stategraph.Reads(found))
	for _, tt := range []struct {
		opts []stategraph.RunOption
		want values
	}{
		{[]stategraph.RunOption{stategraphtest.CheckMutation()}, values{Found: []string{"b", "a"}, Given: "g"}},
		{nil, given()},
	} {
		last, err := g.Run(t.Context(), given(), tt.opts...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, seen); diff != "" {
			t.Errorf("seen (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(given(), last); diff != "" {
			t.Errorf("the state after the node (-want +got)\n%s", diff)
		}
	}
}

func TestAnUndeclaredReadNamesTheNodeAndTheField(t *testing.T) {
	t.Parallel()
	copies := func(_ *stategraph.Context, s values) (update, error) { return found.Add(s.Word), nil }
	decides := func(_ *stategraph.Context, s values) (update, error) {
		if s.Count != nil {
			return word.Set("counted"), nil
		}
		return update{}, nil
	}
	follows := func(_ *stategraph.Context, s values) (update, error) { return word.Set(fmt.Sprint(*s.Count)), nil }
	fails := func(_ *stategraph.Context, s values) (update, error) {
		return update{}, fmt.Errorf("not for %s", s.Word)
	}
	either := func(_ *stategraph.Context, s values) (update, error) {
		if s.Word != "" || s.Count != nil {
			return word.Set("known"), nil
		}
		return update{}, nil
	}
	for _, tt := range []struct {
		node  node
		reads []state.Field
		want  []string
	}{
		{copies, []state.Field{found}, []string{"g/checked (step 1)", `reads "word"`}},
		{copies, []state.Field{word}, nil},
		{decides, []state.Field{word}, []string{`reads "count"`}},
		{follows, []state.Field{word}, []string{`reads "count"`}}, // a panic, when it is nil
		{follows, []state.Field{count}, nil},
		{fails, []state.Field{found}, []string{`reads "word"`}},
		{either, []state.Field{found}, []string{"reads undeclared fields"}},
		{either, nil, nil}, // declares nothing
	} {
		var opts []stategraph.NodeOption
		if tt.reads != nil {
			opts = append(opts, stategraph.Reads(tt.reads...))
		}
		check(t, beside(t, tt.node, opts...), stategraphtest.CheckReads(), tt.want...)
	}
}

func ExampleCheckMutation() {
	b := stategraph.New("answer", schema)
	b.Node("careless", func(_ *stategraph.Context, s values) (update, error) {
		s.Found[0] = "overwritten"
		return update{}, nil
	})
	b.Edge(stategraph.Start, "careless")
	b.Edge("careless", stategraph.End)
	g, _ := b.Compile()
	_, err := g.Run(context.Background(), values{Found: []string{"a"}}, stategraphtest.CheckMutation())
	fmt.Println(err)
	// Output: answer/careless (step 1): changed the state it was given at "found"; nodes return updates
}

func ExampleCheckReads() {
	b := stategraph.New("answer", schema)
	b.Node("retrieve", func(_ *stategraph.Context, s values) (update, error) { return found.Add("on " + s.Word), nil }, stategraph.Reads(found))
	b.Edge(stategraph.Start, "retrieve")
	b.Edge("retrieve", stategraph.End)
	g, _ := b.Compile()
	_, err := g.Run(context.Background(), values{Word: "bells"}, stategraphtest.CheckReads())
	fmt.Println(err)
	// Output: answer/retrieve (step 1): reads "word", which is not among its declared fields
}
