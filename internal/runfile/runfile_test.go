package runfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/runfile"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/trace"
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

// TestARunTravels exports a run and opens it in an empty installation: it is
// listed there, and has the same steps and states.
func TestARunTravels(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	here, there := asked(t), testkit.Open(t, testkit.Options{})
	r, data := exported(t, here, true)
	imported, err := there.RunFiles.Import(ctx, "another", bytes.NewReader(data))
	testkit.Must(t, err)
	list, err := there.Queue.List(ctx, "another", job.Query{Kind: runfile.Kind, Words: "founded"})
	if err != nil || len(list) != 1 || list[0].ID != imported.ID || list[0].Status != job.Done || list[0].Figures != r.Figures {
		t.Fatalf("the list has %+v, %v; want %+v", list, err, r)
	}
	f, err := there.RunFiles.Open(ctx, "another", imported.ID)
	testkit.Must(t, err)
	events, err := here.Hub.Events(ctx, testkit.Workspace, r.ID, 0)
	testkit.Must(t, err)
	own := here.Kinds.Named("answer")
	want, view := trace.Moments(r.ID, own.Topology, events)
	got, shown := trace.Moments(r.ID, f.Topology, f.Events)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("moments -want +got\n%s", diff)
	}
	if diff := cmp.Diff(view.Steps, shown.Steps); diff != "" {
		t.Errorf("steps -want +got\n%s", diff)
	}
	for _, m := range want {
		before, err := own.Fields(ctx, r.ID, m)
		testkit.Must(t, err)
		after, err := f.Kind().Fields(ctx, imported.ID, got[m.N])
		if diff := cmp.Diff(before, after); diff != "" || err != nil {
			t.Errorf("state at step %d: %v -want +got\n%s", m.N, err, diff)
		}
	}
	if len(f.Passages) == 0 || f.Passages[0].Text == "" {
		t.Errorf("the passages are %+v", f.Passages)
	}
	if _, err := there.RunFiles.Open(ctx, testkit.Workspace, imported.ID); domain.KindOf(err) != domain.NotFound {
		t.Errorf("another workspace opens it: %v", err)
	}
	var again bytes.Buffer
	testkit.Must(t, there.RunFiles.Export(ctx, there.Kinds, "another", imported.ID, false, &again))
	if !bytes.Equal(again.Bytes(), data) {
		t.Error("an imported run is exported otherwise than it came")
	}
	testkit.Must(t, there.RunFiles.Delete(ctx, "another", imported.ID))
	if n, err := there.Queue.Count(ctx, "another", job.Query{}); n != 0 || err != nil {
		t.Errorf("%d runs are left, %v", n, err)
	}
	if err := here.RunFiles.Delete(ctx, testkit.Workspace, r.ID); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a run of this installation is deleted: %v", err)
	}
}

