// Package arch tests the shape of the program: which package may import which, and that no function is unreachable.
package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/clewhq/clew/"
	root   = "../.." // of the module, from this package
)

// pure packages import only the standard library.
var pure = []string{"internal/domain"}

// engine packages import only the standard library and each other.
const engine = "internal/stategraph"

// core packages do the work of a run. They know nothing of how it is served, stored or scheduled.
var core = []string{
	"internal/answer", "internal/chart", "internal/read/chunk", "internal/mine/extract", "internal/library/ingest",
	"internal/read/parse", "internal/prose", "internal/retrieve", "internal/summarize",
}

// shell lists what core packages never import, besides what stands above them.
var shell = []string{
	"internal/config", "internal/run/job", "internal/database/postgres", "internal/database/sqlio", "internal/database/sqlite", "internal/run/trace", "migrations",
	"github.com/labstack/echo", "net/http",
}

// implementations are named only by the files in wiring and by tests.
var implementations = []string{
	"internal/graphstore/sqlite", "internal/graphstore/neo4j", "internal/vectorstore/embedded", "internal/vectorstore/qdrant",
	"internal/llm/langchain", "internal/llm/minilm", "internal/builtin", "internal/checkpoint/sql",
}

// wiring lists the files that put the program together: its stores and runs, and its models.
var wiring = []string{"cmd/web/wire.go", "internal/models/set.go", "internal/models/reach.go"}

// file is a Go file of the module.
type file struct {
	path    string // slash-separated, from the module root
	imports []string
}

func (f file) dir() string     { return filepath.ToSlash(filepath.Dir(f.path)) }
func (f file) isTest() bool    { return strings.HasSuffix(f.path, "_test.go") || testPackage(f.dir()) }
func under(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// testPackage reports whether a package serves only tests.
func testPackage(dir string) bool {
	base := filepath.Base(dir)
	return under(dir, "internal/testkit") || (strings.HasSuffix(base, "test") && base != "test")
}

func underAny(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return under(p, dir) })
}

func TestImportsKeepTheRules(t *testing.T) {
	t.Parallel()
	files := projectFiles(t)
	if len(files) < 20 {
		t.Fatalf("found only %d Go files: is the root right?", len(files))
	}
	for _, f := range files {
		for _, imp := range f.imports {
			if why := forbidden(f, imp); why != "" {
				t.Errorf("%s imports %s: %s", f.path, imp, why)
			}
		}
	}
}

// forbidden returns the rule that keeps f from importing imp, or "".
func forbidden(f file, imp string) string {
	local, ours := strings.CutPrefix(imp, module)
	dir := f.dir()
	switch {
	case ours && strings.HasPrefix(local, "cmd/"):
		return "nothing imports a program"
	case ours && under(local, "internal/web") && !underAny(dir, []string{"internal/web", "cmd/web"}):
		return "only the program imports the web"
	case f.isTest():
		return ""
	case slices.Contains(pure, dir) && strings.Contains(imp, "."):
		return "this package imports only the standard library"
	case under(dir, engine) && strings.Contains(imp, ".") && !under(local, engine):
		return "the engine imports only the standard library"
	case underAny(dir, core) && underAny(local, shell):
		return "the work of a run knows nothing of how it is served, stored or scheduled"
	case ours && underAny(local, implementations) && !slices.Contains(wiring, f.path) && !underAny(dir, implementations):
		return "only " + strings.Join(wiring, ", ") + " and tests name implementations"
	case ours && testPackage(local):
		return "this package serves only tests"
	}
	return strayLibrary(dir, imp)
}

// projectFiles returns the Go files of the module and their imports.
func projectFiles(t *testing.T) []file {
	t.Helper()
	root := os.DirFS(root)
	var files []file
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." {
			_, err := fs.Stat(root, path+"/go.mod")
			if otherModule := err == nil; otherModule || strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "data" {
				return fs.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		files = append(files, file{path, importsOf(t, path, src)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func importsOf(t *testing.T, path string, src []byte) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, spec := range parsed.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, p)
	}
	return imports
}

func TestForbidden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, imp string
		bad       bool
	}{
		{"internal/domain/a.go", "github.com/google/go-cmp/cmp", true},
		{"internal/domain/a_test.go", "github.com/google/go-cmp/cmp", false},
		{"internal/stategraph/a.go", module + "internal/domain", true},
		{"internal/stategraph/a.go", module + "internal/stategraph/state", false},
		{"internal/stategraph/stream/a.go", module + "internal/checkpoint/memory", true},
		{"internal/answer/a.go", "net/http", true},
		{"internal/answer/a.go", module + "internal/web/ask", true},
		{"internal/answer/a.go", module + "internal/run/job", true},
		{"internal/answer/a.go", module + "internal/stategraph", false},
		{"internal/library/documents/a.go", module + "internal/graphstore/sqlite", true},
		{"internal/library/documents/a.go", module + "internal/graphstore", false},
		{"cmd/web/wire.go", module + "internal/graphstore/sqlite", false},
		{"internal/questions/a.go", "github.com/labstack/echo/v4", true},
		{"internal/web/ask/a.go", "github.com/labstack/echo/v4", false},
		{"internal/ledger/a_test.go", module + "cmd/web", true},
		{"internal/ledger/a.go", module + "internal/web", true},
		{"internal/ledger/a.go", "github.com/google/go-cmp/cmp", true},
		{"internal/checkpoint/a.go", module + "internal/checkpoint/checkpointtest", true},
		{"internal/checkpoint/a_test.go", module + "internal/checkpoint/checkpointtest", false},
	} {
		if got := forbidden(file{path: tt.path}, tt.imp) != ""; got != tt.bad {
			t.Errorf("forbidden(%s, %s) = %t, want %t", tt.path, tt.imp, got, tt.bad)
		}
	}
}
