package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/suggest"
)

func TestSuggestCommand(t *testing.T) {
	t.Parallel()
	sh := read(t)
	list := decoded[[]suggest.Suggestion](t, sh.must(t, "suggest", "--json", "--limit", "3"))
	if len(list) == 0 || len(list) > 3 {
		t.Fatalf("suggested are %+v", list)
	}
	for _, s := range list {
		if a := decoded[questions.Reply](t, sh.must(t, "ask", "--json", s.Question)); len(a.Citations) == 0 || !cites(a, s.Name) {
			t.Errorf("%s cites %+v, want %s", s.Question, a.Citations, s.Name)
		}
	}
	if text := sh.must(t, "suggest"); strings.Contains(text, list[0].Question) {
		t.Errorf("what was asked is suggested again:\n%s", text)
	}
}

func cites(a questions.Reply, name string) bool {
	for _, c := range a.Citations {
		if c.Document == name {
			return true
		}
	}
	return false
}
