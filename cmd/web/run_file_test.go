package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
)

// TestRunsAreExported lists a run and writes it to a file.
func TestRunsAreExported(t *testing.T) {
	t.Parallel()
	there, dir := newShell(t), t.TempDir()
	document, file := filepath.Join(dir, "bridge.md"), filepath.Join(dir, "run.clewrun.json")
	if err := os.WriteFile(document, []byte("Henrike Aldous designed Copper Bridge. The Carrow Foundry cast the bells of Osterby."), 0o600); err != nil {
		t.Fatal(err)
	}
	there.must(t, "ingest", document)
	there.must(t, "ask", "Who designed Copper Bridge?")
	list := listRuns(t, there, "designed", "--kind", "answer", "--state", "done")
	if len(list) != 1 || len(listRuns(t, there, "designed", "--slow")) > 1 || len(listRuns(t, there, "--after", string(list[0].ID), "--kind", "answer")) != 0 {
		t.Fatalf("the list is %+v", list)
	}
	id := string(list[0].ID)
	there.must(t, "run", "export", id, file, "--with-text")
	written, err := os.ReadFile(file)
	noError(t, err)
	var f run.File
	noError(t, json.Unmarshal(written, &f))
	if string(f.Run.ID) != id || f.Run.About != "Who designed Copper Bridge?" || len(f.Passages) == 0 || len(f.States) == 0 {
		t.Errorf("the file has the run %+v with %d passages and %d states", f.Run, len(f.Passages), len(f.States))
	}
	if out, err := there.run(t, "run", "delete", id); domain.KindOf(err) != domain.Invalid {
		t.Errorf("an answer can be deleted as a run: %s, %v", out, err)
	}
	for _, args := range [][]string{{"--state", "lost"}, {"--from", "yesterday"}, {"--after", "nothing"}} {
		if out, err := there.run(t, append([]string{"run", "list"}, args...)...); err == nil {
			t.Errorf("run list %v: %s", args, out)
		}
	}
}

func listRuns(t *testing.T, sh shell, args ...string) (list []run.Listed) {
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

// TestAskPrintsItsSteps asks with --trace and --technical: each step is on standard error, in plain words
// or by the names of the graph, and before the answer.
func TestAskPrintsItsSteps(t *testing.T) {
	t.Parallel()
	sh, document := newShell(t), filepath.Join(t.TempDir(), "bridge.md")
	noError(t, os.WriteFile(document, []byte("Henrike Aldous designed Copper Bridge."), 0o600))
	sh.must(t, "ingest", document)
	plain := sh.must(t, "ask", "Who designed Copper Bridge?")
	for flag, parts := range map[string][]string{
		"--technical": {"retrieve  step 1", "\n  documents  ", "grade_documents  step 2", "generate  step"},
		"--trace":     {"Searched 2 ways, 1 passage, ", "1 passage: 1 ", "\n  near: bridge.md: ", "Found at the first search."},
	} {
		e, _, said := sh.env()
		e.stdout = e.stderr // as on a terminal
		root := program(e)
		root.SetArgs([]string{"ask", flag, "Who designed Copper Bridge?"})
		noError(t, root.ExecuteContext(t.Context()))
		traced, whole := strings.CutSuffix(said.String(), plain)
		if !whole {
			t.Errorf("%s does not end with the answer:\n%s", flag, traced)
		}
		for _, part := range parts {
			if strings.Contains(plain, part) || !strings.Contains(traced, part) {
				t.Errorf("want %q only with %s:\n%s", part, flag, traced)
			}
		}
		if flag == "--trace" && strings.Contains(traced, "grade_documents") {
			t.Errorf("names of the graph in plain words:\n%s", traced)
		}
	}
}
