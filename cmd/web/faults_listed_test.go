package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryFaultIsTested compares docs/faults.md with the tests: each row names
// existing tests, and no fault test is missing.
func TestEveryFaultIsTested(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	name := regexp.MustCompile(`\bTestFault[A-Z]\w*`)
	var listed []string
	for row := range strings.Lines(table) {
		tests := name.FindAllString(row, -1)
		if len(tests) == 0 {
			t.Errorf("no test holds %s", row)
		}
		listed = append(listed, tests...)
	}
	var there []string
	declared := regexp.MustCompile(`(?m)^func (TestFault[A-Z]\w*)\(`)
	for _, dir := range []string{"../../cmd", "../../internal"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, found := range declared.FindAllSubmatch(source, -1) {
				there = append(there, string(found[1]))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(listed)
	slices.Sort(there)
	if diff := cmp.Diff(there, slices.Compact(listed)); diff != "" {
		t.Errorf("-tests +docs/faults.md\n%s", diff)
	}
}
