package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit/python"
	"github.com/clewhq/clew/internal/web/api"
)

// TestGeneratedClientsUseALibrary makes clients of the description that a server serves, and has each add a document, ask,
// open the cited source and delete the document. Neither generator may have anything to say about the description.
func TestGeneratedClientsUseALibrary(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	s := sh.serve(t)
	_, document := s.get(t, api.Root+"/openapi.json")
	path := filepath.Join(t.TempDir(), "openapi.json")
	noError(t, os.WriteFile(path, []byte(document), 0o600))
	for name, client := range map[string]func(t *testing.T, document string) *exec.Cmd{"Python": generatedPython, "TypeScript": generatedTypeScript} {
		t.Run(name, func(t *testing.T) {
			secret, _, _ := strings.Cut(sh.must(t, "token", "create", name, "--preset", "read-and-ask", "--scope", "documents:write", "--scope", "documents:delete"), "\n")
			cmd := client(t, path)
			cmd.Args = append(cmd.Args, s.url, secret)
			said := new(strings.Builder)
			cmd.Stderr = said
			out, err := cmd.Output()
			var got struct {
				Scopes, Names                          []string
				Name, Status, Answer, Source, Original string
				Gone, Left                             int
			}
			if err != nil || json.Unmarshal(out, &got) != nil {
				t.Fatalf("%v: %s%s", err, out, said)
			}
			const sentence = "Maud Ferring founded the Carrow Foundry in 1871."
			if !slices.Contains(got.Scopes, "documents:write") || got.Name != "foundry.txt" || got.Status != "ready" || !slices.Equal(got.Names, []string{"foundry.txt"}) {
				t.Errorf("with the scopes %v it adds %q, which is %q, and lists %v", got.Scopes, got.Name, got.Status, got.Names)
			}
			if !strings.Contains(got.Answer, "Maud Ferring") || got.Source != sentence || got.Original != sentence {
				t.Errorf("it answers %q, citing %q of the file %q", got.Answer, got.Source, got.Original)
			}
			if got.Gone != 404 || got.Left != 0 {
				t.Errorf("after the deletion, the document has the status %d, and %d are left", got.Gone, got.Left)
			}
		})
	}
}

// quiet runs a generator or compiler, which may warn of nothing.
func quiet(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if said := strings.ToLower(string(out)); err != nil || strings.Contains(said, "warn") || strings.Contains(said, "⚠") {
		t.Fatalf("%s: %v: %s", filepath.Base(cmd.Path), err, out)
	}
}

// generatedPython returns a command that runs the Python client of a description.
func generatedPython(t *testing.T, document string) *exec.Cmd {
	t.Helper()
	interpreter, dir := python.Interpreter(t), t.TempDir()
	made := exec.CommandContext(t.Context(), interpreter, "-m", "openapi_python_client", "generate", "--path", document,
		"--output-path", filepath.Join(dir, "clew_client"), "--meta", "none", "--fail-on-warning")
	made.Env = append(os.Environ(), "PATH="+filepath.Dir(interpreter)+string(os.PathListSeparator)+os.Getenv("PATH")) // it runs ruff
	quiet(t, made)
	cmd := exec.CommandContext(t.Context(), interpreter, absolute(t, "testdata/rest_client.py"))
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir)
	return cmd
}

// generatedTypeScript returns a command that runs the TypeScript client of a description, after its types were checked.
func generatedTypeScript(t *testing.T, document string) *exec.Cmd {
	t.Helper()
	node, dir := nodeWith(t, "openapi-typescript"), t.TempDir()
	modules := absolute(t, "../../node_modules")
	noError(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	source, err := os.ReadFile("testdata/rest_client.ts")
	noError(t, err)
	noError(t, os.WriteFile(filepath.Join(dir, "client.ts"), source, 0o600))
	noError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o600))
	quiet(t, exec.CommandContext(t.Context(), node, filepath.Join(modules, "openapi-typescript", "bin", "cli.js"), document,
		"--default-non-nullable", "false", "-o", filepath.Join(dir, "clew.d.ts")))
	compile := exec.CommandContext(t.Context(), node, filepath.Join(modules, "typescript", "bin", "tsc"),
		"--strict", "--target", "es2023", "--lib", "es2023,dom", "--module", "nodenext", "client.ts")
	compile.Dir = dir
	quiet(t, compile)
	cmd := exec.CommandContext(t.Context(), node, "client.js")
	cmd.Dir = dir
	return cmd
}
