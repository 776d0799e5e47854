package stategraph

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPromiseHasATest checks that docs/engine.md names a test in every row
// and only tests and examples that exist.
func TestEveryPromiseHasATest(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "engine.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testSources(t, ".") + testSources(t, filepath.Join("..", "checkpoint"))
	named := regexp.MustCompile("`(Test[A-Za-z]+)`")
	promises, rest, _ := strings.Cut(string(page), "\n## Examples\n")
	rows := 0
	for row := range strings.SplitSeq(promises, "\n") {
		if !strings.HasPrefix(row, "| ") || strings.HasPrefix(row, "| ---") || strings.Contains(row, "| tests |") {
			continue
		}
		rows++
		found := named.FindAllStringSubmatch(row, -1)
		if len(found) == 0 {
			t.Errorf("no test is named in %q", row)
		}
		for _, name := range found {
			if !strings.Contains(tests, "\nfunc "+name[1]+"(t *testing.T) {") {
				t.Errorf("there is no %s", name[1])
			}
		}
	}
	if rows < 15 {
		t.Errorf("the page has %d rows, want at least 15", rows)
	}
	examples := regexp.MustCompile(`\bExample\w+`).FindAllString(rest, -1)
	for _, name := range examples {
		if !strings.Contains(tests, "\nfunc "+name+"() {") {
			t.Errorf("there is no %s", name)
		}
	}
	if len(examples) < 12 {
		t.Errorf("the page names %d examples, want at least 12", len(examples))
	}
}

// testSources returns the test files under a folder.
func testSources(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
