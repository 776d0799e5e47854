//go:build unix

// Package python finds a Python with the third-party clients that tests use.
package python

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// The clients, as pip names them: those of Neo4j, Qdrant and the Model Context Protocol, LangChain's for these and for
// OpenAI's protocol, which bring OpenAI's own, and a generator of clients of an API's description.
//
//go:embed requirements.txt
var requirements []byte

// Interpreter returns a Python with the clients, from an environment in the folder .cache that is made once. It skips
// the test, with the reason, if that is impossible.
func Interpreter(t *testing.T) string {
	t.Helper()
	base, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("left out: the Python client; there is no python3")
	}
	project := root(t)
	dir := filepath.Join(project, ".cache", "py-"+domain.Hash(requirements)[:8])
	python, made := filepath.Join(dir, "bin", "python"), filepath.Join(dir, ".made")
	defer lock(t, dir+".lock")()
	if _, err := os.Stat(made); err == nil {
		return python
	}
	if out, err := exec.CommandContext(t.Context(), base, "-m", "venv", "--clear", dir).CombinedOutput(); err != nil {
		t.Skipf("left out: the Python client; python3 -m venv: %v: %s", err, out)
	}
	install := exec.CommandContext(t.Context(), python, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check",
		"-r", filepath.Join(project, "internal", "testkit", "python", "requirements.txt"))
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("left out: the Python client; pip could not install %s: %v: %s", requirements, err, out)
	}
	if err := os.WriteFile(made, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return python
}

// lock waits until no other test holds the lock of a file, in this process or another one, and returns what ends it.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = f.Close() }
}

// root returns the folder of go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for up := filepath.Dir(dir); ; dir, up = up, filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == up {
			t.Fatal("the tests do not run within the project")
		}
	}
}
