package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/prompts/tryout"
)

func TestPromptsByTheCommand(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	builtin := sh.must(t, "prompts", "show", "grade")
	file := filepath.Join(t.TempDir(), "grade.tmpl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Replace(builtin, "{{.Text}}", "{{.Passage}}", 1))
	if _, err := sh.run(t, "prompts", "set", "grade", file); err == nil || !strings.Contains(err.Error(), "{{.Passage}}") || !strings.Contains(err.Error(), ".Text") {
		t.Errorf("an unknown variable: %v", err)
	}
	write(strings.Replace(builtin, "You decide", "Be strict. You decide", 1))
	trial := decoded[tryout.Trial](t, sh.must(t, "prompts", "try", "--json", answer.RoleGrade, "Who founded the foundry?", "--draft", file))
	said := func(s tryout.Side) string {
		if len(s.Calls) != 1 || s.Problem != "" || s.Calls[0].Usage.Input == 0 || !strings.Contains(s.Calls[0].Answer, "Names her.") {
			t.Errorf("tried out as %+v", s)
			return ""
		}
		return s.Calls[0].Messages[0].Text
	}
	if now, draft := said(trial.Current), said(trial.Draft); !strings.HasPrefix(draft, "Be strict. ") || strings.HasPrefix(now, "Be strict. ") || trial.Model != "tiny" {
		t.Errorf("sent %q and %q to %s", now, draft, trial.Model)
	}
	if got := sh.must(t, "prompts", "versions", "grade"); strings.Count(got, "\n") != 2 {
		t.Errorf("a try-out saved a version: %s", got)
	}
	sh.must(t, "prompts", "set", "grade", file, "--note", "strict")
	sh.must(t, "ask", "Who founded the foundry?")
	if n := model.Calls(llmtest.All(llmtest.Tool("grade_passage"), llmtest.Prompt("Be strict."))); n < 2 { // the try-out was one
		t.Errorf("%d grades were asked with the new text", n)
	}
	if got := sh.must(t, "prompts", "list"); !strings.Contains(got, "edited") {
		t.Errorf("listed as %s", got)
	}
	if got := sh.must(t, "prompts", "diff", "grade", "0", "1"); !strings.Contains(got, "-You decide") || !strings.Contains(got, "+Be strict. You decide") {
		t.Errorf("differs by %s", got)
	}
	sh.must(t, "prompts", "reset", "grade")
	if got := sh.must(t, "prompts", "show", "grade"); got != builtin {
		t.Errorf("reset to %s", got)
	}
}

// TestTryoutWithoutAModel shows what would be sent, of every role that can be
// tried out.
func TestTryoutWithoutAModel(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	for _, role := range []string{"extract", "grade", "rewrite", "write", "support"} {
		got := sh.must(t, "prompts", "try", role, "Who founded the foundry?")
		if !strings.Contains(got, "No model is configured") || strings.Count(got, "--- system") != 2 || !strings.Contains(got, "comes from outside") {
			t.Errorf("%s: %s", role, got)
		}
	}
	if _, err := sh.run(t, "prompts", "try", "chart", "Who founded the foundry?"); err == nil {
		t.Error("a chart was tried out")
	}
}
