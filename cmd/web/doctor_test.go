package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm/llmtest"
)

func TestTheDoctorSaysWhatWorks(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	out := sh.must(t, "doctor")
	for _, says := range []string{"Settings: in order", "is up to date, at change 1", "No model is configured", "Disk: "} {
		if !strings.Contains(out, says) {
			t.Errorf("not said: %s\nin %s", says, out)
		}
	}
	model := obliging(t)
	model.First(func(llmtest.Request) bool { return true }, llmtest.Unauthorized())
	if out, err := connected(t, model).run(t, "doctor"); err == nil || !strings.Contains(out, "_API_KEY") {
		t.Errorf("a model that refuses the key: %v\n%s", err, out)
	}
}
