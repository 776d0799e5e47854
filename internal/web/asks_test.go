package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

// ticks returns the passages of a form and whether each is ticked.
func ticks(t *testing.T, body string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, n := range nodes(t, body, func(n *html.Node) bool { return attribute(n, "data-testid") == "use" }) {
		found[attribute(n, "value")] = slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" })
	}
	return found
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// TestChoosingPassagesBeforeTheAnswer goes by forms alone: it asks with the
// option, looks for another passage, and lets the answer be written from that.
func TestChoosingPassagesBeforeTheAnswer(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	b.Read(t, "school.txt", "Beatrice Osgood taught arithmetic at the school. She retired to Highmoor.")
	r := b.post(t, "/ask", url.Values{"question": {"Who taught arithmetic?"}, "stop_before_writing": {"true"}})
	path, turn, _ := strings.Cut(r.header.Get("Location"), "#turn-")
	m, err := b.Ledger.Message(t.Context(), testkit.Workspace, domain.MessageID(turn))
	testkit.Must(t, err)
	b.WaitForSleep(t, m.Run)
	page := b.get(t, path)
	if !strings.Contains(page.main(t), "Before the answer is written") || !strings.Contains(page.main(t), "waits for you") || strings.Contains(page.body, "/events?after") {
		t.Errorf("the turn says %s", page.main(t))
	}
	first := ticks(t, page.body)
	if len(first) != 1 {
		t.Fatalf("the form has %v", first)
	}
	if run := b.get(t, "/runs/"+string(m.Run)); len(ticks(t, run.body)) != 1 {
		t.Errorf("the page of the run says %s", run.main(t))
	}
	if runs := b.get(t, "/runs"); !strings.Contains(runs.main(t), "waiting for you") {
		t.Errorf("the list of runs says %s", runs.main(t))
	}
	to := path + "/reply/" + turn
	found := b.post(t, to, url.Values{"do": {"find"}, "find": {"bells of Osterby"}}) // and unticks the other
	second := ticks(t, found.body)
	if found.status != 200 || len(second) != 2 {
		t.Fatalf("%d: the form has %v", found.status, second)
	}
	var other string
	for chunk, ticked := range second {
		if ticked {
			t.Errorf("%s is ticked", chunk)
		}
		if _, known := first[chunk]; !known {
			other = chunk
		}
	}
	fragment := b.post(t, to, url.Values{"do": {"find"}, "find": {"bells"}, "use": {other}}, "HX-Request", "true")
	if got := ticks(t, fragment.body); len(got) != 1 || !got[other] || strings.Contains(fragment.body, "<main") {
		t.Errorf("a script gets %s", fragment.body)
	}
	for kind, form := range map[int]url.Values{http.StatusNotFound: {"do": {"write"}, "use": {"c0"}}, http.StatusRequestEntityTooLarge: {"do": {"hint"}, "hint": {strings.Repeat("x", questions.MaxHint+1)}}} {
		if r := b.post(t, to, form); r.status != kind || len(ticks(t, r.body)) == 0 {
			t.Errorf("%v: %d, %s", form, r.status, r.main(t))
		}
	}
	if r := b.post(t, to, url.Values{"do": {"write"}, "use": {other}}); r.status != http.StatusSeeOther {
		t.Fatalf("%d: %s", r.status, r.main(t))
	}
	b.Watch(t, m.Run)
	m, err = b.Ledger.Message(t.Context(), testkit.Workspace, m.Message)
	testkit.Must(t, err)
	if m.Status != ledger.MessageDone || len(m.Citations) == 0 || slices.ContainsFunc(m.Citations, func(c domain.Citation) bool { return string(c.Chunk) != other }) {
		t.Errorf("status %s, citations %+v", m.Status, m.Citations)
	}
	if r := b.post(t, to, url.Values{"do": {"write"}}); r.status != http.StatusConflict {
		t.Errorf("a second time: %d", r.status)
	}
}

// TestTheStreamOfAQuestionEndsWithWhatItAsks watches a question with a hint, and
// lets it go on with what there is.
func TestTheStreamOfAQuestionEndsWithWhatItAsks(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	testkit.Must(t, b.Worker.Stop(t.Context()))
	m, err := b.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: "Which submarine sank?", Options: questions.Options{Hint: true}})
	testkit.Must(t, err)
	stream := b.stream(t, "/runs/"+string(m.Run)+"/events?after=0")
	b.Start(t)
	events := stream.until(t, "the end", isEnd)
	last := events[len(events)-2]
	if last.name != "answer" || !strings.Contains(last.data, `data-testid="hint"`) {
		t.Fatalf("before its end the stream sends %s: %s", last.name, last.data)
	}
	b.WaitForSleep(t, m.Run)
	to := "/ask/" + string(m.Conversation) + "/reply/" + string(m.Message)
	if r := b.post(t, to, url.Values{"do": {"hint"}, "hint": {"Carrow"}}); r.status != http.StatusSeeOther {
		t.Fatalf("%d: %s", r.status, r.main(t))
	}
	b.WaitForSleep(t, m.Run)
	if page := b.get(t, "/ask/"+string(m.Conversation)); !strings.Contains(page.main(t), "Nothing that was found is relevant") || len(ticks(t, page.body)) == 0 {
		t.Errorf("after the hint the turn says %s", page.main(t))
	}
	if r := b.post(t, to, url.Values{"do": {"write"}}); r.status != http.StatusSeeOther {
		t.Fatalf("%d: %s", r.status, r.main(t))
	}
	b.Watch(t, m.Run)
	if page := b.get(t, "/ask/"+string(m.Conversation)); !strings.Contains(page.main(t), "says it outright") {
		t.Errorf("the turn says %s", page.main(t))
	}
}

// TestOptionsOfOneQuestion are sent with its form: what can't be is shown again as it was sent.
func TestOptionsOfOneQuestion(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	for says, form := range map[string]url.Values{
		"A question can be reworded between 0 and 20 times.": {"max_loops": {"99"}},
		"is not a number":                      {"passages": {"many"}},
		"No model is connected that could put": {"rerank": {"true"}, "context_only": {"true"}},
	} {
		form.Set("question", "Which submarine sank?")
		r := b.post(t, "/ask", form)
		if !strings.Contains(r.body, says) {
			t.Errorf("%v: no %q on the page", form, says)
		}
		if value := form.Get("max_loops"); !strings.Contains(r.body, `value="`+value+`"`) {
			t.Errorf("%v: what was sent is not shown again", form)
		}
	}
	r := b.post(t, "/ask", url.Values{"question": {"Which submarine sank?"}, "max_loops": {"0"}, "passages": {"1"}, "context_only": {"true"}, "budget": {""}, "rerank": {""}})
	_, turn, _ := strings.Cut(r.header.Get("Location"), "#turn-")
	m, err := b.Ledger.Message(t.Context(), testkit.Workspace, domain.MessageID(turn))
	testkit.Must(t, err)
	b.Watch(t, m.Run)
	m, err = b.Ledger.Message(t.Context(), testkit.Workspace, domain.MessageID(turn))
	testkit.Must(t, err)
	if m.Status != ledger.MessageDone || m.Text != answer.SaysNotWritten {
		t.Errorf("got status %s, answer %q", m.Status, m.Text)
	}
	if page := b.get(t, r.header.Get("Location")); !strings.Contains(page.main(t), answer.SaysNotWritten) {
		t.Errorf("the turn says %s", page.main(t))
	}
}
