package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
)

// TestTheNamesOfStepsAreRemembered calls the steps of a run by plain words, until a person
// wants the names of the graph.
func TestTheNamesOfStepsAreRemembered(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	run := "/runs/" + string(b.Answered(t, "", "What did the foundry cast?").Run)
	for _, tt := range []struct{ chosen, names, drawn, not string }{
		{"", "plain", ">Judged 1 passage<", ">grade_documents<"},
		{"technical", "technical", ">grade_documents<", ">Judged 1 passage<"},
		{"plain", "plain", ">Judged 1 passage<", ">grade_documents<"},
		{"other", "plain", ">Judged 1 passage<", ">grade_documents<"},
	} {
		if tt.chosen != "" {
			from := b.url + run + "?step=2"
			if p := b.post(t, "/names", url.Values{"names": {tt.chosen}}, "Referer", from); p.header.Get("Location") != run+"?step=2" {
				t.Errorf("%s: it goes on to %q", tt.chosen, p.header.Get("Location"))
			}
		}
		if p := b.get(t, run); !strings.Contains(p.body, `<html lang="en" data-names="`+tt.names+`"`) || !strings.Contains(p.body, "Found at the first search.") {
			t.Errorf("after choosing %q the page begins %.200s", tt.chosen, p.body)
		}
		if p := b.get(t, run+"/graph/svg"); !strings.Contains(p.body, tt.drawn) || strings.Contains(p.body, tt.not) {
			t.Errorf("after choosing %q the drawing is %s", tt.chosen, p.body)
		}
	}
	if p := b.post(t, "/names", url.Values{"names": {"technical"}}, "Referer", "https://elsewhere.example/x"); p.header.Get("Location") != "/runs" {
		t.Errorf("from another site it goes on to %q", p.header.Get("Location"))
	}
}
