package main

import (
	"context"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestAProgramChoosesPassages asks with both options, replaces what was found,
// and gives a hint.
func TestAProgramChoosesPassages(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := read(t)
	asked := decoded[askedJSON](t, sh.must(t, "ask", "--json", "--stop-before-writing", "--hint", "Who founded the Carrow Foundry?"))
	if asked.Asks.Nothing || !asked.Asks.Hints || len(asked.Asks.Passages) == 0 {
		t.Fatalf("asks %+v", asked)
	}
	var drop []string
	for _, g := range asked.Asks.Passages {
		if g.Verdict == domain.Relevant {
			drop = append(drop, string(g.Chunk))
		}
	}
	found := decoded[[]questions.Found](t, sh.must(t, "search", "--json", "Who designed Copper Bridge?"))
	got := decoded[questions.Reply](t, sh.must(t, "run", "continue", string(asked.Run), "--json", "--drop", strings.Join(drop, ","), "--add", string(found[0].Chunk)))
	for _, c := range got.Citations {
		if c.DocumentID != string(found[0].DocumentID) {
			t.Errorf("cites %+v", c)
		}
	}
	if _, err := sh.run(t, "run", "continue", string(asked.Run)); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a second time: %v", err)
	}
	out := sh.must(t, "ask", "--hint", "Which zebra galloped over the glacier?")
	_, rest, _ := strings.Cut(out, "clew run continue ")
	id, _, _ := strings.Cut(rest, " ")
	if !strings.Contains(out, "Waiting for you.") || !strings.Contains(out, "--hint WORDS") {
		t.Errorf("printed %q", out)
	}
	if out := sh.must(t, "run", "continue", id, "--hint", "Carrow Foundry"); !strings.Contains(out, "  far  ") {
		t.Errorf("printed %q", out)
	}
	if out := sh.must(t, "run", "continue", id); !strings.Contains(out, "Nothing close was found") {
		t.Errorf("printed %q", out)
	}
}

// TestAKilledServerLosesNoQuestionThatWaits kills the process in which a question
// has come to wait, and replies in another.
func TestAKilledServerLosesNoQuestionThatWaits(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := read(t)
	a := sh.app(t)
	m, err := a.questions.Start(t.Context(), questions.Question{
		Workspace: domain.DefaultWorkspace, Text: "Who founded the Carrow Foundry?", Options: questions.Options{Review: true},
	})
	noError(t, err)
	worker := sh.process(t, "work")
	noError(t, worker.Start())
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	for r := (job.Run{}); !r.Status.Asleep(); {
		r, err = a.queue.Get(ctx, domain.DefaultWorkspace, m.Run)
		noError(t, err)
	}
	noError(t, worker.Process.Kill())
	_ = worker.Wait() // it was killed
	got := decoded[questions.Reply](t, sh.must(t, "run", "continue", string(m.Run), "--json"))
	if !strings.Contains(got.Answer, "Maud Ferring founded the Carrow Foundry.") {
		t.Errorf("answered %+v", got)
	}
	m, err = a.ledger.Message(ctx, domain.DefaultWorkspace, m.Message)
	noError(t, err)
	if m.Status != ledger.MessageDone {
		t.Errorf("status %s: %s", m.Status, m.Problem)
	}
}
