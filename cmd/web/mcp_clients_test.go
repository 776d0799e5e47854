package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/testkit/python"
)

// nodeWith returns node, if the package is installed beside the project.
func nodeWith(t *testing.T, pkg string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("left out: the TypeScript clients; there is no node")
	}
	if _, err := os.Stat(filepath.Join("..", "..", "node_modules", filepath.FromSlash(pkg))); err != nil {
		t.Skipf("left out: the TypeScript clients; npm ci fetches %s", pkg)
	}
	return node
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	noError(t, err)
	return abs
}

// TestClientsOfOthersUseALibrary has the official clients use a library, over standard input and output of the program as a
// process, and over HTTP.
func TestClientsOfOthersUseALibrary(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."))
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "model"), "\n")
	server := sync.OnceValue(func() string { return sh.serve(t).url })
	const modern, before = "2026-07-28", "2025-11-25"
	for _, tt := range []struct {
		name, mode, protocol string // "": what it negotiates is not told over every transport
		client               func(*testing.T) []string
		quiet                bool // its notices of progress are lost where they come right before the result
	}{
		{"Python", "auto", modern, inPython, false},
		{"Python as before", "legacy", before, inPython, false},
		{"TypeScript", "auto", modern, inTypeScript, true},
		{"TypeScript as before", "legacy", before, inTypeScript, true},
		{"TypeScript 1", "v1", "", inTypeScript, true},
	} {
		for _, over := range []string{"streams", "HTTP"} {
			t.Run(tt.name+" over "+over, func(t *testing.T) {
				args := append(tt.client(t), tt.mode)
				cmd := sh.process(t, "mcp")
				if over == "HTTP" {
					args = append(args, server()+"/mcp", secret)
				} else {
					args = append(args, os.Args[0])
				}
				cmd.Path, cmd.Args = args[0], args
				cmd.Dir = absolute(t, filepath.Join("..", ".."))
				said := new(strings.Builder)
				cmd.Stderr = said
				out, err := cmd.Output()
				var got struct {
					Protocol, Answer, URL, Passage, Refused, Resource, Prompt string
					Tools                                                     []string
					Steps                                                     int
				}
				if err != nil || json.Unmarshal(out, &got) != nil {
					t.Fatalf("%v: %s%s", err, out, said)
				}
				if got.Protocol != tt.protocol && tt.protocol != "" || !slices.Equal(got.Tools, toolsToRead) || got.Steps == 0 && !tt.quiet {
					t.Errorf("protocol %q, tools %v, %d steps", got.Protocol, got.Tools, got.Steps)
				}
				if !strings.Contains(got.Answer, "Maud Ferring") || !strings.Contains(got.Passage, "Maud Ferring") || !strings.Contains(got.Resource, "Maud Ferring") {
					t.Errorf("it answers %q, fetches %q and reads %q", got.Answer, got.Passage, got.Resource)
				}
				if !strings.Contains(got.URL, "/documents/") || strings.HasPrefix(got.URL, "http") != (over == "HTTP") || !strings.Contains(got.Refused, "Nobody") || !strings.Contains(got.Prompt, "Why?") {
					t.Errorf("it cites %q, is refused with %q and prompts %q", got.URL, got.Refused, got.Prompt)
				}
			})
		}
	}
}

func inPython(t *testing.T) []string {
	t.Helper()
	return []string{python.Interpreter(t), "cmd/web/testdata/mcp_client.py"}
}

func inTypeScript(t *testing.T) []string {
	t.Helper()
	return []string{nodeWith(t, "@modelcontextprotocol/client"), "cmd/web/testdata/mcp_client.mjs"}
}
