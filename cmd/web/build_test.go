package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheBuildShowsHowFarItIs runs the script of make run with a Go that compiles three packages, and one that fails.
func TestTheBuildShowsHowFarItIs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	script, err := os.ReadFile("../../.ci/build")
	noError(t, err)
	at := file(t, filepath.Join(root, ".ci"), "build", string(script))
	for _, tt := range []struct {
		name, build, says string
		fails             bool
	}{
		{"compiles", "printf 'errors\\nexample.com/a\\nexample.com/b\\n' >&2", "Compiling: 1 of at most 3 packages", false},
		{"fails", "echo './a.go:1:2: undefined: x' >&2; exit 1", "undefined: x", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bin := t.TempDir()
			noError(t, os.Chmod(file(t, bin, "go", "#!/bin/sh\n[ $1 = list ] && { echo a; echo b; echo c; exit; }\n"+tt.build+"\n"), 0o700))
			cmd := exec.CommandContext(t.Context(), "bash", at)
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if failed := err != nil; failed != tt.fails || !strings.Contains(string(out), tt.says) {
				t.Errorf("the build ends with %v and says %q, want %q", err, out, tt.says)
			}
		})
	}
}
