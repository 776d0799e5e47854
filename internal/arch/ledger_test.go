package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// mostLedgerReads bounds how often the pages go past a use case and read the ledger themselves. It only ever becomes lower: what a page
// needs is a method of the use case, which commands and programs then have too.
const mostLedgerReads = 83

func TestPagesAskUseCases(t *testing.T) {
	t.Parallel()
	at := map[string]int{} // by package
	all := 0
	for _, f := range projectFiles(t) {
		if f.isTest() || !under(f.dir(), "internal/web") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if method, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := method.X.(*ast.SelectorExpr); ok && of.Sel.Name == "Ledger" {
					at[f.dir()], all = at[f.dir()]+1, all+1
				}
			}
			return true
		})
	}
	if all > mostLedgerReads {
		t.Errorf("the pages read the ledger in %d places, want at most %d: %v", all, mostLedgerReads, at)
	}
}
