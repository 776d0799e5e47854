package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit/race"
)

// TestTheCurlLinesOfTheDocsWork runs them against a server, with a token for everything.
func TestTheCurlLinesOfTheDocsWork(t *testing.T) {
	race.Want(t)
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("left out: no curl")
	}
	s, sh := speak(t)
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "docs", "--preset", "everything"), "\n")
	minutes, err := os.ReadFile(filepath.Join("..", "..", "internal", "sample", "files", "bridge-trust-minutes-1924.docx"))
	noError(t, err)
	folder := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(folder, "minutes.docx"), minutes, 0o600))
	run := 0
	for _, page := range []string{"README.md", "docs/programs.md", "docs/connect.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		noError(t, err)
		for _, found := range regexp.MustCompile(`(?m)^curl (?:.*\\\n)*.*$`).FindAllString(string(text), -1) {
			line := strings.Replace(strings.ReplaceAll(found, "http://127.0.0.1:8080", s.url), "curl ", "curl --silent --show-error --fail-with-body ", 1)
			shell := exec.CommandContext(t.Context(), "bash", "-c", line)
			shell.Dir, shell.Env = folder, append(os.Environ(), "CLEW_TOKEN="+secret, "NO_PROXY=*")
			out, err := shell.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), "{") {
				t.Errorf("%s has the line\n%s\nwhich ends with %v: %s", page, found, err, out)
			}
			run++
		}
	}
	if run == 0 {
		t.Error("there is no line with curl")
	}
}
