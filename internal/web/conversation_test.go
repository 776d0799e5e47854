package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestAConversationIsDeletedOnItsPage asks two questions, and deletes the
// conversation: its address and those of its runs lead nowhere.
func TestAConversationIsDeletedOnItsPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "What did the foundry cast?")
	b.Answered(t, m.Conversation, "What else?")
	address, remove := link.Conversation(m.Conversation), link.DeleteConversation(m.Conversation)
	if p := b.get(t, address); !strings.Contains(p.body, `href="`+remove+`"`) {
		t.Error("the page of the conversation has no link to delete it")
	}
	if p := b.get(t, remove); p.status != 200 || !strings.Contains(p.main(t), "2 questions with the answers and the steps of all their runs") {
		t.Errorf("status %d: the page does not say what goes: %s", p.status, p.main(t))
	}
	if r := b.post(t, remove, nil); r.status != http.StatusSeeOther || r.header.Get("Location") != "/ask?done=talk" {
		t.Errorf("deleted: %d to %s", r.status, r.header.Get("Location"))
	}
	for _, path := range []string{address, remove, link.Run(m.Run)} {
		if p := b.get(t, path); p.status != http.StatusNotFound {
			t.Errorf("GET %s: status %d", path, p.status)
		}
	}
	if p := b.get(t, "/ask?done=talk"); !strings.Contains(p.body, "The conversation was deleted") || strings.Contains(p.body, "What did the foundry cast?") {
		t.Error("the page for a new question still lists it, or does not say that it is gone")
	}
}

// TestOptionsAreTickedByDefault opens the page with one option set, and sends a
// question that is refused with the other one chosen.
func TestOptionsAreTickedByDefault(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true}, func(p *Params) { p.Ticked = questions.Options{Review: true} })
	ticked := func(body string) (names []string) {
		for _, n := range nodes(t, body, func(n *html.Node) bool {
			return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" })
		}) {
			names = append(names, attribute(n, "name"))
		}
		return names
	}
	if got := ticked(b.get(t, link.Ask).body); !slices.Equal(got, []string{"review"}) {
		t.Errorf("ticked are %v", got)
	}
	if got := ticked(b.post(t, link.Ask, url.Values{"question": {" "}, "hint": {"yes"}}).body); !slices.Equal(got, []string{"hint"}) {
		t.Errorf("after a refusal ticked are %v", got)
	}
}
