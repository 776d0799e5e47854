package web

import (
	"strings"
	"testing"

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
