package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
)

// TestStatesOfARunStay reads a document, asks what it does not say, so that the
// question is reworded, and sums it up. Every state is that of the engine.
func TestStatesOfARunStay(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	document := filepath.Join(dir, "bridge.md")
	if err := os.WriteFile(document, []byte("# Bridges\n\nHenrike Aldous designed Copper Bridge. The Carrow Foundry cast the bells of Osterby."), 0o600); err != nil {
		t.Fatal(err)
	}
	sh.must(t, "ingest", document)
	if out, err := sh.run(t, "ask", "Who discovered the zebra?"); err == nil && !strings.Contains(out, "Nothing close") {
		t.Fatalf("it is answered: %s", out)
	}
	sh.must(t, "summarize", "bridge.md")
	var runs []run.Listed
	list := sh.must(t, "run", "list", "--json")
	err := json.Unmarshal([]byte(list), &runs)
	runs = slices.DeleteFunc(runs, func(r run.Listed) bool { return r.Kind == "resolve" }) // waits for a worker
	if err != nil || len(runs) != 3 {
		t.Fatalf("%d runs, %v: %s", len(runs), err, list)
	}
	for _, r := range runs {
		var steps []report.ShownStep
		if err := json.Unmarshal([]byte(sh.must(t, "run", "show", string(r.ID), "--json")), &steps); err != nil || len(steps) < 4 || len(steps[0].Nodes) != 0 {
			t.Fatalf("%s has the steps %+v, %v", r.Kind, steps, err)
		}
	}
	if said := sh.must(t, "run", "show", string(runs[1].ID)); !strings.Contains(said, "Reworded (1 of 3)") || strings.Contains(said, "transform_query") || !strings.HasPrefix(said, "Searched 4 times") {
		t.Errorf("in plain words it says\n%s", said)
	}
	a := sh.app(t)
	for _, r := range runs {
		checkStates(t, a, r.ID)
	}
	answers := loops(t, a, runs[1].ID)
	if strings.Join(answers, " ") != "0 → 1 1 → 2 2 → 3" {
		t.Errorf("loop_count goes %v", answers)
	}
	c := decoded[questions.Compared](t, sh.must(t, "run", "compare", string(runs[1].ID), string(runs[2].ID), "--json"))
	if c.Left.ID != runs[1].ID || c.Right.ID != runs[2].ID || len(c.Steps) < 10 {
		t.Errorf("they are compared as %+v", c)
	}
	again := decoded[questions.Compared](t, sh.must(t, "run", "compare", string(runs[1].ID), string(runs[1].ID), "--json"))
	if len(again.States) != 0 || slices.ContainsFunc(again.Steps, func(s questions.StepCompared) bool { return s.Left == nil || s.Right == nil }) {
		t.Errorf("a run differs from itself: %+v", again)
	}
	if out := sh.must(t, "run", "compare", string(runs[1].ID), string(runs[1].ID)); !strings.Contains(out, "retrieve, ") || !strings.Contains(out, "zebra") {
		t.Errorf("printed %q", out)
	}
	for args, says := range map[string]string{
		"compare nothing " + string(runs[1].ID):      "There is no run nothing",
		"state " + string(runs[1].ID) + " --step 99": "has no step 99: its steps are 0 to",
		"show nothing": "There is no run nothing",
	} {
		if _, err := sh.run(t, append([]string{"run"}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("run %s: %v", args, err)
		}
	}
	if out := sh.must(t, "run", "state", string(runs[1].ID), "--step", "0"); !strings.Contains(out, `question  "Who discovered the zebra?"`) {
		t.Errorf("the state at the start is %s", out)
	}
}

// checkStates compares the fields at each moment with the engine's states on
// both sides of it.
func checkStates(t *testing.T, a *app, id domain.RunID) {
	t.Helper()
	ctx := t.Context()
	r, err := a.queue.Get(ctx, domain.DefaultWorkspace, id)
	noError(t, err)
	events, err := a.hub.Events(ctx, domain.DefaultWorkspace, id, 0)
	noError(t, err)
	kind, seq := a.kinds().Named(r.Kind), 0
	moments, _ := trace.Moments(id, kind.Topology, events)
	for _, m := range moments {
		if m.N > 0 && m.Seq <= seq {
			t.Errorf("%s: step %d ends with event %d, and the one before with %d", r.Kind, m.N, m.Seq, seq)
		}
		seq = m.Seq
		fields, err := kind.Fields(ctx, id, m)
		noError(t, err)
		if len(m.Within) > 0 || len(fields) == 0 {
			continue
		}
		after := a.engineState(t, r.Kind, id, m.Super)
		before := map[string]any{}
		if m.Super > 0 {
			before = a.engineState(t, r.Kind, id, m.Super-1)
		}
		for _, f := range fields {
			if diff := cmp.Diff(after[f.Name], unpacked(t, f.After)); diff != "" {
				t.Errorf("%s, step %d: %s (-engine +shown)\n%s", r.Kind, m.N, f.Name, diff)
			}
			if diff := cmp.Diff(before[f.Name], unpacked(t, f.Before)); diff != "" {
				t.Errorf("%s, before step %d: %s (-engine +shown)\n%s", r.Kind, m.N, f.Name, diff)
			}
		}
	}
}

// engineState returns the members of a run's state after a super-step.
func (a *app) engineState(t *testing.T, kind string, id domain.RunID, step int) map[string]any {
	t.Helper()
	var state any
	var err error
	switch kind {
	case questions.Kind:
		state, err = a.questions.Graph.StateAt(t.Context(), string(id), step)
	case documents.Kind:
		state, err = a.documents.Graph.StateAt(t.Context(), string(id), step)
	case summaries.Kind:
		state, err = a.summaries.Graph.StateAt(t.Context(), string(id), step)
	default:
		t.Fatalf("no graph of kind %s", kind)
	}
	noError(t, err)
	data, err := json.Marshal(state)
	noError(t, err)
	members, _ := unpacked(t, data).(map[string]any)
	return members
}

// unpacked decodes JSON; nothing is nil.
func unpacked(t *testing.T, data json.RawMessage) (v any) {
	t.Helper()
	if data != nil {
		noError(t, json.Unmarshal(data, &v))
	}
	return v
}

// loops returns the changes of loop_count in a run.
func loops(t *testing.T, a *app, id domain.RunID) (changes []string) {
	t.Helper()
	events, err := a.hub.Events(t.Context(), domain.DefaultWorkspace, id, 0)
	noError(t, err)
	kind := a.kinds().Named("answer")
	moments, _ := trace.Moments(id, kind.Topology, events)
	for _, m := range moments {
		if len(m.Within) > 0 {
			continue
		}
		fields, err := kind.Fields(t.Context(), id, m)
		noError(t, err)
		for _, f := range fields {
			if f.Name == "loop_count" && f.Changed() {
				changes = append(changes, string(f.Before)+" → "+string(f.After))
			}
		}
	}
	return changes
}
