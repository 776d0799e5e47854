package run_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/testkit"
)

const document = "Maud Ferring founded the Bell Foundry in Carrow. The Bell Foundry cast the bells of Osterby."

// exported asks a question and returns its run as a file, with the texts of
// passages or without.
func exported(t testing.TB, a *testkit.App, texts bool) (job.Run, []byte) {
	t.Helper()
	ctx := t.Context()
	runs, err := a.Queue.List(ctx, testkit.Workspace, job.Query{Kind: "answer"})
	testkit.Must(t, err)
	var file bytes.Buffer
	testkit.Must(t, a.RunFiles.Export(ctx, a.Kinds, testkit.Workspace, runs[0].ID, texts, &file))
	return runs[0], file.Bytes()
}

func asked(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.Open(t, testkit.Options{})
	a.Start(t)
	a.Read(t, "foundry.txt", document)
	a.Answered(t, "", "Who founded the Bell Foundry?")
	return a
}

// TestAFileHasTheWholeRun exports a run, and finds the same steps and states in the file.
func TestAFileHasTheWholeRun(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := asked(t)
	r, data := exported(t, a, true)
	var f run.File
	testkit.Must(t, json.Unmarshal(data, &f))
	events, err := a.Hub.Events(ctx, testkit.Workspace, r.ID, 0)
	testkit.Must(t, err)
	own := a.Kinds.Named("answer")
	want, view := trace.Moments(r.ID, own.Topology, events)
	got, shown := trace.Moments(r.ID, f.Topology, f.Events)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("moments -want +got\n%s", diff)
	}
	if diff := cmp.Diff(view.Steps, shown.Steps); diff != "" {
		t.Errorf("steps -want +got\n%s", diff)
	}
	for _, m := range want {
		state, err := own.StateAt(ctx, r.ID, m)
		testkit.Must(t, err)
		if !slices.ContainsFunc(f.States, func(s run.FileState) bool {
			return s.Super == m.Super && len(s.Within) == len(m.Within) && bytes.Equal(s.State, state)
		}) {
			t.Errorf("the file lacks the state at step %d", m.N)
		}
	}
	if len(f.Passages) == 0 || f.Passages[0].Text == "" || f.Format != run.FileFormat || f.Version != run.FileVersion {
		t.Errorf("the passages are %+v, the format %q %d", f.Passages, f.Format, f.Version)
	}
}

// TestWithoutTextsAFileQuotesNothing looks for the words of a passage in a file
// that is written without them.
func TestWithoutTextsAFileQuotesNothing(t *testing.T) {
	t.Parallel()
	a := asked(t)
	var with, without run.File
	for texts, f := range map[bool]*run.File{true: &with, false: &without} {
		_, data := exported(t, a, texts)
		testkit.Must(t, json.Unmarshal(data, f))
	}
	quotes := func(f run.File) int {
		data, err := json.Marshal([]any{f.Events, f.States, f.Passages, f.Calls})
		testkit.Must(t, err)
		return strings.Count(string(data), `"text":"Maud Ferring founded the Bell Foundry in Carrow.","`) + strings.Count(string(data), `Carrow. The Bell`)
	}
	if quotes(with) == 0 {
		t.Fatal("with texts nothing is quoted: the test proves nothing")
	}
	if len(without.Passages) > 0 || strings.Contains(fmt.Sprint(without.Calls), "Answer:{") {
		t.Errorf("without texts there are passages %v and calls %v", without.Passages, without.Calls)
	}
	for _, s := range without.States {
		if strings.Contains(string(s.State), `Carrow. The Bell`) {
			t.Errorf("the state %s quotes a passage", s.State)
		}
		var state struct {
			Citations []domain.Citation `json:"citations"`
		}
		testkit.Must(t, json.Unmarshal(s.State, &state))
		for _, c := range state.Citations {
			if c.Text != "" {
				t.Errorf("a citation quotes %q", c.Text)
			}
		}
	}
}

// TestARunThatGoesOnIsNotExported, nor is one that is not there.
func TestARunThatGoesOnIsNotExported(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	r, err := a.Queue.Add(t.Context(), job.Run{Workspace: testkit.Workspace, ID: "r1", Kind: "answer"})
	testkit.Must(t, err)
	for id, kind := range map[domain.RunID]domain.Kind{r.ID: domain.Conflict, "nothing": domain.NotFound} {
		var to bytes.Buffer
		if err := a.RunFiles.Export(t.Context(), a.Kinds, testkit.Workspace, id, false, &to); domain.KindOf(err) != kind || to.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", id, err, to.Len())
		}
	}
}
