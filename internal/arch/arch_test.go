// Package arch holds one test: the direction of imports. It fails when a
// package reaches up, sideways to an implementation, or to a client that
// belongs to another folder.
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

// pure packages import the standard library alone.
var pure = []string{"internal/domain", "internal/stategraph/jsontype"}

// engine and what lies under it import the standard library and each other.
const engine = "internal/stategraph"

// inner packages hold what the product does; they know nothing of how it is
// served, stored or scheduled.
var inner = []string{
	"internal/answer", "internal/chart", "internal/chunk", "internal/extract", "internal/ingest",
	"internal/parse", "internal/prose", "internal/retrieve", "internal/summarize",
}

// above lists what inner packages never import.
var above = []string{
	"internal/questions", "internal/auth", "internal/config", "internal/summaries", "internal/job", "internal/documents", "internal/postgres", "internal/sqlio", "internal/sqlite",
	"internal/trace", "internal/maintenance", "internal/web", "migrations", "static", "views",
	"github.com/labstack/echo", "net/http",
}

// implementations are named by cmd/web, by measurements and by tests, nobody else.
var implementations = []string{
	"internal/graphstore/sqlite", "internal/graphstore/neo4j", "internal/vectorstore/embedded", "internal/vectorstore/qdrant", "internal/llm/langchain", "internal/builtin",
	"internal/checkpoint/codec",
}

// homes are the only folders under which a third-party client appears.
var homes = map[string][]string{
	"github.com/labstack/echo":       {"internal/web", "cmd/web"},
	"github.com/a-h/templ":           {"views", "internal/web"},
	"github.com/tmc/langchaingo":     {"internal/llm/langchain"},
	"modernc.org/sqlite":             {"internal/sqlite"},
	"github.com/jackc/pgx":           {"internal/postgres"},
	"github.com/pressly/goose":       {"migrations"},
	"github.com/neo4j":               {"internal/graphstore/neo4j"},
	"golang.org/x/image":             {"internal/parse"},
	"github.com/pdfcpu/pdfcpu":       {"internal/parse"},
	"github.com/go-shiori":           {"internal/parse"},
	"github.com/yuin/goldmark":       {"internal/parse", "internal/web"},
	"github.com/tiktoken-go":         {"internal/chunk"},
	"github.com/neurosnap/sentences": {"internal/prose"},
	"github.com/blevesearch":         {"internal/prose", "internal/vectorstore/words"},
	"github.com/alexedwards/scs":     {"internal/auth", "internal/web"},
	"github.com/qdrant/go-client":    {"internal/vectorstore/qdrant"},
	"google.golang.org/grpc":         {"internal/vectorstore/qdrant"},
	"github.com/caarlos0/env":        {"internal/config"},
	"github.com/chromedp":            {"cmd/web"},
	"golang.org/x/crypto":            {"internal/auth"},
	"golang.org/x/sync":              {"internal/maintenance"},
	"golang.org/x/sys":               {"bench/engine"},
	"github.com/go-json-experiment":  {"internal/checkpoint/codec"},
	"github.com/klauspost/compress":  {"internal/backup"},
}

// file is one Go file of the project and what it imports.
type file struct {
	path    string // slash-separated, from the module root
	imports []string
}

func (f file) dir() string     { return filepath.ToSlash(filepath.Dir(f.path)) }
func (f file) isTest() bool    { return strings.HasSuffix(f.path, "_test.go") || testPackage(f.dir()) }
func under(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// testPackage reports whether a package serves tests only.
func testPackage(dir string) bool {
	base := filepath.Base(dir)
	return under(dir, "internal/testkit") || (strings.HasSuffix(base, "test") && base != "test")
}

func TestImportsPointDownwards(t *testing.T) {
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

// forbidden says why f may not import imp, or "".
func forbidden(f file, imp string) string {
	local := strings.TrimPrefix(imp, module)
	dir := f.dir()
	if !f.isTest() {
		if slices.Contains(pure, dir) && strings.Contains(imp, ".") {
			return "this package imports the standard library alone"
		}
		if under(dir, engine) && strings.Contains(imp, ".") && !under(local, engine) {
			return "the engine knows the standard library alone"
		}
		if slices.ContainsFunc(inner, func(p string) bool { return under(dir, p) }) &&
			slices.ContainsFunc(above, func(p string) bool { return under(local, p) }) {
			return "what the product does knows nothing of how it is served, stored or scheduled"
		}
		if !under(dir, "cmd/web") && !under(dir, "bench") && slices.ContainsFunc(implementations, func(p string) bool { return under(local, p) && !under(dir, p) }) {
			return "implementations are named by cmd/web, measurements and tests only"
		}
		if testPackage(local) && imp != local {
			return "this package serves tests only"
		}
	}
	if strings.HasPrefix(local, "cmd/") && imp != local {
		return "nothing imports a program"
	}
	if under(local, "internal/web") && imp != local && !under(dir, "internal/web") && !under(dir, "cmd/web") {
		return "nothing but the program imports the web"
	}
	for client, folders := range homes {
		if under(imp, client) && !f.isTest() && !slices.ContainsFunc(folders, func(h string) bool { return under(dir, h) }) {
			return "this client appears under " + strings.Join(folders, ", ") + " only"
		}
	}
	return ""
}

// projectFiles lists the Go files of the module and their imports.
func projectFiles(t *testing.T) []file {
	t.Helper()
	root := os.DirFS(root)
	var files []file
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "node_modules" || d.Name() == "data") {
			return fs.SkipDir
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

func TestForbiddenCatchesEachRule(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, imp string
		bad       bool
	}{
		{"internal/domain/a.go", "github.com/google/go-cmp/cmp", true},
		{"internal/domain/a_test.go", "github.com/google/go-cmp/cmp", false},
		{"internal/stategraph/a.go", module + "internal/domain", true},
		{"internal/stategraph/a.go", module + "internal/stategraph/jsontype", false},
		{"internal/stategraph/jsontype/a.go", module + "internal/stategraph", true},
		{"internal/stategraph/stream/a.go", module + "internal/checkpoint/memory", true},
		{"internal/answer/a.go", "net/http", true},
		{"internal/answer/a.go", module + "internal/web/ask", true},
		{"internal/answer/a.go", module + "internal/stategraph", false},
		{"internal/documents/a.go", module + "internal/graphstore/sqlite", true},
		{"internal/documents/a.go", module + "internal/graphstore", false},
		{"cmd/web/wire.go", module + "internal/graphstore/sqlite", false},
		{"internal/questions/a.go", "github.com/labstack/echo/v4", true},
		{"internal/web/ask/a.go", "github.com/labstack/echo/v4", false},
		{"internal/ledger/a.go", module + "internal/ledger/ledgertest", true},
		{"internal/ledger/a_test.go", module + "internal/ledger/ledgertest", false},
		{"internal/ledger/a.go", module + "internal/web", true},
	} {
		if got := forbidden(file{path: tt.path}, tt.imp) != ""; got != tt.bad {
			t.Errorf("forbidden(%s, %s) = %t, want %t", tt.path, tt.imp, got, tt.bad)
		}
	}
}
