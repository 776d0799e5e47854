package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// mostFuncFields bounds how many fields of structs in product code are functions. What a service needs of another is a
// service or a small interface, which can be looked up; a clock is a domain.Clock.
const mostFuncFields = 149

func TestFewFieldsAreFunctions(t *testing.T) {
	t.Parallel()
	at := map[string]int{} // by package
	all := 0
	for _, f := range projectFiles(t) {
		if f.isTest() || strings.HasPrefix(f.path, "tools/") || strings.HasSuffix(f.path, "_templ.go") || strings.Contains(f.path, "/testdata/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				if _, ok := field.Type.(*ast.FuncType); ok {
					n := max(1, len(field.Names))
					at[f.dir()], all = at[f.dir()]+n, all+n
				}
			}
			return true
		})
	}
	if all > mostFuncFields {
		t.Errorf("%d fields are functions, want at most %d: %v", all, mostFuncFields, at)
	}
}