// TestWithoutTextsAFileQuotesNothing looks for the words of a passage in a file
// that is written without them.
func TestWithoutTextsAFileQuotesNothing(t *testing.T) {
	t.Parallel()
	a := asked(t)
	var with, without runfile.File
	for texts, f := range map[bool]*runfile.File{true: &with, false: &without} {
		_, data := exported(t, a, texts)
		testkit.Must(t, json.Unmarshal(data, f))
	}
	quotes := func(f runfile.File) int {
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

// small is a file that is opened; tests break one part of it each.
func small() map[string]any {
	node := func(name, kind string) map[string]any { return map[string]any{"name": name, "kind": kind} }
	event := func(seq int, kind string, more map[string]any) map[string]any {
		e := map[string]any{"seq": seq, "at": "2026-03-01T12:00:00Z", "kind": kind, "path": []string{"answer"}}
		maps.Copy(e, more)
		return e
	}
	return map[string]any{
		"format": "clew-run", "version": 1, "exported_at": "2026-03-01T13:00:00Z",
		"run": map[string]any{
			"id": "run1", "kind": "answer", "title": "Answer", "about": "Who?", "status": "done",
			"started_at": "2026-03-01T12:00:00Z", "ended_at": "2026-03-01T12:00:05Z",
		},
		"topology": map[string]any{
			"name":  "answer",
			"nodes": []any{node("__start__", "start"), node("think", "node"), node("__end__", "end")},
			"edges": []any{map[string]any{"from": "__start__", "to": "think"}, map[string]any{"from": "think", "to": "think", "conditional": true}, map[string]any{"from": "think", "to": "__end__"}},
		},
		"events": []any{
			event(1, "run_start", nil), event(2, "node_start", map[string]any{"node": "think", "step": 1, "attempt": 1}),
			event(3, "node_end", map[string]any{"node": "think", "step": 1, "attempt": 1, "update": map[string]any{"n": 1}}),
			event(4, "run_end", nil), event(5, "settled", map[string]any{"label": "done"}),
		},
		"states": []any{map[string]any{"super": 0, "state": map[string]any{"n": 0}}, map[string]any{"super": 1, "state": map[string]any{"n": 1}}},
	}
}

// in returns the object or list at a path of a file.
func in(v any, path ...any) any {
	for _, p := range path {
		switch key := p.(type) {
		case string:
			v = v.(map[string]any)[key]
		case int:
			v = v.([]any)[key]
		}
	}
	return v
}

func set(f map[string]any, value any, path ...any) {
	last := path[len(path)-1]
	switch at := in(f, path[:len(path)-1]...).(type) {
	case map[string]any:
		at[last.(string)] = value
	case []any:
		at[last.(int)] = value
	}
}

// TestHostileFilesAreRefused breaks a file in many ways. Each is refused in words
// that name what is wrong, and nothing is stored.
func TestHostileFilesAreRefused(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	nested := any(1)
	for range 70 {
		nested = []any{nested}
	}
	graphs := map[string]any{"name": "g", "nodes": []any{}}
	for range 8 {
		graphs = map[string]any{"name": "g", "nodes": []any{map[string]any{"name": "n", "kind": "subgraph", "graph": graphs}}}
	}
	var nodes, starts []any
	for i := range 400 {
		nodes = append(nodes, map[string]any{"name": fmt.Sprint("n", i), "kind": "node"})
	}
	for i := range 3000 {
		starts = append(starts, map[string]any{"seq": i + 1, "kind": "node_start", "path": []string{"answer"}, "node": "think", "step": i + 1, "at": "2026-03-01T12:00:00Z"})
	}
	whole, err := json.Marshal(small())
	testkit.Must(t, err)
	if _, err := a.RunFiles.Import(t.Context(), testkit.Workspace, bytes.NewReader(whole)); err != nil {
		t.Fatalf("the whole file is refused: %v", err)
	}
	broken := func(value any, path ...any) []byte {
		f := small()
		set(f, value, path...)
		data, err := json.Marshal(f)
		testkit.Must(t, err)
		return data
	}
	for says, data := range map[string][]byte{
		"the file is empty":                       []byte(" \n"),
		"is not JSON at byte":                     whole[:len(whole)/2],
		"is not JSON":                             []byte("PK\x03\x04"),
		"not text in UTF-8":                       append([]byte(`{"format":"`), 0xff, '"', '}'),
		"more than 64 deep":                       broken(nested, "states", 0, "state"),
		`its format is "other"`:                   broken("other", "format"),
		`its format is ""`:                        []byte("{}"),
		"its version is 0":                        broken(0, "version"),
		"a later version of Clew":                 broken(2, "version"),
		"has more than 33554432 bytes":            bytes.Repeat([]byte(" "), runfile.MaxBytes+1),
		`"run" is a array`:                        broken([]any{1}, "run"),
		`"run.about" is a number`:                 broken(7, "run", "about"),
		"its run has not ended":                   broken("running", "run", "status"),
		"from the year 1":                         broken("0001-02-01T12:00:00Z", "run", "started_at"),
		"is not what it should be":                broken("yesterday", "run", "started_at"),
		"ended before it began":                   broken("2026-02-01T12:00:00Z", "run", "ended_at"),
		"figures are no counts":                   broken(-1, "run", "tokens"),
		`the kind of the run is "<b>"`:            broken("<b>", "run", "kind"),
		`the name of a node is "<script>alert(1)`: broken("<script>alert(1)</script>", "topology", "nodes", 1, "name"),
		`the name of a node is "` + "x\\u202e":    broken("x\u202ey", "topology", "nodes", 1, "name"),
		"its graph answer has two nodes __end__":  broken("__end__", "topology", "nodes", 1, "name"),
		`is of the kind "engine"`:                 broken("engine", "topology", "nodes", 1, "kind"),
		"the graph answer does not have both":     broken("nowhere", "topology", "edges", 0, "to"),
		"the label of the edge":                   broken(strings.Repeat("x", 100), "topology", "edges", 0, "label"),
		"graphs stand in each other":              broken(graphs, "topology"),
		"has more than 300 nodes":                 broken(nodes, "topology", "nodes"),
		"it has no events":                        broken([]any{}, "events"),
		"which is not after the one before":       broken(1, "events", 1, "seq"),
		"a figure that is no count":               broken(-1, "events", 1, "step"),
		`its event 2 is of the kind "explode"`:    broken("explode", "events", 1, "kind"),
		"in a graph that the run does not have":   broken([]string{"answer", "inner"}, "events", 1, "path"),
		"in a graph that stands too deep":         broken(slices.Repeat([]string{"answer"}, 50), "events", 1, "path"),
		`names the node "other"`:                  broken("other", "events", 1, "node"),
		"its event 2 names no node":               broken("", "events", 1, "node"),
		"has more than 1000 steps":                broken(starts, "events"),
		"its state 1 is not an object":            broken("text", "states", 0, "state"),
		"its state 2 belongs nowhere":             broken(-1, "states", 1, "super"),
		"the key of a recorded call":              broken([]any{map[string]any{"key": "a b<c"}}, "calls"),
		"the id of a passage":                     broken([]any{map[string]any{"chunk": "javascript:\u0000"}}, "passages"),
	} {
		_, err := a.RunFiles.Import(t.Context(), testkit.Workspace, bytes.NewReader(data))
		if kind := domain.KindOf(err); kind != domain.Invalid && kind != domain.TooLarge || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, got %v", says, err)
		}
	}
	if n, err := a.Queue.Count(t.Context(), testkit.Workspace, job.Query{}); n != 1 || err != nil {
		t.Errorf("%d runs are stored, %v; want the one of the whole file", n, err)
	}
}

// TestAFileOfALoopIsOpened: cycles belong to state graphs.
func TestAFileOfALoopIsOpened(t *testing.T) {
	t.Parallel()
	f := small()
	set(f, []any{
		map[string]any{"from": "__start__", "to": "think"}, map[string]any{"from": "think", "to": "__start__"}, map[string]any{"from": "__end__", "to": "think"},
		map[string]any{"from": "__end__", "to": "__end__"},
	}, "topology", "edges")
	set(f, "<b>Who?</b>\u0000\u202e", "run", "about")
	data, err := json.Marshal(f)
	testkit.Must(t, err)
	read, _, err := runfile.Read(bytes.NewReader(data))
	if err != nil || read.Run.About != "<b>Who?</b>\u202e" {
		t.Errorf("got %+v, %v", read, err)
	}
}

// TestDamagedFilesNeverPanic changes, cuts and repeats bytes of a real file.
func TestDamagedFilesNeverPanic(t *testing.T) {
	t.Parallel()
	whole, err := json.Marshal(small())
	testkit.Must(t, err)
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Clone(whole)
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			to := min(len(data), at+rapid.IntRange(0, 40).Draw(t, "length"))
			with := rapid.SampledFrom([]string{"", "null", "-1", "1e99", `"x"`, "[]", "{}", "true", `\u0000`, "{", "}", `"`, string(data[at:to]) + string(data[at:to])}).Draw(t, "with")
			data = slices.Concat(data[:at], []byte(with), data[to:])
			if len(data) == 0 {
				break
			}
		}
		f, _, err := runfile.Read(bytes.NewReader(data))
		if err != nil && domain.KindOf(err) == domain.Internal {
			t.Fatalf("refused without words: %v", err)
		}
		if err == nil {
			moments, _ := trace.Moments(f.Run.ID, f.Topology, f.Events)
			for _, m := range moments {
				_, _ = f.Kind().Fields(t.Context(), f.Run.ID, m)
			}
		}
	})
}

// FuzzRead reads damaged files.
func FuzzRead(f *testing.F) {
	whole, err := json.Marshal(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"format":"clew-run","version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, err := runfile.Read(bytes.NewReader(data)); err != nil && domain.KindOf(err) == domain.Internal {
			t.Errorf("refused without words: %v", err)
		}
	})
}
