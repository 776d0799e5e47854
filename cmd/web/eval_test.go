package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/eval"
)

func TestScoresOfAnswersArePrinted(t *testing.T) {
	t.Parallel()
	score := eval.AnswerScore{Folder: "small", Questions: 40, Answered: 31, Right: 22, Blind: 3}
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
	if _, err := newShell(t).run(t, "eval", "answers", t.TempDir()); err == nil || !strings.Contains(err.Error(), "passages.jsonl.gz") {
		t.Errorf("%v", err)
	}
}
