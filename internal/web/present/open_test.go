package present

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
)

func TestWhatIsAtWorkIsSaid(t *testing.T) {
	t.Parallel()
	task := func(n int, waits ...trace.Wait) trace.Task {
		return trace.Task{N: n, Began: noon.Add(time.Duration(n) * time.Second), Waits: waits}
	}
	slot := trace.Wait{Wait: domain.Wait{For: domain.WaitSlot}}
	retry := trace.Wait{Wait: domain.Wait{For: domain.WaitRetry, Why: "The model's server asks for fewer calls."}, Until: noon.Add(time.Minute)}
	for _, tt := range []struct {
		name string
		step trace.Step
		want []string
	}{
		{"a node that waits for nothing", trace.Step{Tasks: 1, Open: []trace.Task{task(0)}}, nil},
		{"a node that waits for the model", trace.Step{Tasks: 1, Open: []trace.Task{task(0, slot)}}, []string{"It waits until the model is free."}},
		{"a pause says more than a slot", trace.Step{Tasks: 1, Open: []trace.Task{task(0, slot, retry)}}, []string{"It is tried again at 12:01:00. The model's server asks for fewer calls."}},
		{
			"the slowest three of many", trace.Step{Tasks: 9, Open: []trace.Task{task(4), task(3, retry), task(2, slot), task(1)}},
			[]string{
				"4 tasks at work, the slowest:", "Task 2, at work since 12:00:01.", "Task 3, at work since 12:00:02, waits until the model is free.",
				"Task 4, at work since 12:00:03, is tried again at 12:01:00. The model's server asks for fewer calls.",
			},
		},
	} {
		if diff := cmp.Diff(tt.want, AtWork(&tt.step)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestARunThatIsPostponedSaysWhy(t *testing.T) {
	t.Parallel()
	r := job.Run{Status: job.Waiting, NextTry: noon}
	if said := Waits(r); said != "" {
		t.Errorf("a run that waits for its turn says %q", said)
	}
	r.Problem = "Neo4j does not answer."
	if said := Waits(r); said != "Waits until 1 March 2026, 12:00. Neo4j does not answer." {
		t.Errorf("it says %q", said)
	}
	r.Status = job.Running
	if said := Waits(r); said != "" {
		t.Errorf("a run at work says %q", said)
	}
}
