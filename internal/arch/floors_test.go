package arch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// longestChain bounds how many packages may stand on each other.
const longestChain = 10

// floors maps each package that docs/architecture.md lists to its line, 0 for the lowest.
type floors map[string]int

// of returns the line of the listed package that dir is, or lies under.
func (f floors) of(dir string) (listed string, line int, ok bool) {
	for listed = dir; listed != "."; listed = filepath.ToSlash(filepath.Dir(listed)) {
		if line, ok = f[listed]; ok {
			return listed, line, true
		}
	}
	return "", 0, false
}

// readFloors reads the first code block under the heading "What imports what": a line a floor, the highest first, with
// package names, separated by commas, before two spaces or a dash. A name that is no folder of the module's root stands
// for one under internal.
func readFloors(t *testing.T, page string) floors {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n## What imports what\n")
	_, rest, opened := strings.Cut(rest, "\n```\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !opened || !closed {
		t.Fatal(`no code block under "## What imports what"`)
	}
	lines := strings.Split(block, "\n")
	all := floors{}
	for i, line := range lines {
		names, _, _ := strings.Cut(line, "  ")
		names, _, _ = strings.Cut(names, " — ")
		for name := range strings.SplitSeq(names, ",") {
			dir := strings.TrimSpace(name)
			if !isDir(dir) {
				dir = "internal/" + dir
			}
			if _, twice := all[dir]; twice || !isDir(dir) {
				t.Errorf("%q in %q is no package, or listed twice", name, line)
			}
			all[dir] = len(lines) - i
		}
	}
	return all
}

func isDir(path string) bool {
	info, err := os.Stat(filepath.Join(root, path))
	return err == nil && info.IsDir()
}

// TestImportsPointDown holds the packages to the list in docs/architecture.md.
func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	floors := readFloors(t, string(page))
	for dir, imports := range packages(t) {
		from, above, ok := floors.of(dir)
		if !ok {
			t.Errorf("docs/architecture.md does not list %s", dir)
			continue
		}
		for _, imp := range imports {
			if to, below, ok := floors.of(imp); ok && to != from && below >= above {
				t.Errorf("%s imports %s, which docs/architecture.md does not list below it", dir, imp)
			}
		}
	}
}

func TestTheLongestChainIsShort(t *testing.T) {
	t.Parallel()
	all := packages(t)
	chains := map[string][]string{}
	var longest []string
	for dir := range all {
		if c := chain(dir, all, chains); len(c) > len(longest) {
			longest = c
		}
	}
	if len(longest) > longestChain {
		t.Errorf("the longest chain of imports has %d packages, want at most %d:\n%s", len(longest), longestChain, strings.Join(longest, "\n→ "))
	}
}

// chain returns the longest chain of imports that begins at dir.
func chain(dir string, all, known map[string][]string) []string {
	if c, ok := known[dir]; ok {
		return c
	}
	var longest []string
	for _, imp := range all[dir] {
		if c := chain(imp, all, known); len(c) > len(longest) {
			longest = c
		}
	}
	known[dir] = append([]string{dir}, longest...)
	return known[dir]
}

// TestEveryPackageServesAProgram fails for a package that no program and no test package imports, however indirectly.
func TestEveryPackageServesAProgram(t *testing.T) {
	t.Parallel()
	all := packages(t)
	reached := map[string]bool{}
	var reach func(dir string)
	reach = func(dir string) {
		if !reached[dir] {
			reached[dir] = true
			for _, imp := range all[dir] {
				reach(imp)
			}
		}
	}
	for dir := range all {
		if underAny(dir, []string{"cmd", engine, "internal/checkpoint"}) { // the engine and its checkpointers are a library too
			reach(dir)
		}
	}
	for dir := range all {
		if !reached[dir] {
			t.Errorf("no program imports %s", dir)
		}
	}
}

// packages maps each package of the module that is not for tests to the packages of the module that it imports, in order.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	sets := map[string]map[string]bool{}
	for _, f := range projectFiles(t) {
		if f.isTest() || len(f.imports) == 0 && strings.HasSuffix(f.path, "/doc.go") {
			continue
		}
		set, ok := sets[f.dir()]
		if !ok {
			set = map[string]bool{}
			sets[f.dir()] = set
		}
		for _, imp := range f.imports {
			if local, ours := strings.CutPrefix(imp, module); ours {
				set[local] = true
			}
		}
	}
	all := map[string][]string{}
	for dir, set := range sets {
		all[dir] = slices.Sorted(maps.Keys(set))
	}
	return all
}
