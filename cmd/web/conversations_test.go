package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
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
	runs := decoded[[]run.Listed](t, sh.must(t, "run", "list", "--kind", "answer", "--json"))
	sh.must(t, "run", "fork", string(runs[0].ID), "--step", "0", "--set", "question=Who painted the Zwurbel Bridge, Xylanthe?")
	sh.must(t, "ask", "Who designed Copper Bridge?")
	list := decoded[[]questions.ListedConversation](t, sh.must(t, "conversations", "list", "--json"))
	if len(list) != 2 || !strings.Contains(list[1].Title, "Xylanthe") {
		t.Fatalf("the conversations are %+v", list)
	}
	if held := holding(t, sh.data, "xylanth"); len(held) == 0 {
		t.Fatal("before the deletion no file holds the words: the test would see nothing")
	}
	if _, err := sh.run(t, "conversations", "delete", "nothing"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a conversation that does not exist: %v", err)
	}
	if _, err := sh.run(t, "conversations", "restore", string(list[0].ID)); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a conversation that is there is restored: %v", err)
	}
	sh.must(t, "conversations", "delete", string(list[1].ID))
	if held := holding(t, sh.data, "xylanth"); len(held) > 0 {
		t.Errorf("after the deletion these files hold the words: %v", held)
	}
	left := decoded[[]questions.ListedConversation](t, sh.must(t, "conversations", "list", "--json"))
	kept := decoded[[]run.Listed](t, sh.must(t, "run", "list", "--kind", "answer", "--json"))
	forks := decoded[[]run.Listed](t, sh.must(t, "run", "list", "--kind", "branch", "--json"))
	if len(left) != 1 || left[0].ID != list[0].ID || len(kept) != 1 || len(forks) != 0 {
		t.Errorf("left are %+v with the runs %+v and %+v", left, kept, forks)
	}
	m, err := sh.app(t).ledger.Messages(t.Context(), domain.DefaultWorkspace, left[0].ID)
	if err != nil || len(m) != 1 || m[0].Status != ledger.MessageDone {
		t.Errorf("the other conversation has the messages %+v, %v", m, err)
	}
}

// TestAConversationGoesOnByCommands asks a follow-up and edits the first question, and
// then finds, names, pins, judges and prints what came of it.
func TestAConversationGoesOnByCommands(t *testing.T) {
	t.Parallel()
	sh := read(t)
	first := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--within", "doc:foundry.txt", "Who founded the Carrow Foundry?"))
	id := string(decoded[[]questions.ListedConversation](t, sh.must(t, "conversations", "list", "--json"))[0].ID)
	next := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--in", id, "Who built the Velm Bridge?"))
	if len(next.Within) != 1 || len(next.Citations) != 0 {
		t.Errorf("the follow-up does not keep to what was asked within: %+v", next)
	}
	edited := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--again", first.Run, "When did the Carrow Foundry cast the bells of Osterby?"))
	if !strings.Contains(edited.Answer, "1871") || len(edited.Within) != 1 {
		t.Errorf("the edited question: %+v", edited)
	}
	if same := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--again", edited.Run)); same.Answer != edited.Answer || same.Run == edited.Run {
		t.Errorf("asked again in the same words: %+v", same)
	}
	for _, wrong := range [][]string{{"ask", "--again", first.Run, "--in", id, "Who?"}, {"ask", "--again", "r0", "Who?"}, {"ask", "--in", "k0", "Who?"}, {"ask"}} {
		if _, err := sh.run(t, wrong...); err == nil {
			t.Errorf("clew %s is taken", strings.Join(wrong, " "))
		}
	}

	sh.must(t, "ask", "Who is buried here?")
	sh.must(t, "conversations", "rename", id, "The foundry | its bells")
	sh.must(t, "conversations", "pin", id)
	list := decoded[[]questions.ListedConversation](t, sh.must(t, "conversations", "list", "--json"))
	if len(list) != 2 || string(list[0].ID) != id || list[0].Title != "The foundry | its bells" || !list[0].Pinned {
		t.Errorf("listed are %+v", list)
	}
	if found := decoded[[]questions.ListedConversation](t, sh.must(t, "conversations", "list", "--json", "--find", "1871 BELLS")); len(found) != 1 || string(found[0].ID) != id {
		t.Errorf("found are %+v", found)
	}
	sh.must(t, "conversations", "unpin", id)
	if text := sh.must(t, "conversations", "show", id); !strings.HasPrefix(text, "# The foundry \\| its bells\n") || !strings.Contains(text, "1871") || strings.Contains(text, "Velm") {
		t.Errorf("shown is\n%s", text)
	}
	if all := decoded[questions.Exported](t, sh.must(t, "conversations", "show", id, "--json")); len(all.Turns) != 2 || len(all.Turns[0].Answers) != 3 || all.Pinned {
		t.Errorf("exported is %+v", all)
	}

	sh.must(t, "conversations", "judge", edited.Run, "bad", "--reason", "It leaves out who.")
	sh.must(t, "conversations", "judge", first.Run, "good")
	said := decoded[[]questions.Judged](t, sh.must(t, "conversations", "feedback", "--json"))
	if len(said) != 2 || said[1].Good || said[1].Reason != "It leaves out who." || said[1].Answer != edited.Answer || !strings.HasPrefix(said[1].Question, "When did") {
		t.Errorf("said was %+v", said)
	}
	sh.must(t, "conversations", "judge", first.Run, "none")
	if out := sh.must(t, "conversations", "feedback"); strings.Count(out, "\n") != 2 || !strings.Contains(out, "bad") {
		t.Errorf("left is %q", out)
	}
	if _, err := sh.run(t, "conversations", "judge", first.Run, "perhaps"); domain.KindOf(err) != domain.Invalid {
		t.Errorf("judged perhaps: %v", err)
	}
}

// TestAskTakesItsOptionsFromTheSettings asks with a setting that stops before writing,
// and against it.
func TestAskTakesItsOptionsFromTheSettings(t *testing.T) {
	t.Parallel()
	sh := read(t)
	sh.environ = []string{"STOP_BEFORE_WRITING=true"}
	if asked := decoded[askedJSON](t, sh.must(t, "ask", "--json", "Who founded the Carrow Foundry?")); len(asked.Asks.Passages) == 0 {
		t.Errorf("it does not stop: %+v", asked)
	}
	if got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--stop-before-writing=false", "Who founded the Carrow Foundry?")); len(got.Citations) == 0 {
		t.Errorf("it stops although told not to: %+v", got)
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
