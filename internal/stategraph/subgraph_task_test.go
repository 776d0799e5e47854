package stategraph

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// manySubgraphs builds a graph that sends three words to a subgraph of two nodes,
// beside a node in the same super-step. It calls called for each call within.
func manySubgraphs(t testing.TB, called func(node, word string), opts ...CompileOption) *Graph[board] {
	inside := newKit(t)
	for _, name := range []string{"x", "y"} {
		inside.Node(name, func(_ *Context, s board) (update, error) {
			called(name, s.Word)
			return inside.log.Add(name + s.Word), nil
		})
	}
	inside.path(Start, "x", "y", End)
	k := newKit(t)
	k.logs("ask", "beside")
	each := SubgraphTask(k.Builder, "sub", inside.compile(),
		func(word string) board { return board{Word: word} },
		func(word string, last board) update {
			return k.cards.Put(card{word, fmt.Sprint(last.Log)})
		}, Writes(k.cards))
	k.Edge(Start, "ask")
	k.Branch("ask", "fan", func(*Context, board) (route, error) {
		return Choose[board]("beside").And(Fan(each.Send("1"), each.Send("2"), each.Send("3"))), nil
	}, Case{"beside", "beside"}, Case{"each", "sub"})
	k.path("beside", End)
	k.Edge("sub", End)
	return k.compile(opts...)
}

var ofMany = []card{{"1", "[x1 y1]"}, {"2", "[x2 y2]"}, {"3", "[x3 y3]"}}

func TestASubgraphRunsForEachPayload(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	g := manySubgraphs(t, func(string, string) {})
	s, err := g.Run(t.Context(), board{}, r.observe(), MaxConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ofMany, s.Cards); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	wantLog(t, s, "ask", "beside")
	if n := len(slices.DeleteFunc(r.lines(NodeStart), func(line string) bool { return line != "g/sub node_start 2 y" })); n != 3 {
		t.Errorf("the second node within began %d times under its path:\n%v", n, r.lines(NodeStart))
	}
	if i := slices.IndexFunc(g.Topology().Nodes, func(n TopologyNode) bool { return n.Name == "sub" }); g.Topology().Nodes[i].Kind != KindTask || g.Topology().Nodes[i].Graph == nil {
		t.Errorf("drawn as %+v", g.Topology().Nodes[i])
	}
}

// TestSubgraphTasksGoOnEachByItself kills a run at each of its writes: nodes that
// had finished in any of the subgraphs are not called again.
func TestSubgraphTasksGoOnEachByItself(t *testing.T) {
	t.Parallel()
	for lives := 1; ; lives++ {
		var mu sync.Mutex
		calls, finished := map[string]int{}, map[string]bool{}
		store := newMortal()
		store.give(lives)
		g := manySubgraphs(t, func(node, word string) {
			mu.Lock()
			defer mu.Unlock()
			calls[node+word]++
			if finished[node+word] {
				t.Errorf("%d writes: %s of %s is called again", lives, node, word)
			}
		}, WithCheckpointer(store))
		s, err := g.Run(t.Context(), board{}, Thread("t"), MaxConcurrency(2))
		if err == nil {
			if lives < 8 {
				t.Errorf("the run took %d writes", lives)
			}
			return
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		for key := range calls { // y has begun, so x has finished
			if key[0] == 'y' {
				finished["x"+key[1:]] = true
			}
		}
		store.give(-1)
		if s, err = g.Run(t.Context(), board{}, Thread("t"), OrResume()); err != nil {
			t.Fatalf("%d writes: %v", lives, err)
		}
		if diff := cmp.Diff(ofMany, s.Cards); diff != "" {
			t.Errorf("%d writes: cards (-want +got):\n%s", lives, diff)
		}
	}
}

func TestAnIncompleteSubgraphTaskIsAProblem(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	SubgraphTask[board, board, int](k.Builder, "sub", nil, nil, nil)
	k.path(Start, "a", End)
	_, err := k.Compile()
	wantText(t, err, `task "sub" has no function`)
}
