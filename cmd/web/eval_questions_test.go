package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/evaluation"
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
		if s.Right != 1 || s.RefusedRightly != 1 || s.Recall != 1 || len(s.Replies) != 2 || s.Replies[0].Ranks[0] == 0 {
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
