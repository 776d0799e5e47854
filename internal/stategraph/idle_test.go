package stategraph

import (
	"context"
	"runtime"
	"testing"
)

// TestIdleNodesTakeNoMemory is not parallel: what others allocate would count.
func TestIdleNodesTakeNoMemory(t *testing.T) {
	few, many := allocated(t, chain(t, 10, 1)), allocated(t, chain(t, 10, 300))
	if many > few+few/20 {
		t.Errorf("a run of ten steps allocates %d bytes beside 300 idle nodes, and %d beside one", many, few)
	}
}

// allocated is how many bytes a run of g allocates.
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
