package web

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestResearchIsFilledIn opens the form from an answer, with its part of the library, and asks what some questions cost.
func TestResearchIsFilledIn(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	if p := b.get(t, link.Conversation(f.message.Conversation)); !strings.Contains(p.body, "/research?q=What+did+the+foundry+cast%3F") {
		t.Errorf("no answer leads to research: %s", p.main(t))
	}
	for path, want := range map[string]string{
		"/research?q=Who+led+it%3F&within=tag%3Aletters%0Atag%3Amaps": ">Who led it?</textarea>",
		"/research?within=tag%3Aletters%0Atag%3Amaps":                 "tag:letters\ntag:maps</textarea>",
		"/research?questions=3":                                       "Up to 3 questions.",
		"/research?questions=900":                                     "Up to 20 questions.",
		"/research?questions=many":                                    "Up to 6 questions.",
		"/research?q=%3Cscript%3E":                                    "&lt;script&gt;",
	} {
		if p := b.get(t, path); p.status != 200 || !strings.Contains(p.body, want) {
			t.Errorf("GET %s: status %d, without %q: %s", path, p.status, want, p.main(t))
		}
	}
}

// TestAThemeIsResearched goes from a theme to the form, which has its question and a plan, and orders that plan.
func TestAThemeIsResearched(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	for _, f := range sample.Files() {
		b.Read(t, f.Name, string(f.Data))
	}
	list, err := b.Themes.Themes(t.Context(), testkit.Workspace, nil, 1)
	testkit.Must(t, err)
	theme := list[0]
	at := link.With(link.Researches, "theme", string(theme.Lead))
	if p := b.get(t, link.Themes); !strings.Contains(p.body, html.EscapeString(at)) {
		t.Fatalf("no way to %s from %s", at, p.main(t))
	}
	form := b.get(t, at).body
	plan := "What is known about " + theme.Names[0] + "?"
	if !strings.Contains(form, html.EscapeString("What do the documents say about "+theme.Names[0])) || !strings.Contains(form, html.EscapeString(plan)) {
		t.Errorf("the form is %s", form)
	}
	p := b.post(t, link.Researches, url.Values{"question": {"What of " + theme.Names[0] + "?"}, "ask": {plan + "\n\n How old is it? \n" + plan}, "rounds": {"1"}, "questions": {"1"}})
	if p.status != 303 {
		t.Fatalf("ordering: %d %s", p.status, p.main(t))
	}
	all, _, err := b.Ledger.Researches(t.Context(), testkit.Workspace, 1, 0)
	testkit.Must(t, err)
	if r := all[0]; len(r.Plan) != 2 || r.Plan[0].Text != plan || r.Plan[1].Text != "How old is it?" || r.Questions != 2 {
		t.Errorf("planned %+v", r)
	}
	if p := b.get(t, link.With(link.Researches, "theme", "nothing")); p.status != 404 || !strings.Contains(p.main(t), "No theme of the library is called") {
		t.Errorf("an unknown theme: %d %s", p.status, p.main(t))
	}
}
