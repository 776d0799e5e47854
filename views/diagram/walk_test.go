package diagram_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/views/diagram"
)

func entity(name string) diagram.WalkNode {
	return diagram.WalkNode{Key: "e" + name, Name: name, Label: "Person"}
}

func found(rank int) diagram.WalkNode {
	return diagram.WalkNode{Key: fmt.Sprint("c", rank), Name: fmt.Sprintf("letter %d", rank), Passage: true, Rank: rank}
}

func TestWalksThatBeginAlikeShareTheirBeginning(t *testing.T) {
	t.Parallel()
	onTheWay := found(1)
	onTheWay.Rank = 0
	w := diagram.DrawWalk([]diagram.WalkPath{
		{Nodes: []diagram.WalkNode{found(1)}},
		{Nodes: []diagram.WalkNode{entity("Ada"), found(2)}},
		{Nodes: []diagram.WalkNode{entity("Ada"), entity("Bela"), found(3)}, Only: true},
		{Nodes: []diagram.WalkNode{onTheWay, entity("Bela"), found(4)}, Only: true},
	})
	at := map[string]int{}
	var right []string
	for _, s := range w.Stops {
		at[s.Key]++
		if s.Rank > 0 {
			right = append(right, fmt.Sprintf("%d %.0f %.0f %v", s.Rank, s.X, s.Y, s.Only))
		}
		if s.X <= w.Root.X || s.X > w.Width || s.Y < 0 || s.Y > w.Height {
			t.Errorf("%s stands at %v, %v of %v by %v", s.Name, s.X, s.Y, w.Width, w.Height)
		}
	}
	if diff := cmp.Diff(map[string]int{"c1": 2, "eAda": 1, "c2": 1, "eBela": 2, "c3": 1, "c4": 1}, at); diff != "" {
		t.Errorf("stops (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1 640 26 false", "2 640 66 false", "3 640 106 true", "4 640 146 true"}, right); diff != "" {
		t.Errorf("passages found (-want +got)\n%s", diff)
	}
	if len(w.Lines) != len(w.Stops) {
		t.Errorf("%d lines to %d stops", len(w.Lines), len(w.Stops))
	}
	apart := map[string]bool{}
	for _, s := range w.Stops {
		if at := fmt.Sprintf("%.0f %.0f", s.X, s.Y); apart[at] {
			t.Errorf("two things stand at %s", at)
		} else {
			apart[at] = true
		}
	}
	only := 0
	for _, l := range w.Lines {
		if l.Only {
			only++
		}
	}
	if only != 5 { // the way over Bela twice, not that to Ada, which also leads to the second
		t.Errorf("%d lines are of the graph alone", only)
	}
	if empty := diagram.DrawWalk(nil); len(empty.Stops) != 0 || empty.Height <= 0 {
		t.Errorf("of nothing: %+v", empty)
	}
}
