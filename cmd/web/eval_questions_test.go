package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/evaluation"
)

func TestEvalQuestions(t *testing.T) {
	t.Parallel()
	sh := read(t)
	file := filepath.Join(t.TempDir(), "mine.csv")
	set := "question,sources,answers\nWho founded the Carrow Foundry?,foundry.txt,Maud Ferring\nWhich submarine sank in the flood?,,\n"
	if err := os.WriteFile(file, []byte(set), 0o600); err != nil {
		t.Fatal(err)
	}
	scores := decoded[[]evaluation.Score](t, sh.must(t, "eval", "questions", "--json", "--method", "default", "--method", "words", file))
	if len(scores) != 2 || scores[0].Method != domain.MethodDefault || scores[1].Method != domain.MethodWords {
		t.Fatalf("scores %+v", scores)
	}
	for _, s := range scores {
		if s.Found != 1 || s.RefusedRightly != 1 || s.Recall != 1 || len(s.Replies) != 2 || s.Replies[0].Ranks[0] == 0 {
			t.Errorf("%q: %+v", s.Method, s)
		}
	}
	if out := sh.must(t, "eval", "questions", "--within", "doc:bridge.md", "--method", "default", "--method", "words", file); !strings.Contains(out, "1 of 1") || !strings.Contains(out, "recall@5") {
		t.Errorf("printed %s", out)
	}
	if _, total, err := sh.app(t).ledger.Conversations(t.Context(), domain.DefaultWorkspace, 0, 0); err != nil || total != 0 {
		t.Errorf("%d conversations are left, %v", total, err)
	}
	if _, err := sh.run(t, "eval", "questions", filepath.Join(t.TempDir(), "none.csv")); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestKeptQuestionsByCommand keeps questions, asks them under two settings, and
// compares.
func TestKeptQuestionsByCommand(t *testing.T) {
	t.Parallel()
	sh := read(t)
	if out := sh.must(t, "eval", "questions", "add", "Who founded the Carrow Foundry?", "--answer", "Maud Ferring", "--source", "foundry.txt"); out != "1 question added, 0 changed.\n" {
		t.Errorf("added: %s", out)
	}
	set := "question,sources,answers\nWho founded the Carrow Foundry?,foundry.txt,Ferring\nWhich submarine sank in the flood?,,\n"
	if out := sh.must(t, "eval", "questions", "import", file(t, t.TempDir(), "mine.csv", set)); out != "1 question added, 1 changed.\n" {
		t.Errorf("imported: %s", out)
	}
	if out := sh.must(t, "eval", "questions", "export"); out != strings.ReplaceAll(set, "\n", "\r\n") {
		t.Errorf("exported: %s", out)
	}
	kept := decoded[[]evaluation.Kept](t, sh.must(t, "eval", "questions", "list", "--json"))
	if len(kept) != 2 || kept[0].Answers[0] != "Ferring" {
		t.Fatalf("kept %+v", kept)
	}
	a := decoded[evaluation.Evaluation](t, sh.must(t, "eval", "questions", "run", "--method", "words", "--loops", "0", "--passages", "2", "--json"))
	if a.Score.Found != 1 || a.Score.RefusedRightly != 1 || a.Score.Recall != 1 || a.Setting != (evaluation.Setting{Method: "words", Model: "built-in", Passages: 2, GradeMany: 1}) {
		t.Errorf("the first: %+v", a)
	}
	out := sh.must(t, "eval", "questions", "run")
	for _, says := range []string{"found 1,", "refused rightly 1 of 1", "default, built-in, 3 rewrites, 8 passages"} {
		if !strings.Contains(out, says) {
			t.Errorf("%q is missing from %s", says, out)
		}
	}
	history := decoded[[]evaluation.Evaluation](t, sh.must(t, "eval", "questions", "history", "--json"))
	if len(history) != 2 || history[1].ID != a.ID {
		t.Fatalf("history %+v", history)
	}
	if out := sh.must(t, "eval", "questions", "history"); !strings.Contains(out, "changed: search words → default, rewrites 0 → 3, passages graded 2 → 8") {
		t.Errorf("history: %s", out)
	}
	b := string(history[0].ID)
	if out := sh.must(t, "eval", "questions", "compare", string(a.ID), b); !strings.Contains(out, "Both answer equally well") {
		t.Errorf("compared: %s", out)
	}
	if c := decoded[evaluation.Comparison](t, sh.must(t, "eval", "questions", "compare", string(a.ID), b, "--json")); len(c.Pairs) != 2 {
		t.Errorf("compared: %+v", c)
	}
	if out := sh.must(t, "eval", "questions", "show", b); !strings.Contains(out, "Who founded the Carrow Foundry?") {
		t.Errorf("shown: %s", out)
	}
	if out := sh.must(t, "run", "list"); strings.Contains(out, "submarine") {
		t.Errorf("the list of runs has a question of an evaluation: %s", out)
	}
	if out := sh.must(t, "eval", "questions", "verdict", b, "1", "half"); out != "Question 1: half, instead of judged by-rule.\n" {
		t.Errorf("judged by hand: %s", out)
	}
	if out := sh.must(t, "eval", "questions", "compare", string(a.ID), b); !strings.Contains(out, "A: found") || !strings.Contains(out, "B: half by hand (found by rule)") {
		t.Errorf("compared with a verdict by hand: %s", out)
	}
	if out := sh.must(t, "eval", "questions", "history"); !strings.Contains(out, "right 0 of 1, half 1") || !strings.Contains(out, "1 by hand") {
		t.Errorf("history with a verdict by hand: %s", out)
	}
	sh.must(t, "eval", "questions", "verdict", b, "1", "by-rule")
	sh.must(t, "eval", "questions", "stop", b) // has ended
	if done := decoded[evaluation.Evaluation](t, sh.must(t, "eval", "questions", "go-on", b, "--json")); done.Status != ledger.EvaluationDone {
		t.Errorf("one that has ended: %+v", done)
	}
	sh.must(t, "eval", "questions", "remove", b)
	sh.must(t, "eval", "questions", "delete", string(kept[0].ID))
	if kept := decoded[[]evaluation.Kept](t, sh.must(t, "eval", "questions", "list", "--json")); len(kept) != 1 {
		t.Errorf("after the deletion: %+v", kept)
	}
	for _, args := range [][]string{{"show", b}, {"stop", b}, {"remove", b}, {"delete", string(kept[0].ID)}, {"compare", b, b}} {
		if _, err := sh.run(t, append([]string{"eval", "questions"}, args...)...); domain.KindOf(err) != domain.NotFound {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestSetsOfQuestionsByCommand keeps questions in two sets and asks one of them.
func TestSetsOfQuestionsByCommand(t *testing.T) {
	t.Parallel()
	sh := read(t)
	q := func(args ...string) string { return sh.must(t, append([]string{"eval", "questions"}, args...)...) }
	id := strings.TrimSpace(q("sets", "add", "Bells"))
	q("add", "Who founded the Carrow Foundry?", "--answer", "Maud Ferring", "--set", "bells")
	q("add", "Which submarine sank in the flood?")
	q("sets", "rename", "Bells", "Foundry")
	if sets := decoded[[]evaluation.Set](t, q("sets", "--json")); len(sets) != 2 || sets[1] != (evaluation.Set{ID: domain.SetID(id), Name: "Foundry", Questions: 1}) {
		t.Errorf("sets %+v", sets)
	}
	e := decoded[evaluation.Evaluation](t, q("run", "--set", "Foundry", "--json"))
	if e.Score.Questions != 1 || e.Score.Found != 1 || string(e.Set) != id || e.Facts.Chunking != "by format" {
		t.Errorf("asked %+v", e)
	}
	if out := q("history"); out != "The questions of this set have not been evaluated yet.\n" {
		t.Errorf("the history of the other set: %s", out)
	}
	if out := q("history", "--set", id); !strings.Contains(out, "found 1,") {
		t.Errorf("the history of the set: %s", out)
	}
	if out := q("sets", "delete", "Foundry"); !strings.Contains(out, "sets restore "+id) {
		t.Errorf("deleted: %s", out)
	}
	if out := q("list"); strings.Contains(out, "Carrow") {
		t.Errorf("kept: %s", out)
	}
	q("sets", "restore", id)
	if out := q("export", "--set", "Foundry"); !strings.Contains(out, "Carrow Foundry") {
		t.Errorf("restored: %s", out)
	}
	for want, args := range map[domain.Kind][]string{
		domain.NotFound: {"run", "--set", "none"}, domain.Conflict: {"sets", "add", "foundry"}, domain.Invalid: {"run", "--rerank", "20"},
	} {
		if _, err := sh.run(t, append([]string{"eval", "questions"}, args...)...); domain.KindOf(err) != want {
			t.Errorf("%v: %v", args, err)
		}
	}
}
