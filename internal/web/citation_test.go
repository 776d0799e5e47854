package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

// odd is a text in which positions in bytes, UTF-16 units and code points
// differ widely.
const odd = "🧵🧵 Ünïcödé before it — ﬁne. 日本語の文。\n\nThe Carrow Foundry cast the bells of Österby 🔔 in 1871. Nobody else did.\n"

func TestACitationOpensExactlyItsCharacters(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "odd.txt", odd)
	m := b.Answered(t, "", "What did the foundry cast?")
	if len(m.Citations) != 1 {
		t.Fatalf("citations %+v", m.Citations)
	}
	const want = "The Carrow Foundry cast the bells of Österby 🔔 in 1871."
	c := m.Citations[0]
	if c.Text != want {
		t.Errorf("the citation says %q", c.Text)
	}
	for _, path := range []string{
		fmt.Sprintf("/ask/%s/source/%s/%d", m.Conversation, m.Message, c.N),
		fmt.Sprintf("/documents/%s?start=%d&end=%d", c.DocumentID, c.Span.Start, c.Span.End),
	} {
		if got := marked(t, b.get(t, path).body); got != want {
			t.Errorf("%s marks %q, want %q", path, got, want)
		}
	}
}

func TestAnOldAnswerSaysThatItsSourceIsDeleted(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "odd.txt", odd)
	m := b.Answered(t, "", "What did the foundry cast?")
	page, quoted := "/ask/"+string(m.Conversation), "<q>The Carrow Foundry cast the bells"
	if p := b.get(t, page); !strings.Contains(p.body, quoted) || strings.Contains(p.body, "source deleted") {
		t.Fatalf("before the deletion the page does not quote: %q", p.main(t))
	}
	b.Delete(t, doc.ID)
	p := b.get(t, page)
	if !strings.Contains(p.main(t), "source deleted") || strings.Contains(p.body, "<q>") {
		t.Errorf("the page still quotes the source, or does not say that it is deleted: %q", p.main(t))
	}
	if !strings.Contains(p.main(t), ledger.Stub) || strings.Contains(p.main(t), "cast the bells of Österby") {
		t.Errorf("the answer still has the sentence, or no note in its place: %q", p.main(t))
	}
	source := b.get(t, fmt.Sprintf("%s/source/%s/%d", page, m.Message, m.Citations[0].N))
	if source.status >= 500 || marked(t, source.body) != "" || !strings.Contains(source.main(t), "deleted") {
		t.Errorf("the source's own page: status %d, %q", source.status, source.main(t))
	}
}

func TestAnyRangeOfADocumentCanBeMarked(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "odd.txt", odd)
	stored, err := b.Ledger.Text(t.Context(), testkit.Workspace, doc.ID)
	testkit.Must(t, err)
	for _, s := range []domain.Span{{Start: 0, End: 1}, {Start: 3, End: 10}, {Start: doc.Chars - 5, End: doc.Chars}} {
		p := b.get(t, fmt.Sprintf("/documents/%s?start=%d&end=%d", doc.ID, s.Start, s.End))
		if got := marked(t, p.body); got != s.Slice(stored.Content) {
			t.Errorf("%v marks %q, want %q", s, got, s.Slice(stored.Content))
		}
	}
}

func TestInvalidRangesMarkNothing(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "odd.txt", odd)
	for _, query := range []string{
		"start=5&end=5", "start=9&end=2", "start=-4&end=-1", "start=x&end=y", "start=99999&end=100000", "start=99999999999999999999&end=1", "at=-1", "at=99999",
	} {
		p := b.get(t, fmt.Sprintf("/documents/%s?%s", doc.ID, query))
		if p.status != 200 || marked(t, p.body) != "" || !strings.Contains(p.body, "Österby") {
			t.Errorf("%s: status %d, marks %q", query, p.status, marked(t, p.body))
		}
	}
}

func TestAskingFromThePages(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	p := b.post(t, "/ask", url.Values{"question": {"What did the foundry cast?"}})
	place, turn, ok := strings.Cut(p.header.Get("Location"), "#turn-")
	if p.status != 303 || !ok {
		t.Fatalf("status %d to %q", p.status, p.header.Get("Location"))
	}
	m, err := b.Ledger.Message(t.Context(), testkit.Workspace, domain.MessageID(turn))
	testkit.Must(t, err)
	b.Watch(t, m.Run)
	page := b.get(t, place)
	if !strings.Contains(page.main(t), "The Carrow Foundry cast the bells of Osterby.") {
		t.Errorf("the page says %q", page.main(t))
	}
	again := b.post(t, "/ask", url.Values{"question": {"And where?"}, "conversation": {string(m.Conversation)}})
	if follow, _, _ := strings.Cut(again.header.Get("Location"), "#"); follow != place {
		t.Errorf("the follow-up is at %q, want %q", follow, place)
	}
}

func TestRefusedQuestionsStayInTheForm(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	long := strings.Repeat("why ", 25_000)
	for _, tt := range []struct {
		question, in string
		status       int
		says         string
	}{
		{"  ", "", 422, "The question is empty"},
		{long, "", 413, "the limit is 4000"},
		{long, string(f.message.Conversation), 413, "the limit is 4000"},
		{"Who?", "k0", 404, "There is no conversation k0 here."},
	} {
		p := b.post(t, "/ask", url.Values{"question": {tt.question}, "conversation": {tt.in}})
		if p.status != tt.status || !strings.Contains(p.main(t), tt.says) {
			t.Errorf("%.10q in %q: %d %q", tt.question, tt.in, p.status, p.main(t))
		}
		if len(p.body) > 60_000 {
			t.Errorf("%.10q in %q: the page has %d bytes", tt.question, tt.in, len(p.body))
		}
		if tt.status == 413 && strings.Count(p.body, "why ") < questions.MaxQuestion/4-1 {
			t.Errorf("in %q: what can be kept of the question is not", tt.in)
		}
	}
}

func TestTheLoopsOfAnAnswerAreCounted(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	first := b.Read(t, "foundry.txt", foundry)
	if first.Status != domain.DocumentReady {
		t.Fatal(first.Problem)
	}
	m := b.Answered(t, "", "Which submarine sank by the bells?")
	if m.Text != answer.SaysNotOutright {
		t.Fatalf("answer %q", m.Text)
	}
	if p := b.get(t, "/runs/"+string(m.Run)); !strings.Contains(p.main(t), "reworded 3 of 3") {
		t.Errorf("page says %q", p.main(t))
	}
	m = b.Answered(t, "", "What did the foundry cast?")
	follow := b.Answered(t, m.Conversation, "And who wrote of it?") // reworded once as a follow-up, which is no loop
	if p := b.get(t, "/runs/"+string(follow.Run)); strings.Contains(p.body, `class="loops te"`) {
		t.Errorf("the follow-up's page says %q", p.main(t))
	}
}
