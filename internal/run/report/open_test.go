package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
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
		if diff := cmp.Diff(tt.want, Working(&tt.step)); diff != "" {
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

// TestWhatIsAtWorkIsListed prints a run of which two sends have begun.
func TestWhatIsAtWorkIsListed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	begins := func(task int) trace.Event {
		return trace.Event{At: at, Kind: string(stategraph.NodeStart), Path: []string{"g"}, Node: "map", Step: 1, Task: task, Attempt: 1}
	}
	waits := begins(1)
	waits.Kind, waits.Custom, waits.Payload = string(stategraph.Custom), domain.EventWait, []byte(`{"for":"slot"}`)
	moments, view := trace.Moments("r", stategraph.Topology{}, []trace.Event{{At: at, Kind: string(stategraph.RunStart), Path: []string{"g"}}, begins(0), begins(1), waits})
	var out strings.Builder
	s, l := Shown{technical: true}, Log{Moments: moments, View: view}
	for _, group := range l.groups() {
		s.Steps = append(s.Steps, l.shown(group))
	}
	if err := s.print(&out); err != nil {
		t.Fatal(err)
	}
	want := "At work: map\n  Task 1, at work since 12:00:00.\n  Task 2, at work since 12:00:00, waits until the model is free.\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("printed\n%swant at the end\n%s", out.String(), want)
	}
}
