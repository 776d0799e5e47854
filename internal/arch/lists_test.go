package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheListsOfTestsAreTrue looks up each test that the Makefile names: one that was renamed would run another way without a word.
func TestTheListsOfTestsAreTrue(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	lists := regexp.MustCompile(`(?m)^(HEAVY|MEETING) := \\\n(?:\t.*\n)+`).FindAll(makefile, -1)
	if len(lists) != 2 {
		t.Fatalf("%d lists of tests in the Makefile, want HEAVY and MEETING", len(lists))
	}
	for _, list := range lists {
		for _, name := range regexp.MustCompile(`\bTest\w+`).FindAllString(string(list), -1) {
			if !tests[name] {
				t.Errorf("no test is called %s, which the Makefile names", name)
			}
		}
	}
}

// testNames returns the names of all tests of the module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			if d != nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".cache") {
				return fs.SkipDir
			}
			return err
		}
		source, err := os.ReadFile(filepath.Join(root, path))
		for _, found := range function.FindAllSubmatch(source, -1) {
			names[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
