package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/library/studies"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// formKey returns the key of the form on a page that is sent to action.
func formKey(t *testing.T, p reply, action string) string {
	t.Helper()
	for _, f := range nodes(t, p.body, func(n *html.Node) bool {
		return n.Data == "form" && (attr(n, "action") == action || strings.HasPrefix(attr(n, "action"), action+"?branch=")) && attr(n, "method") == "post"
	}) {
		for n := range f.Descendants() {
			if n.Type == html.ElementNode && attr(n, "name") == "form_key" && attr(n, "value") != "" {
				return attr(n, "value")
			}
		}
	}
	t.Fatalf("no form with a key is sent to %s", action)
	return ""
}

// TestAFormThatIsSentTwiceIsOneRequest sends each form that starts a run several times at once, as one does who clicks
// twice without scripts. All lead to the same place, and one run is started. The same words from another page, and others
// from the same page, start another.
func TestAFormThatIsSentTwiceIsOneRequest(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "What did the foundry cast?")
	again, fork := link.AskAgain(m.Conversation, m.Message), link.Fork(m.Run, 2)
	for name, c := range map[string]struct {
		page, action, kind string
		form, other        url.Values
	}{
		"question":              {link.Ask, link.Ask, questions.Kind, url.Values{"question": {"Who wrote of it?"}}, url.Values{"question": {"Who cast them?"}}},
		"question that follows": {link.Conversation(m.Conversation), link.Ask, questions.Kind, url.Values{"question": {"Who wrote of it?"}, "conversation": {string(m.Conversation)}}, url.Values{"question": {"Who wrote of it?"}}},
		"ask again":             {link.Conversation(m.Conversation), again, questions.BranchKind, url.Values{}, url.Values{"edited": {"yes"}, "question": {"Who was it?"}}},
		"fork":                  {fork, fork, questions.BranchKind, url.Values{"max_loops": {"0"}}, url.Values{"max_loops": {"1"}}},
		"study set":             {"/study?document=" + string(doc.ID), link.Study, studies.Kind, url.Values{"document": {string(doc.ID)}, "kind": {"faq"}}, url.Values{"document": {string(doc.ID)}, "kind": {"glossary"}}},
		"summary":               {"/summaries/new", link.Summaries, summaries.Kind, url.Values{"document": {string(doc.ID)}}, url.Values{"document": {string(doc.ID)}, "focus": {"bells"}}},
	} {
		t.Run(name, func(t *testing.T) {
			runs := func() int {
				t.Helper()
				all, err := b.Queue.List(t.Context(), testkit.Workspace, job.Query{Kind: c.kind})
				testkit.Must(t, err)
				return len(all)
			}
			send := func(form url.Values, key string) string {
				t.Helper()
				form = maps.Clone(form)
				form.Set("form_key", key)
				r := b.post(t, c.action, form)
				if r.status != http.StatusSeeOther {
					t.Errorf("status %d: %s", r.status, r.main(t))
				}
				return r.header.Get("Location")
			}
			key, before := formKey(t, b.get(t, c.page), c.action), runs()
			var places [4]string
			var sent sync.WaitGroup
			for i := range places {
				sent.Go(func() { places[i] = send(c.form, key) })
			}
			sent.Wait()
			if slices.ContainsFunc(places[:], func(p string) bool { return p != places[0] }) || runs() != before+1 {
				t.Errorf("the same form leads to %v, and starts %d runs", places, runs()-before)
			}
			if other, later := send(c.other, key), send(c.form, formKey(t, b.get(t, c.page), c.action)); other == places[0] || later == places[0] || runs() != before+3 {
				t.Errorf("another form leads to %s, the same from another page to %s, after %s", other, later, places[0])
			}
			if known := send(c.form, key); known != places[0] {
				t.Errorf("sent again later, it leads to %s, not to %s", known, places[0])
			}
		})
	}
}
