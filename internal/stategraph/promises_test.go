package stategraph

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPromiseHasATest looks for the tests that docs/engine.md names.
func TestEveryPromiseHasATest(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "engine.md"))
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, dir := range []string{".", filepath.Join("..", "checkpoint")} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(filepath.Join(dir, path))
			tests.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile("`(Test[A-Za-z]+)`")
	rows := 0
	for row := range strings.SplitSeq(string(page), "\n") {
		if !strings.HasPrefix(row, "| ") || strings.HasPrefix(row, "| ---") || strings.Contains(row, "| held by |") {
			continue
		}
		rows++
		found := named.FindAllStringSubmatch(row, -1)
		if len(found) == 0 {
			t.Errorf("no test is named in %q", row)
		}
		for _, name := range found {
			if !strings.Contains(tests.String(), "\nfunc "+name[1]+"(t *testing.T) {") {
				t.Errorf("there is no %s", name[1])
			}
		}
	}
	if rows < 15 {
		t.Errorf("the page has %d rows", rows)
	}
}
