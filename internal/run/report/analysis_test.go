package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

func TestPercentilesAreOfTheNearestRank(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(i+1)*time.Millisecond)
	}
	for _, tt := range []struct {
		of   []time.Duration
		p    int
		want int64
	}{
		{nil, 50, 0}, {hundred[:1], 50, 1}, {hundred[:1], 95, 1}, {hundred[:2], 50, 1}, {hundred[:3], 50, 2}, {hundred, 50, 50}, {hundred, 95, 95}, {hundred, 100, 100},
	} {
		if got := percentile(tt.of, tt.p); got != tt.want {
			t.Errorf("percentile %d of %d times: %d, want %d", tt.p, len(tt.of), got, tt.want)
		}
	}
}

// TestNodesOfMadeRuns compares the lines of 200 made-up runs with figures computed by hand. Run n spends n ms in its first node,
// 5 ms in each of n mod 3 rounds, and every tenth fails in its last node after 7 ms.
func TestNodesOfMadeRuns(t *testing.T) {
	t.Parallel()
	const runs = 200
	loops := map[string]Loop{"question": {Node: "reword"}}
	end := func(kind stategraph.EventKind, node string, took int) trace.Event {
		return trace.Event{Kind: string(kind), Node: node, Took: time.Duration(took) * time.Millisecond}
	}
	byNode := analysis{Runs: &Runs{Loops: loops}, by: ByNode, lines: map[string]*AnalysisLine{}}
	byDay := analysis{Runs: byNode.Runs, by: ByDay, lines: map[string]*AnalysisLine{}}
	for n := 1; n <= runs; n++ {
		r := job.Run{Kind: "question", Status: job.Done, CreatedAt: noon.AddDate(0, 0, n%2), StartedAt: noon, FinishedAt: noon.Add(time.Duration(n) * time.Second)}
		events := []trace.Event{{Kind: string(stategraph.NodeStart), Node: "find"}, end(stategraph.NodeEnd, "find", n)}
		for range n % 3 {
			events = append(events, end(stategraph.NodeEnd, "reword", 5))
		}
		if n%10 == 0 {
			r.Status = job.Failed
			events = append(events, end(stategraph.NodeFailed, "write", 7))
		}
		byNode.nodes(r, events)
		for _, key := range byDay.keys(r, nil, nil) {
			byDay.line(key, "").ended(r, byDay.rounds(r, events))
		}
	}
	plain := cmpopts.IgnoreUnexported(AnalysisLine{})
	if diff := cmp.Diff([]AnalysisLine{
		{Key: "find", Kind: "question", Runs: 200, P50: 100, P95: 190, Slowest: 200},
		{Key: "reword", Kind: "question", Runs: 67 + 2*67, P50: 5, P95: 5, Slowest: 5}, // 67 numbers leave 1, 67 leave 2
		{Key: "write", Kind: "question", Runs: 20, Failed: 20, P50: 7, P95: 7, Slowest: 7},
	}, byNode.settled(), plain); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]AnalysisLine{ // of 2, 4, … 200 s and of 1, 3, … 199 s
		{Key: "2026-03-01", Runs: 100, Failed: 20, Loops: 33 + 2*34, P50: 100_000, P95: 190_000, Slowest: 200_000},
		{Key: "2026-03-02", Runs: 100, Loops: 34 + 2*33, P50: 99_000, P95: 189_000, Slowest: 199_000},
	}, byDay.settled(), plain); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
}
