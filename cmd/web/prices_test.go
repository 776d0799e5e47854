package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
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
	if _, err := os.Stat(filepath.Join(sh.data, "prices.yaml")); !os.IsNotExist(err) {
		t.Errorf("a file was written beside the data: %v", err)
	}
}

// TestPricesReachWorkers has a library from an earlier version, whose file of prices only one process has, and sets a
// price in one process while another works.
func TestPricesReachWorkers(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	file := filepath.Join(sh.data, "prices.yaml")
	noError(t, os.MkdirAll(sh.data, 0o700))
	noError(t, os.WriteFile(file, []byte("prices:\n- {models: [old-model], from: 2020-01-01, input: 1, output: 2}\n"), 0o600))
	worker := sh.app(t) // takes the file's prices over
	noError(t, os.Remove(file))
	of := func(model string) costs.Amount {
		all, err := worker.costs.Prices.Table(t.Context())
		noError(t, err)
		return all.Sum("2026-01-01", domain.Usage{Model: model, Input: 1_000_000})
	}
	if got := of("old-model"); got.String() != "$1.00" {
		t.Errorf("without the file: %s", got)
	}
	if got := of("new-model"); got.Known() {
		t.Errorf("before: %s", got)
	}
	sh.must(t, "prices", "set", "new-model", "--input", "3", "--output", "3", "--from", "2020-01-01")
	for deadline := time.Now().Add(hangs); of("new-model").String() != "$3.00"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after: %s", of("new-model"))
		}
	}
	if out := sh.must(t, "prices", "old-model"); !strings.Contains(out, "$1.00") {
		t.Errorf("the command says %s", out)
	}
}
