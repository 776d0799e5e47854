package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/questions"
)

// TestCommandsOnAServerPrintTheSame runs commands on a library and on a server over the same library.
func TestCommandsOnAServerPrintTheSame(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	v := sh.serve(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871. Ida Quennell rang the bells of Osterby."),
		file(t, t.TempDir(), "bridge.md", "# Bridges\n\nThe Velm Bridge was designed by Henrike Aldous & Sons in Carrow."))
	sh.must(t, "ask", "Who founded the Carrow Foundry?")
	run := value(t, sh.must(t, "run", "list", "--json", "--kind", "answer"), 0, "id")
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "remote", "--preset", "everything"), "\n")
	far := newShellWithoutData(t, "CLEW_SERVER="+v.url, "CLEW_TOKEN="+secret)
	both := func(args ...string) {
		t.Helper()
		here, wrong := sh.run(t, args...)
		there, refused := far.run(t, args...)
		if (wrong == nil) != (refused == nil) || wrong != nil && wrong.Error() != refused.Error() {
			t.Errorf("clew %s: %v here, %v on the server", strings.Join(args, " "), wrong, refused)
		}
		if here != there {
			t.Errorf("clew %s prints here\n%s\nand on the server\n%s", strings.Join(args, " "), here, there)
		}
	}
	for _, command := range []string{
		"documents list", "documents list --limit 1", "documents list --limit 0 --sort name", "documents list osterby", "documents show bridge.md", "documents text bridge.md --start 2 --limit 8",
		"documents versions list bridge.md", "documents dropped", "documents list --state nonsense", "documents show nothing.txt",
		"entities list", "entities list --limit 2", "entities show \x00Maud Ferring", "entities path \x00Maud Ferring\x00 \x00Carrow Foundry", "entities near \x00Maud Ferring", "entities export - --format csv",
		"changes list", "themes", "search Carrow", "suggest", "conversations list", "run list --kind ingest --limit 3", "run show " + run, "run answer " + run, "run state " + run + " --step 1",
		"usage", "usage caps", "usage runs --by kind", "prices", "settings ocr", "prompts list", "prompts show grade", "schema show", "schema scopes", "model list", "user list", "token list",
	} {
		var args []string
		for i, part := range strings.Split(command, "\x00") {
			if i%2 == 1 {
				args = append(args, part)
			} else {
				args = append(args, strings.Fields(part)...)
			}
		}
		if !strings.HasPrefix(command, "token list") { // its last use moves
			both(args...)
		}
		if !strings.Contains(command, "export") {
			both(append(args, "--json")...)
		}
	}
	here, there := sh.must(t, "ask", "Who founded the Carrow Foundry?"), far.must(t, "ask", "Who founded the Carrow Foundry?")
	if !strings.Contains(there, "Maud Ferring") || !strings.Contains(there, "[1] foundry.txt: “") || strings.Split(here, "\n")[2] != strings.Split(there, "\n")[2] {
		t.Errorf("an answer here\n%s\nand on the server\n%s", here, there)
	}
	if reply := decoded[questions.Reply](t, far.must(t, "ask", "--json", "--passages", "2", "Who founded the Carrow Foundry?")); reply.Status != "done" || len(reply.Citations) == 0 {
		t.Errorf("as JSON it is %+v", reply)
	}
	if _, err := far.run(t, "ask", "--passages", "99", "Who?"); err == nil || !strings.Contains(err.Error(), "between 1 and 50") {
		t.Errorf("too many passages: %v", err)
	}
	folder := t.TempDir()
	file(t, folder, "note.txt", "Una Marsh painted the harbour.")
	file(t, folder, "empty.txt", "")
	if out, err := far.run(t, "ingest", folder); err == nil || !strings.Contains(out, "note.txt: ready, 1 chunk") || !strings.Contains(out, "empty.txt is empty") {
		t.Errorf("files that are sent: %s, %v", out, err)
	}
	if out := sh.must(t, "documents", "list"); !strings.Contains(out, "note.txt") {
		t.Errorf("after it was sent: %s", out)
	}
	both("entities", "rename", "Nobody", "Somebody")
	far.must(t, "entities", "rename", "Ida Quennell", "Ida Q.")
	if out := sh.must(t, "entities", "list", "Ida"); !strings.Contains(out, "Ida Q.") {
		t.Errorf("after it was renamed on the server: %s", out)
	}
	far.stdin = "n\n"
	if out := far.must(t, "documents", "delete", "bridge.md"); !strings.Contains(out, "Delete them? [y/N]") || !strings.Contains(sh.must(t, "documents", "list"), "bridge.md") {
		t.Errorf("a deletion that nobody agrees to: %s", out)
	}
	far.stdin = "y\n"
	far.must(t, "documents", "delete", "bridge.md")
	if out := sh.must(t, "documents", "list"); strings.Contains(out, "bridge.md") {
		t.Errorf("after it was deleted on the server: %s", out)
	}
	for args, says := range map[string]string{
		"--token clew_x documents list":                "not a complete token",
		"--server http://127.0.0.1:1 documents list":   "does not answer",
		"--server nowhere documents list":              "is not the address of a server",
		"--server " + v.url + " backup x":              "works on this machine alone",
		"--server " + v.url + "/ask/k0 documents list": "is it a Clew of this version?",
	} {
		if _, err := far.run(t, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("clew %s: %v", args, err)
		}
	}
}
