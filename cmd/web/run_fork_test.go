package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/report"
)

// TestAnAnswerIsForked asks, drops the passage that the answer rests on, and deletes
// the branch again.
func TestAnAnswerIsForked(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	document := filepath.Join(dir, "bridge.md")
	if err := os.WriteFile(document, []byte("# Bridges\n\nHenrike Aldous designed Copper Bridge. The Carrow Foundry cast the bells of Osterby."), 0o600); err != nil {
		t.Fatal(err)
	}
	sh.must(t, "ingest", document)
	var asked, forked questions.Reply
	if err := json.Unmarshal([]byte(sh.must(t, "ask", "--json", "Who designed Copper Bridge?")), &asked); err != nil || !strings.Contains(asked.Answer, "Henrike Aldous") {
		t.Fatalf("the answer is %q, error %v", asked.Answer, err)
	}
	var steps []report.ShownStep
	if err := json.Unmarshal([]byte(sh.must(t, "run", "show", asked.Run, "--json")), &steps); err != nil || steps[2].Nodes[0] != "grade_documents" {
		t.Fatalf("steps %+v, error %v", steps, err)
	}
	var chunk struct {
		Documents []struct {
			Chunk domain.ChunkID `json:"chunk"`
		} `json:"documents"`
	}
	a := sh.app(t)
	r, err := a.queue.Get(t.Context(), domain.DefaultWorkspace, domain.RunID(asked.Run))
	noError(t, err)
	state, err := a.kinds().Named(r.Kind).State(t.Context(), asked.Run, nil, 2)
	noError(t, err)
	noError(t, json.Unmarshal(state, &chunk))
	grade := "grade." + string(chunk.Documents[0].Chunk)

	if err := json.Unmarshal([]byte(sh.must(t, "run", "fork", asked.Run, "--step", "2", "--set", grade+"=irrelevant", "--set", "max_loops=0", "--json")), &forked); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(forked.Answer, "Henrike") || forked.Run == asked.Run || len(forked.Path) != 2 {
		t.Errorf("the branch answers %q by %v", forked.Answer, forked.Path)
	}
	if out := sh.must(t, "run", "fork", forked.Run, "--step", "0", "--set", grade+"=relevant"); !strings.HasPrefix(out, asked.Answer) || !strings.Contains(out, "[1] bridge.md") {
		t.Errorf("the branch of the branch prints %q", out)
	}
	var list []questions.ListedBranch
	if err := json.Unmarshal([]byte(sh.must(t, "run", "branches", asked.Run, "--json")), &list); err != nil || len(list) != 2 {
		t.Fatalf("branches %+v, error %v", list, err)
	}
	if list[0].Title != "Grade flipped, 0 rewrites" || list[0].Depth != 0 || list[1].Depth != 1 || list[1].Parent != list[0].Run || list[1].Status != "done" {
		t.Errorf("branches %+v", list)
	}
	if out := sh.must(t, "run", "branches", forked.Run); !strings.Contains(out, "  Grade flipped") {
		t.Errorf("the tree is\n%s", out)
	}
	for args, says := range map[string]string{
		asked.Run: "--step",
		asked.Run + " --step 2 --set max_loops=many":  `max_loops: "many" is not a number.`,
		asked.Run + " --step 2 --set colour=red":      "colour: There is no such field",
		asked.Run + " --step 2 --set colour":          "has no value",
		asked.Run + " --step 2 --set draft.write=@no": "draft.write can't be read",
		asked.Run + " --step 2 --set model=huge":      "model: No model is configured",
		asked.Run + " --step 2":                       "Nothing has been changed",
		asked.Run + " --step 99 --set max_loops=1":    "has no step 99",
		"nothing --step 1 --set max_loops=1":          "There is no run nothing",
	} {
		if _, err := sh.run(t, append([]string{"run", "fork"}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("fork %s: %v, want %q", args, err, says)
		}
	}
	if _, err := sh.run(t, "run", "delete", asked.Run); err == nil || !strings.Contains(err.Error(), "not a branch") {
		t.Errorf("the question's own run is deleted: %v", err)
	}
	sh.must(t, "run", "delete", forked.Run)
	if out := sh.must(t, "run", "branches", asked.Run, "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("after the deletion there are %s", out)
	}
}
