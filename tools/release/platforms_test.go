package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestTheProgramFitsEachPlatform checks the types of all of the program's own code on
// the systems that no other test runs on, as compiling it for them takes minutes.
func TestTheProgramFitsEachPlatform(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	noError(t, err)
	for _, p := range []platform{{"windows", "arm64"}, {"darwin", "arm64"}} {
		t.Run(p.os, func(t *testing.T) {
			t.Parallel()
			mistakes, checked := typeErrors(t, root, "./cmd/web", p)
			if checked < 50 {
				t.Errorf("%d packages were checked: the program has more", checked)
			}
			for _, m := range mistakes {
				t.Error(m)
			}
		})
	}
}

// TestWhatDoesNotFitIsFound checks a program with a mistake on one system.
func TestWhatDoesNotFitIsFound(t *testing.T) {
	t.Parallel()
	root := project(t)
	noError(t, os.WriteFile(filepath.Join(root, "cmd", "web", "main_windows.go"), []byte("package main\n\nvar _ int = version\n"), 0o600))
	for system, want := range map[string]int{"windows": 1, "linux": 0} {
		if mistakes, _ := typeErrors(t, root, "./cmd/web", platform{system, "arm64"}); len(mistakes) != want {
			t.Errorf("on %s there are the mistakes %q, want %d", system, mistakes, want)
		}
	}
}

// typeErrors checks the packages under root that the program is made of. Of all others
// it reads only what they export.
func typeErrors(t *testing.T, root, program string, p platform) (mistakes []string, checked int) {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Context: t.Context(), Dir: root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax,
		Env:  append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch),
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			if err == nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
				withoutBodies(f)
			}
			return f, err
		},
	}, program)
	noError(t, err)
	packages.Visit(loaded, nil, func(of *packages.Package) {
		if len(of.GoFiles) == 0 || !strings.HasPrefix(of.GoFiles[0], root) {
			return
		}
		checked++
		for _, e := range of.Errors {
			mistakes = append(mistakes, e.Error())
		}
	})
	return mistakes, checked
}

// withoutBodies leaves what functions do out of a file.
func withoutBodies(f *ast.File) {
	for _, d := range f.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
