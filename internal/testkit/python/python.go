// Package python finds a Python with packages for tests that use third-party clients.
package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// With returns a Python with packages, from an environment in the folder .cache that is made once. It skips the test,
// with the reason, if that is impossible.
func With(t *testing.T, packages ...string) string {
	t.Helper()
	base, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("left out: the Python client; there is no python3")
	}
	name := "py-" + strings.ReplaceAll(packages[0], "==", "-")
	if len(packages) > 1 {
		name += "-" + domain.Hash([]byte(strings.Join(packages, " ")))[:8]
	}
	dir := filepath.Join(root(t), ".cache", name)
	python, made := filepath.Join(dir, "bin", "python"), filepath.Join(dir, ".made")
	if _, err := os.Stat(made); err == nil {
		return python
	}
	if out, err := exec.CommandContext(t.Context(), base, "-m", "venv", "--clear", dir).CombinedOutput(); err != nil {
		t.Skipf("left out: the Python client; python3 -m venv: %v: %s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), python, append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check"}, packages...)...).CombinedOutput(); err != nil {
		t.Skipf("left out: the Python client; pip could not install %s: %v: %s", strings.Join(packages, " "), err, out)
	}
	if err := os.WriteFile(made, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return python
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
