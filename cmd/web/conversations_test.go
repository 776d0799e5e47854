package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// TestADeletedConversationLeavesNoWords asks two questions, forks the first, and
// deletes its conversation: none of its words is left in any byte of the data
// folder, nor its runs in the list.
func TestADeletedConversationLeavesNoWords(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	document := filepath.Join(t.TempDir(), "bridge.md")
	noError(t, os.WriteFile(document, []byte("# Bridges\n\nHenrike Aldous designed Copper Bridge in Velmdale."), 0o600))
	sh.must(t, "ingest", document)
	sh.must(t, "ask", "Who designed the Zwurbel Bridge, Xylanthe?")
	runs := decoded[[]listedRun](t, sh.must(t, "run", "list", "--kind", "answer", "--json"))
	sh.must(t, "run", "fork", string(runs[0].ID), "--step", "0", "--set", "question=Who painted the Zwurbel Bridge, Xylanthe?")
	sh.must(t, "ask", "Who designed Copper Bridge?")
	list := decoded[[]listedConversation](t, sh.must(t, "conversations", "list", "--json"))
	if len(list) != 2 || !strings.Contains(list[1].Title, "Xylanthe") {
		t.Fatalf("the conversations are %+v", list)
	}
	if held := holding(t, sh.data, "xylanth"); len(held) == 0 {
		t.Fatal("before the deletion no file holds the words: the test would see nothing")
	}
	if _, err := sh.run(t, "conversations", "delete", "nothing"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a conversation that does not exist: %v", err)
	}
	sh.must(t, "conversations", "delete", string(list[1].ID))
	if held := holding(t, sh.data, "xylanth"); len(held) > 0 {
		t.Errorf("after the deletion these files hold the words: %v", held)
	}
	left := decoded[[]listedConversation](t, sh.must(t, "conversations", "list", "--json"))
	kept := decoded[[]listedRun](t, sh.must(t, "run", "list", "--kind", "answer", "--json"))
	forks := decoded[[]listedRun](t, sh.must(t, "run", "list", "--kind", "branch", "--json"))
	if len(left) != 1 || left[0].ID != list[0].ID || len(kept) != 1 || len(forks) != 0 {
		t.Errorf("left are %+v with the runs %+v and %+v", left, kept, forks)
	}
	m, err := sh.app(t).ledger.Messages(t.Context(), domain.DefaultWorkspace, left[0].ID)
	if err != nil || len(m) != 1 || m[0].Status != ledger.MessageDone {
		t.Errorf("the other conversation has the messages %+v, %v", m, err)
	}
}

// holding lists the files of a folder that contain a word in any case.
func holding(t *testing.T, dir, word string) (found []string) {
	t.Helper()
	noError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(content), []byte(word)) {
			found = append(found, d.Name())
		}
		return err
	}))
	return found
}
