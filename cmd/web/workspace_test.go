package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
)

// besides makes the workspace archive beside the library.
func besides(t *testing.T, sh shell) (in func(args ...string) string) {
	t.Helper()
	sh.must(t, "workspace", "add", "Archive", "--about", "Old letters")
	return func(args ...string) string {
		t.Helper()
		return sh.must(t, append(args, "--workspace", "archive")...)
	}
}

// twoWorkspaces returns a library with a document, and what runs commands in a second workspace of it with another one.
func twoWorkspaces(t *testing.T) (sh shell, in func(args ...string) string) {
	t.Helper()
	sh = newShell(t)
	in = besides(t, sh)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile)
	in("ingest", bridgeFile)
	return sh, in
}

func TestCommandsWorkInTheWorkspaceThatIsNamed(t *testing.T) {
	t.Parallel()
	sh, in := twoWorkspaces(t)
	foundryFile, _ := letters(t)
	if here, there := sh.must(t, "documents", "list"), in("documents", "list"); strings.Contains(here, "bridge") || !strings.Contains(here, "foundry") || strings.Contains(there, "foundry") || !strings.Contains(there, "bridge") {
		t.Errorf("the library has\n%s\nand the archive\n%s", here, there)
	}
	if out := in("ask", "Who built the Velm Bridge?"); !strings.Contains(out, "Quennell") {
		t.Errorf("the archive answers %s", out)
	}
	if out := sh.must(t, "ask", "Who built the Velm Bridge?"); strings.Contains(out, "Quennell") {
		t.Errorf("the library answers %s", out)
	}
	if out := in("summarize", "bridge.md"); !strings.Contains(out, "Velm") {
		t.Errorf("the summary is %s", out)
	}
	folder := filepath.Dir(file(t, t.TempDir(), "mill.txt", "Ada Pell ran the Velm Mill."))
	in("watch", folder, "--once", "--settle", "0s")
	if out := in("documents", "list"); !strings.Contains(out, "mill.txt") {
		t.Errorf("after watching a folder, the archive has\n%s", out)
	}
	if out := sh.must(t, "entities", "list", "Quennell"); strings.Contains(out, "Quennell ") {
		t.Errorf("the library knows\n%s", out)
	}
	other := sh
	other.environ = append(other.environ, "WORKSPACE=archive")
	if out := other.must(t, "documents", "list"); !strings.Contains(out, "bridge") {
		t.Errorf("with the setting, the documents are\n%s", out)
	}
	if out := other.must(t, "--workspace", "library", "documents", "list"); !strings.Contains(out, "foundry") {
		t.Errorf("with setting and flag, the documents are\n%s", out)
	}
	_, err := sh.run(t, "documents", "list", "--workspace", "museum")
	if message, _ := domain.MessageOf(err); domain.KindOf(err) != domain.NotFound || message != `There is no workspace "museum". The workspaces are archive, library.` {
		t.Errorf("an unknown workspace: %v", err)
	}
	sh.must(t, "workspace", "archive", "archive")
	for _, args := range [][]string{{"ingest", foundryFile}, {"ask", "Who built the Velm Bridge?"}, {"summarize", "bridge.md"}, {"watch", folder, "--once"}, {"documents", "delete", "bridge.md", "--yes"}, {"schema", "use", "minutes"}} {
		if _, err := sh.run(t, append(args, "--workspace", "archive")...); domain.KindOf(err) != domain.Conflict {
			t.Errorf("%v in an archived workspace: %v", args, err)
		}
	}
	if out := in("documents", "list"); !strings.Contains(out, "bridge.md") {
		t.Errorf("archived is\n%s", out)
	}
	for _, command := range []string{"fsck", "doctor", "rebuild"} {
		all, _ := sh.run(t, command)
		one, _ := sh.run(t, command, "--workspace", "archive")
		if !strings.Contains(strings.ToLower(all), "workspace library") || !strings.Contains(strings.ToLower(all), "workspace archive") || strings.Contains(strings.ToLower(one), "workspace library") || !strings.Contains(strings.ToLower(one), "workspace archive") {
			t.Errorf("%s of all:\n%s\nand of one:\n%s", command, all, one)
		}
	}
}

func TestTheTokenOfAServerIsForItsWorkspace(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	in := besides(t, sh)
	_, bridgeFile := letters(t)
	in("ingest", bridgeFile)
	made := decoded[auth.NewToken](t, in("token", "create", "there", "--preset", "everything", "--json"))
	if made.Workspace != "archive" {
		t.Errorf("the token is for %q", made.Workspace)
	}
	v := sh.serve(t)
	far := shell{data: t.TempDir(), environ: []string{"CLEW_SERVER=" + v.url, "CLEW_TOKEN=" + made.Secret}}
	for _, args := range [][]string{{"documents", "list"}, {"documents", "list", "--workspace", "archive"}} {
		if out := far.must(t, args...); !strings.Contains(out, "bridge") {
			t.Errorf("%v: %s", args, out)
		}
	}
	if out := far.must(t, "token", "show"); !strings.Contains(out, "in the workspace archive until") {
		t.Errorf("the token says %s", out)
	}
	_, bridge := filepath.Split(bridgeFile)
	for _, args := range [][]string{{"documents", "list"}, {"documents", "delete", bridge, "--yes"}, {"ingest", bridgeFile}, {"ask", "Who built the Velm Bridge?"}} {
		_, err := far.run(t, append(args, "--workspace", "library")...)
		if message, _ := domain.MessageOf(err); domain.KindOf(err) != domain.Forbidden || !strings.HasPrefix(message, "The token is for the workspace archive, not for library.") {
			t.Errorf("%v in another workspace: %v", args, err)
		}
	}
	far.environ = append(far.environ, "WORKSPACE=library")
	if _, err := far.run(t, "documents", "list"); domain.KindOf(err) != domain.Forbidden {
		t.Errorf("with the setting: %v", err)
	}
	if out := sh.must(t, "documents", "list", "--workspace", "archive"); !strings.Contains(out, "bridge") {
		t.Errorf("the archive has %s", out)
	}
	if _, err := os.Stat(far.data + "/clew.db"); err == nil {
		t.Error("a library was made on this machine")
	}
}
