package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRunsAreCarriedByFile exports a run, and looks at it in an empty
// installation as in its own.
func TestRunsAreCarriedByFile(t *testing.T) {
	t.Parallel()
	here, there, dir := newShell(t), newShell(t), t.TempDir()
	document, file := filepath.Join(dir, "bridge.md"), filepath.Join(dir, "run.clewrun.json")
	if err := os.WriteFile(document, []byte("Henrike Aldous designed Copper Bridge. The Carrow Foundry cast the bells of Osterby."), 0o600); err != nil {
		t.Fatal(err)
	}
	here.must(t, "ingest", document)
	here.must(t, "ask", "Who designed Copper Bridge?")
	list := listRuns(t, here, "designed", "--kind", "answer", "--state", "done")
	if len(list) != 1 || len(listRuns(t, here, "designed", "--slow")) > 1 || len(listRuns(t, here, "--after", string(list[0].ID), "--kind", "answer")) != 0 {
		t.Fatalf("the list is %+v", list)
	}
	id := string(list[0].ID)
	here.must(t, "run", "export", id, file, "--with-text")
	var imported struct{ ID string }
	if err := json.Unmarshal([]byte(there.must(t, "run", "import", file, "--json")), &imported); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"show"}, {"show", "--json"}, {"state", "--step", "3"}, {"state", "--step", "5", "--json"}} {
		want := here.must(t, append([]string{"run", args[0], id}, args[1:]...)...)
		if diff := cmp.Diff(want, there.must(t, append([]string{"run", args[0], imported.ID}, args[1:]...)...)); diff != "" {
			t.Errorf("run %v -here +there\n%s", args, diff)
		}
	}
	if got := listRuns(t, there, "--kind", "imported"); len(got) != 1 || got[0].About != "Who designed Copper Bridge?" || got[0].Seconds != list[0].Seconds {
		t.Errorf("there the list is %+v", got)
	}
	data, err := os.ReadFile(file)
	noError(t, err)
	noError(t, os.WriteFile(file, data[:len(data)-9], 0o600))
	if out, err := there.run(t, "run", "import", file); err == nil || !strings.Contains(err.Error(), "perhaps only a part of it was copied") {
		t.Errorf("a part of the file: %s, %v", out, err)
	}
	there.must(t, "run", "delete", imported.ID)
	if got := listRuns(t, there); len(got) != 0 {
		t.Errorf("after the deletion: %+v", got)
	}
	for _, args := range [][]string{{"--state", "lost"}, {"--from", "yesterday"}, {"--after", "nothing"}} {
		if out, err := there.run(t, append([]string{"run", "list"}, args...)...); err == nil {
			t.Errorf("run list %v: %s", args, out)
		}
	}
}

func listRuns(t *testing.T, sh shell, args ...string) (list []listedRun) {
	t.Helper()
	noError(t, json.Unmarshal([]byte(sh.must(t, append([]string{"run", "list", "--json"}, args...)...)), &list))
	return list
}

// TestGraphsAreWrittenAsPictures writes pictures of a graph, with its subgraph in place.
func TestGraphsAreWrittenAsPictures(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	svg, png := filepath.Join(dir, "answer.svg"), filepath.Join(dir, "answer.png")
	if out := sh.must(t, "graph", "answer", "--svg", svg, "--png", png); out != "" {
		t.Errorf("it prints %s", out)
	}
	drawn, err := os.ReadFile(svg)
	noError(t, err)
	for _, node := range []string{">grade_documents<", ">generate<", ">model<"} {
		if !strings.Contains(string(drawn), node) {
			t.Errorf("the drawing has no %s", node)
		}
	}
	if drawn, err = os.ReadFile(png); err != nil || !strings.HasPrefix(string(drawn), "\x89PNG") {
		t.Errorf("the PNG begins with %q, %v", drawn[:4], err)
	}
	if out := sh.must(t, "graph", "answer", "--mermaid", "--svg", "-"); !strings.Contains(out, "flowchart") || !strings.Contains(out, "</svg>") {
		t.Errorf("it prints %.200s", out)
	}
}

// TestAskPrintsItsSteps asks with --trace: each step is on standard error.
func TestAskPrintsItsSteps(t *testing.T) {
	t.Parallel()
	sh, document := newShell(t), filepath.Join(t.TempDir(), "bridge.md")
	noError(t, os.WriteFile(document, []byte("Henrike Aldous designed Copper Bridge."), 0o600))
	sh.must(t, "ingest", document)
	plain := sh.must(t, "ask", "Who designed Copper Bridge?")
	e, _, said := sh.env()
	root := program(e)
	root.SetArgs([]string{"ask", "--trace", "Who designed Copper Bridge?"})
	noError(t, root.ExecuteContext(t.Context()))
	traced := said.String()
	for _, part := range []string{"retrieve  step 1", "\n  documents  ", "grade_documents  step 2", "generate  step"} {
		if strings.Contains(plain, part) || !strings.Contains(traced, part) {
			t.Errorf("want %q only with --trace:\n%s", part, traced)
		}
	}
}
