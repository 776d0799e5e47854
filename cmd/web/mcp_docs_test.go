package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestTheTableOfToolsIsComplete compares the table in docs/connect.md with the tools that the program has.
func TestTheTableOfToolsIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "connect.md"))
	noError(t, err)
	var told []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|.*\\| `[a-z:]+` \\|$").FindAllSubmatch(text, -1) {
		told = append(told, string(row[1]))
	}
	slices.Sort(told)
	if has := connect(t, newShell(t).talk(t, "--write")).tools(); !slices.Equal(told, has) {
		t.Errorf("docs/connect.md has %v, the program %v", told, has)
	}
}
