//go:build unreachable

package arch

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// deadFunc is one function in the output of deadcode -json.
type deadFunc struct {
	Name     string // "Open", or "Store.Close" for a method
	Position struct {
		File string // relative to the module root
		Line int
	}
}

// unqualified returns the name without the receiver.
func (f deadFunc) unqualified() string { return f.Name[strings.LastIndex(f.Name, ".")+1:] }

// TestEveryFunctionIsReachable fails for each function that neither a program nor a benchmark can reach. Only the
// engine, which is also a library, may offer more: what an example shows that docs/engine.md names, and what that calls.
func TestEveryFunctionIsReachable(t *testing.T) {
	t.Parallel()
	dead := unreachable(t)
	shown := shownInExamples(t)
	for grew := true; grew; {
		grew = false
		for i, f := range dead {
			if shown[f.unqualified()] && under(f.Position.File, engine) {
				addIdentifiers(t, shown, f.Position.File, f.Position.Line)
				dead = append(dead[:i], dead[i+1:]...)
				grew = true
				break
			}
		}
	}
	for _, f := range dead {
		t.Errorf("%s:%d: nothing calls %s: delete it, or show it in an example that docs/engine.md names", f.Position.File, f.Position.Line, f.Name)
	}
}

// unreachable runs deadcode on every program and benchmark, in the module bench, which imports both.
func unreachable(t *testing.T) []deadFunc {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../tools/go.mod", "deadcode", "-test=false", "-json",
		"-filter=^"+strings.TrimSuffix(module, "/")+"(/|$)", "./...", module+"cmd/...")
	bench, err := filepath.Abs(filepath.Join(root, "bench"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir = bench
	cmd.Env = append(os.Environ(), "GOGC=400") // a third of its time otherwise goes to collecting garbage
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("deadcode: %v\n%s", err, &stderr)
	}
	var packages []struct{ Funcs []deadFunc }
	if err := json.Unmarshal(out, &packages); err != nil {
		t.Fatal(err)
	}
	var dead []deadFunc
	for _, p := range packages {
		for _, f := range p.Funcs {
			if !filepath.IsAbs(f.Position.File) { // it is in bench
				f.Position.File = filepath.Join(bench, f.Position.File)
			}
			if f.Position.File, err = filepath.Rel(filepath.Dir(bench), f.Position.File); err != nil {
				t.Fatal(err)
			}
			dead = append(dead, f)
		}
	}
	return dead
}

// shownInExamples returns every identifier in the files of the examples that docs/engine.md names.
func shownInExamples(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "engine.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile(`\bExample\w+`).FindAllString(string(page), -1) {
		named[name] = true
	}
	shown := map[string]bool{}
	for _, f := range projectFiles(t) {
		if !strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		parsed := parse(t, f.path)
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && named[fn.Name.Name] {
				ast.Inspect(parsed, collect(shown))
				break
			}
		}
	}
	return shown
}

// addIdentifiers adds the identifiers in the body of the function at a line of a file.
func addIdentifiers(t *testing.T, to map[string]bool, path string, line int) {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, filepath.Join(root, path), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fset.Position(fn.Name.Pos()).Line == line {
			ast.Inspect(fn, collect(to))
		}
	}
}

func collect(names map[string]bool) func(ast.Node) bool {
	return func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	}
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
