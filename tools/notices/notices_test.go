package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project writes a program with an npm package of the given files.
func project(t *testing.T, bundled map[string]string) string {
	t.Helper()
	root := t.TempDir()
	all := map[string]string{
		"go.mod":          "module example.com/small\n\ngo 1.26\n",
		"cmd/web/main.go": "package main\n\nfunc main() {}\n",
		"package-lock.json": `{"packages": {"": {}, "node_modules/@line/draws": {"version": "2.0.1"},
			"node_modules/checks": {"version": "1.0.0", "dev": true}}}`,
		"node_modules/checks/LICENSE": "Terms of what only tests use.\n",
	}
	for name, text := range bundled {
		all["node_modules/@line/draws/"+name] = text
	}
	for name, text := range all {
		at := filepath.Join(root, name)
		noError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		noError(t, os.WriteFile(at, []byte(text), 0o600))
	}
	return root
}

func TestWhatOthersRequireIsWritten(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{
		"LICENSE.md": "Terms of lines.\r\n", "copied/LICENSE-CURVES": "Terms of curves.\n", "license.js": "let code",
		"node_modules/inner/LICENSE": "Terms of another package.\n",
	})
	to := filepath.Join(t.TempDir(), "notices")
	noError(t, write(t.Context(), root, to))
	data, err := os.ReadFile(to)
	noError(t, err)
	for _, want := range []string{"\nGo\n\nCopyright 2009 The Go Authors.", "\n@line/draws 2.0.1\n\nTerms of lines.\n", "\n@line/draws 2.0.1\n\nTerms of curves.\n"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%q is missing in\n%s", want, data)
		}
	}
	for _, no := range []string{"only tests", "another package", "let code"} {
		if strings.Contains(string(data), no) {
			t.Errorf("%q is in\n%s", no, data)
		}
	}
}

func TestAPackageWithoutALicence(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "notices")
	err := write(t.Context(), project(t, map[string]string{"index.js": "let line"}), to)
	if err == nil || !strings.Contains(err.Error(), "@line/draws 2.0.1 has no licence") {
		t.Errorf("error %v, want one that names the package", err)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("something was written")
	}
}
