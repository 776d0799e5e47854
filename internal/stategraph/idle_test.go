package stategraph

import (
	"context"
	"runtime"
	"strings"
	"testing"
)

// TestIdleNodesTakeNoMemory is not parallel: allocations of other tests would count.
func TestIdleNodesTakeNoMemory(t *testing.T) {
	few, many := allocated(t, chain(t, 10, 1)), allocated(t, chain(t, 10, 300))
	if many > few+few/20 {
		t.Errorf("a run of ten steps allocates %d bytes beside 300 idle nodes, and %d beside one", many, few)
	}
}

// TestIdleNodesAreNotVisited is not parallel for the same reason.
func TestIdleNodesAreNotVisited(t *testing.T) {
	run := func(g *Graph[benchState]) func() {
		return func() {
			if _, err := g.Run(context.Background(), benchState{}); err != nil {
				t.Error(err)
			}
		}
	}
	few, many := testing.AllocsPerRun(50, run(chain(t, 10, 1))), testing.AllocsPerRun(50, run(chain(t, 10, 300)))
	if few != many {
		t.Errorf("a run of ten steps allocates %v times beside 300 idle nodes, and %v times beside one", many, few)
	}
	visited := map[string]bool{}
	g := chain(t, 10, 300)
	if _, err := g.Run(context.Background(), benchState{}, Observe(func(e Event) {
		for _, name := range append(e.Targets, e.Node) {
			visited[name] = true
		}
	})); err != nil {
		t.Fatal(err)
	}
	for _, n := range g.nodes {
		if strings.HasPrefix(n.name, "idle") && visited[n.name] {
			t.Errorf("%s was visited", n.name)
		}
	}
}

// allocated returns how many bytes a run of g allocates.
func allocated(t *testing.T, g *Graph[benchState]) uint64 {
	t.Helper()
	const runs = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		if _, err := g.Run(context.Background(), benchState{}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / runs
}
