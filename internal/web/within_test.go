package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestAskWithinATagOfThePage asks within a tag as the page does without a script, and
// expects the chip on the turn, in the field for the next question, and in the list
// that completes what is typed.
func TestAskWithinATagOfThePage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	bells, school := b.Read(t, "foundry.txt", foundry), b.Read(t, "school.txt", "Agnes Lovibond taught at the school.")
	b.Tag(t, school.ID, "people")

	turn := b.postAndFollow(t, "/ask", url.Values{"question": {"Who cast the bells?"}, "within_name": {"#People"}})
	chip := `name="within" value="tag:people" checked`
	if said := turn.main(t); !strings.Contains(said, "Asked within #people") || !strings.Contains(turn.body, chip) {
		t.Errorf("the turn: %s", said)
	}
	named := b.postAndFollow(t, "/ask", url.Values{"question": {"Who cast the bells?"}, "within_name": {"foundry.txt"}, "within_from": {"2000-01-01"}})
	if said := named.main(t); !strings.Contains(said, "@foundry.txt, added from 2000-01-01") {
		t.Errorf("a document by name: %s", said)
	}
	for _, refused := range []url.Values{{"within_name": {"#nobody"}}, {"within_name": {"nothing.txt"}}, {"within": {"tag:people", "to:yesterday"}}} {
		refused.Set("question", "Who cast the bells?")
		if p := b.post(t, "/ask", refused); p.status < 400 || !strings.Contains(p.body, `id="question-problem"`) || !strings.Contains(p.body, "Who cast the bells?</textarea>") {
			t.Errorf("%v: status %d, %s", refused, p.status, p.main(t))
		}
	}
	for typed, want := range map[string]string{"#peo": "tag:people", "@FOUND": "doc:" + string(bells.ID), "#zzz": ""} {
		body := b.get(t, "/ask/within?q="+url.QueryEscape(typed)).body
		if strings.Contains(body, `value="`+want+`"`) == (want == "") {
			t.Errorf("%s is completed by %s", typed, body)
		}
	}
	for terms, want := range map[string]string{"?within=tag:people": "1 document, 1 of 2 passages", "?within=tag:people&within=doc:" + string(bells.ID): "2 documents, 2 of 2 passages"} {
		if said := b.get(t, "/ask/within/count"+terms).body; !strings.Contains(domain.OneLine(said), want) {
			t.Errorf("%s: %q, want %q", terms, said, want)
		}
	}
	if p := b.get(t, "/ask?q=Why&within=doc:"+string(bells.ID)); !strings.Contains(p.body, `<i>@</i>foundry.txt`) {
		t.Error("a link to ask within a document shows no chip")
	}
	if _, err := b.Ledger.DeleteDocument(t.Context(), testkit.Workspace, bells.ID); err != nil {
		t.Fatal(err)
	}
	if p := b.post(t, "/ask", url.Values{"question": {"Who?"}, "within": {"doc:" + string(bells.ID)}}); p.status != 404 && p.status != 422 {
		t.Errorf("within a deleted document: status %d", p.status)
	}
}

// TestFactsOfADocumentAreShownAndAsked reads a page that says who wrote it, and
// expects that on its page, beside its citation, and as something to ask within.
func TestFactsOfADocumentAreShownAndAsked(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	bells := b.Read(t, "foundry.md", "---\nauthor: Maud Ferring\ndate: 1909-10-03\nurl: https://courier.example/bells\n---\n"+foundry)
	b.Read(t, "school.txt", "Agnes Lovibond taught at the school.")
	const outside = `<a href="https://courier.example/bells" rel="noopener noreferrer nofollow" target="_blank"`
	if p := b.get(t, "/documents/"+string(bells.ID)); !strings.Contains(p.main(t), "By Maud Ferring · 3 October 1909") || !strings.Contains(p.body, outside) {
		t.Errorf("its page: %s", p.main(t))
	}
	turn := b.postAndFollow(t, "/ask", url.Values{"question": {"Who cast the bells?"}, "within_name": {"author:ferring"}})
	if said := turn.main(t); !strings.Contains(said, "Asked within by ferring") {
		t.Errorf("the turn: %s", said)
	}
	m := b.Answered(t, "", "What did the foundry cast?")
	if len(m.Citations) == 0 {
		t.Fatal("the answer cites nothing")
	}
	source := b.get(t, link.Source(m.Conversation, m.Message, m.Citations[0].N))
	if !strings.Contains(source.body, "By Maud Ferring · 3 October 1909") || !strings.Contains(source.body, outside) {
		t.Errorf("its source: %s", source.main(t))
	}
	for typed, want := range map[string]string{"#maud": "author:Maud Ferring", "#upload": "source:upload"} {
		if body := b.get(t, "/ask/within?q="+url.QueryEscape(typed)).body; !strings.Contains(body, `value="`+want+`"`) {
			t.Errorf("%s is completed by %s", typed, body)
		}
	}
	if p := b.post(t, "/ask", url.Values{"question": {"Who?"}, "within_name": {"lang:sv"}}); p.status < 400 || !strings.Contains(p.body, "No document matches lang:sv") {
		t.Errorf("a language that no document has: status %d", p.status)
	}
}
