package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/bench/measure"
)

// run runs a command with settings, and returns what it prints.
func run(t *testing.T, environ []string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := program(env{append([]string{"DATA_DIR=" + t.TempDir()}, environ...), &out, time.Now})
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func decoded[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

func TestScoresOfAnswersArePrinted(t *testing.T) {
	t.Parallel()
	score := measure.AnswerScore{Folder: "small", Questions: 40, Answered: 31, Right: 22, Blind: 3}
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		if err := (env{stdout: &out}).printAnswers(score, asJSON); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"small", "40", "31", "22", "3"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("JSON %v: no %s in %q", asJSON, want, out.String())
			}
		}
	}
}

func TestAnAnswersFolderWithoutPassages(t *testing.T) {
	t.Parallel()
	if _, err := run(t, nil, "answers", t.TempDir()); err == nil || !strings.Contains(err.Error(), "passages.jsonl.gz") {
		t.Errorf("%v", err)
	}
	if _, err := run(t, nil, "answers", "--embed", t.TempDir()); err == nil || !strings.Contains(err.Error(), "clew model fetch") {
		t.Errorf("%v", err)
	}
}

func TestExtractionIsMeasured(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := `{"text": "Anna Lind founded the Swan Inn.", "entities": [{"name": "Anna Lind", "labels": ["Person"]}, {"name": "Swan Inn", "labels": ["Place"]}],` +
		` "relations": [{"source": "Anna Lind", "target": "Swan Inn", "types": ["FOUNDED"], "evidence": [[10, 17]]}]}`
	if err := os.WriteFile(filepath.Join(dir, "labels.jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := run(t, nil, "extraction", "--verbose", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 passages", "relations      1      0       0       1.00    1.00  1.00", "FOUNDED", "Read by builtin"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out, err = run(t, nil, "extraction", "--json", dir); err != nil || decoded[measure.ExtractionScore](t, out).ByType["FOUNDED"].Right != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := run(t, nil, "extraction", t.TempDir()); err == nil || !strings.Contains(err.Error(), "labels.jsonl") {
		t.Errorf("%v", err)
	}
	if left, err := filepath.Glob("*.db"); len(left) > 0 || err != nil {
		t.Errorf("the temporary library is here: %v, %v", left, err)
	}
}
