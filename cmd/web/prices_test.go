package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrices(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	if got := sh.must(t, "prices", "gpt-4o-mini"); !strings.Contains(got, "$0.15") || !strings.Contains(got, "OpenAI") {
		t.Errorf("a price that ships:\n%s", got)
	}
	if _, err := sh.run(t, "prices", "house-model"); err == nil || !strings.Contains(err.Error(), "unknown") || !strings.Contains(err.Error(), "clew prices set house-model") {
		t.Errorf("a model without a price: %v", err)
	}
	if _, err := sh.run(t, "prices", "set", "house-model", "--input", "1"); err == nil || !strings.Contains(err.Error(), "both input and output") {
		t.Errorf("half a price: %v", err)
	}
	if got := sh.must(t, "prices", "set", "house-*", "--input", "0.30", "--output", "1.20", "--from", "2020-01-01"); !strings.Contains(got, "2020-01-01") {
		t.Errorf("set: %s", got)
	}
	if got := sh.must(t, "prices", "house-model", "--json"); !strings.Contains(got, `"input": 0.30`) || !strings.Contains(got, `"own": true`) {
		t.Errorf("as JSON: %s", got)
	}
	if content, err := os.ReadFile(filepath.Join(sh.data, "prices.yaml")); err != nil || !strings.Contains(string(content), "house-*") {
		t.Errorf("the file beside the data: %s, error %v", content, err)
	}
}
