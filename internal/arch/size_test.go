package arch

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the project may have of each; lower it when it has less.
const (
	mostProduct   = 203_440 // lines of Go
	mostTemplates = 14_000  // lines
	mostRooms     = 35      // under internal
)

const largestRooms = 20 // that are printed

// generated is how a generated file begins; see go help generate.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// size counts physical lines, without generated code and testdata.
type size struct {
	lines   map[string]int      // of the Go files of each directory, without tests and bench
	imports map[string][]string // of each directory, within the module

	bench, tests, templates, pages int // pages: scripts and styles
}

// TestTheProjectIsSmall prints how large the project is, which make size shows. Product is what the program imports,
// however indirectly; test support is what only tests import.
func TestTheProjectIsSmall(t *testing.T) {
	t.Parallel()
	all := size{lines: map[string]int{}, imports: map[string][]string{}}
	tree := os.DirFS(root)
	if err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"testdata", "node_modules", "dist", "data"}, base) || base != "." && base[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".templ", ".js", ".css"}, path.Ext(base)):
			return nil
		}
		src, err := fs.ReadFile(tree, name)
		all.add(t, name, src)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	rooms, support := all.rooms()
	product, inside := 0, 0
	for name, n := range rooms {
		product += n
		if strings.HasPrefix(name, "internal/") {
			inside++
		}
	}
	var table strings.Builder
	for _, figure := range []struct {
		name    string
		n, most int
	}{
		{"product Go", product, mostProduct}, {"test support", support, 0}, {"bench", all.bench, 0}, {"tests", all.tests, 0},
		{"templates", all.templates, mostTemplates}, {"scripts and styles", all.pages, 0}, {"rooms under internal", inside, mostRooms},
	} {
		fmt.Fprintf(&table, "%-22s%8d\n", figure.name, figure.n)
		if figure.most > 0 && figure.n > figure.most {
			t.Errorf("%s: %d, want at most %d", figure.name, figure.n, figure.most)
		}
	}
	table.WriteString("\n")
	names := slices.SortedFunc(maps.Keys(rooms), func(a, b string) int { return cmp.Or(rooms[b]-rooms[a], strings.Compare(a, b)) })
	for _, name := range names[:min(largestRooms, len(names))] {
		fmt.Fprintf(&table, "%-22s%8d\n", name, rooms[name])
	}
	t.Logf("physical lines\n%s", &table)
}

// add counts a file.
func (s *size) add(t *testing.T, name string, src []byte) {
	n, dir := bytes.Count(src, []byte("\n")), path.Dir(name)
	if generated.Match(src[:min(len(src), 500)]) {
		n = 0 // what it imports is reached nevertheless
	}
	switch {
	case path.Ext(name) == ".templ":
		s.templates += n
	case path.Ext(name) != ".go":
		s.pages += n
	case strings.HasSuffix(name, "_test.go"):
		s.tests += n
	case under(dir, "bench"):
		s.bench += n
	default:
		s.lines[dir] += n
		for _, imp := range importsOf(t, name, src) {
			if local, ours := strings.CutPrefix(imp, module); ours {
				s.imports[dir] = append(s.imports[dir], local)
			}
		}
	}
}

// rooms returns the sizes of the product's rooms, and that of what only tests import. A room is a directory under
// internal or cmd with all below it; elsewhere, a directory of the root.
func (s *size) rooms() (of map[string]int, support int) {
	reached := map[string]bool{}
	var reach func(dir string)
	reach = func(dir string) {
		if !reached[dir] {
			reached[dir] = true
			for _, imp := range s.imports[dir] {
				reach(imp)
			}
		}
	}
	reach("cmd/web")
	of = map[string]int{}
	for dir, n := range s.lines {
		parts := strings.Split(dir, "/")
		room := parts[0]
		if room == "internal" || room == "cmd" {
			room = strings.Join(parts[:2], "/")
		}
		if reached[dir] {
			of[room] += n
		} else {
			support += n
		}
	}
	return of, support
}
