package job_test

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// pausedRuns pauses what waits, prefers one, and goes on. What waits for a reply is left alone.
func pausedRuns(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1")
	b.add(t, "r2")
	b.add(t, "r3")
	b.add(t, "r9", func(r *job.Run) { r.Input = []byte(`{"bill":1}`) })
	_, err := b.Sleep(ctx, b.claim(t, "a", "r1"), "a")
	must(t, err)
	line := func(want ...domain.RunID) {
		t.Helper()
		got, err := b.Line(ctx, ws, "k", 9)
		must(t, err)
		if len(got) != len(want) {
			t.Fatalf("in the line are %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("in the line are %v, want %v", got, want)
			}
		}
	}
	line("r2", "r3", "r9")
	if n, err := b.Pause(ctx, ws, "k"); n != 3 || err != nil {
		t.Errorf("%d runs are paused, error %v; want 3", n, err)
	}
	line()
	for id, want := range map[domain.RunID]bool{"r2": false, "r9": false, "none": false} {
		if did, err := b.PauseOne(ctx, ws, id); did != want || err != nil {
			t.Errorf("%s was paused again: %v, error %v", id, did, err)
		}
	}
	must(t, b.Prefer(ctx, ws, "r3"))
	line("r3")
	if n, err := b.GoOn(ctx, ws, "k"); n != 2 || err != nil {
		t.Errorf("%d runs go on, error %v; want 2", n, err)
	}
	line("r3", "r2", "r9")
	if runs, err := b.Unsettled(ctx, ws, []domain.RunID{"r1", "r3", "none"}); err != nil || len(runs) != 2 {
		t.Errorf("%d runs are unsettled, error %v", len(runs), err)
	}
}
