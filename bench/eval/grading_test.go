package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm/llmtest"
)

// zipped writes lines as a file of a set.
func zipped(t *testing.T, dir, name string, lines ...string) {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(strings.Join(lines, "\n") + "\n"))
	if err = errors.Join(err, w.Close(), os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestGradingIsCompared grades four passages by themselves and together: the grades
// agree, and four calls become one.
func TestGradingIsCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	zipped(t, dir, "passages.jsonl.gz",
		`{"id": "p1", "title": "Weir Bridge", "text": "Ann Lee built the Weir Bridge."}`, `{"id": "p2", "title": "Weir", "text": "The weir is older than the bridge."}`,
		`{"id": "p3", "title": "Bridge", "text": "A bridge was built at the mill."}`, `{"id": "p4", "title": "Mill", "text": "The mill was built of stone."}`)
	zipped(t, dir, "questions.jsonl.gz", `{"id": "q1", "question": "Who built the Weir Bridge?", "gold": ["p1"], "answer": "Ann Lee"}`)
	model := llmtest.New(t)
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.All(llmtest.Tool("grade_passage"), llmtest.Prompt("Ann Lee built the Weir Bridge.</")), llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "names her"}))
	model.On(llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", map[string]any{"binary_score": "no", "reason": "does not"}))
	model.On(llmtest.Tool("grade_passages"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		var grades []map[string]any
		for i, part := range strings.Split(r.Last(), "\nPassage ")[1:] {
			said := map[bool]string{true: "yes", false: "no"}[strings.Contains(part, "Ann Lee built")]
			grades = append(grades, map[string]any{"passage": i + 1, "binary_score": said, "reason": "so"})
		}
		return llmtest.Call("grade_passages", map[string]any{"grades": grades})
	}))
	settings := []string{"LLM_PROVIDER=openai", "LLM_BASE_URL=" + model.URL, "LLM_MODEL=tiny", "LLM_API_KEY=key"}
	out, err := run(t, settings, "grading", "--json", "--together", "1,4", dir)
	if err != nil {
		t.Fatal(err)
	}
	got := decoded[gradings](t, out)
	if len(got.Scores) != 2 || got.Model != "tiny" {
		t.Fatalf("%+v", got)
	}
	for i, calls := range []int{got.Scores[0].Passages, 1} {
		x := got.Scores[i]
		if x.Needed != 1 || x.Kept != 1 || x.Relevant != 1 || x.Right != x.Passages || x.Passages < 3 || x.Ungraded != 0 || x.Calls != calls {
			t.Errorf("%d in one call: %+v", x.Together, x)
		}
	}
	if one, many := got.Scores[0].Input, got.Scores[1].Input; many >= one {
		t.Errorf("%d tokens one by one, %d together", one, many)
	}
	if first := got.Cutoffs[0]; first.Graded != first.Passages || first.Kept != 1 {
		t.Errorf("without a bar: %+v", first)
	}
	if out, err := run(t, settings, "grading", dir); err != nil || !strings.Contains(out, "GRADE_ABOVE") || !strings.Contains(out, "tokens in") {
		t.Errorf("%v, printed\n%s", err, out)
	}
}
