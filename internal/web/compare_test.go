package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/views/link"
)

// branch carries out a branch of a turn to its end.
func (b *bench) branch(t *testing.T, begin questions.Variation) ledger.Answer {
	t.Helper()
	begin.Workspace = testkit.Workspace
	x, err := b.Questions.Vary(t.Context(), begin)
	testkit.Must(t, err)
	b.Watch(t, x.Run)
	x, err = b.Ledger.Branch(t.Context(), testkit.Workspace, x.Branch)
	testkit.Must(t, err)
	return x
}

func TestTwoRunsSideBySide(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Walk: true})
	f := b.fill(t)
	left := f.message
	right := b.branch(t, questions.Variation{Message: left.Message, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{Question: "Which zebra galloped?", MaxLoops: new(1)}}})

	page := b.get(t, link.CompareRuns(left.Run, right.Run))
	if page.status != http.StatusOK {
		t.Fatalf("status %d: %s", page.status, page.main(t))
	}
	said := page.main(t)
	for _, want := range []string{"Two runs side by side", "Struck out is only in the left one", "Passages", "transform_query", "fields are equal", "Tokens"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(page.body, `data-testid="graph"`); n != 2 {
		t.Errorf("%d graphs are drawn", n)
	}
	if n := strings.Count(page.body, `class="only-right"`); n < 3 {
		t.Errorf("%d steps are only on the right, want those of the second search", n)
	}
	first := b.get(t, link.CompareRuns(left.Run, right.Run)+"&at=1").main(t)
	if !strings.Contains(first, "States after retrieve") || !strings.Contains(first, "question") {
		t.Errorf("the first step shows %s", first)
	}
}

func TestRunsToCompareWith(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	forked := b.branch(t, questions.Variation{Message: f.message.Message, Purpose: questions.Again})
	again := b.Answered(t, "", f.message.Question)
	if page := b.get(t, link.Run(forked.Run)); !strings.Contains(page.body, link.CompareRuns(forked.Run, "")) {
		t.Error("the page of a run does not offer to compare it")
	}
	page := b.get(t, link.CompareRuns(forked.Run, ""))
	for run, why := range map[string]string{string(f.message.Run): "The turn’s own answer", string(again.Run): "The same question, asked another time"} {
		if !strings.Contains(page.body, "right="+run) || !strings.Contains(page.main(t), why) {
			t.Errorf("%s is not offered as %q", run, why)
		}
	}
	for _, tt := range []struct{ right, says string }{{"jnone", "There is no run jnone here"}, {string(forked.Run), "compared with itself"}} {
		page := b.get(t, link.With(link.Compare, "left", string(forked.Run), "right", tt.right))
		if page.status != http.StatusUnprocessableEntity || !strings.Contains(page.main(t), tt.says) {
			t.Errorf("with %s: status %d, %s", tt.right, page.status, page.main(t))
		}
	}
	if page := b.get(t, link.CompareRuns("jnone", "")); page.status != http.StatusNotFound {
		t.Errorf("of an unknown run: status %d", page.status)
	}
	documents := b.get(t, link.CompareRuns(f.doc.Run, f.message.Run))
	if documents.status != http.StatusOK || !strings.Contains(documents.main(t), "extract") {
		t.Errorf("runs of two graphs: status %d, %s", documents.status, documents.main(t))
	}
}

// chain is a library in which the second passage shares no word with the question.
var chain = map[string]string{
	"guide.txt":   "Henrike Aldous designed Copper Bridge.",
	"minutes.txt": "The Drapers' Benefit Society paid for the repair of Copper Bridge.",
	"museum.txt":  "Ruth Garland painted the portrait of Henrike Aldous.",
}

// TestDidTheGraphHelp answers by each method, as often as it is asked, and leaves the
// turn as it was.
func TestDidTheGraphHelp(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Walk: true})
	for name, text := range chain {
		b.Read(t, name, text)
	}
	m := b.Answered(t, "", "Who paid for the repair of Copper Bridge?")
	address := link.Methods(m.Conversation, m.Message)
	if page := b.get(t, link.Conversation(m.Conversation)); !strings.Contains(page.body, address) {
		t.Error("the answer does not lead to the comparison")
	}
	if page := b.get(t, address); !strings.Contains(page.main(t), "Not compared yet") {
		t.Errorf("before the start it says %s", page.main(t))
	}
	for range 2 {
		if to := b.post(t, address, nil); to.status != http.StatusSeeOther {
			t.Fatalf("the start answers %d", to.status)
		}
		all, err := b.Ledger.BranchesOf(t.Context(), testkit.Workspace, m.Message)
		testkit.Must(t, err)
		for _, x := range all {
			b.Watch(t, x.Run)
		}
	}
	all, err := b.Ledger.BranchesOf(t.Context(), testkit.Workspace, m.Message)
	testkit.Must(t, err)
	if len(all) != 6 {
		t.Errorf("%d branches, want three for each start: there is no embedding model", len(all))
	}
	page := b.get(t, address)
	said := page.main(t)
	for _, want := range []string{"Words", "Graph walk", "Full loop", "Needed passages read", "The Drapers", "Rank of each passage"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q: %s", want, said)
		}
	}
	if strings.Contains(page.body, "hx-trigger=\"load delay") || !strings.Contains(said, "No. Each of the 2 passages") {
		t.Errorf("it says %s", said)
	}
	if again, err := b.Ledger.Message(t.Context(), testkit.Workspace, m.Message); err != nil || again.Text != m.Text || again.Run != m.Run {
		t.Errorf("the turn has changed: %+v, %v", again, err)
	}
}

// TestMethodsAtWorkAreShownAsTheyCome holds the writer: the page says who is at work
// and asks again.
func TestMethodsAtWorkAreShownAsTheyCome(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	m, err := b.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: "Who paid?"})
	testkit.Must(t, err)
	address := link.Methods(m.Conversation, m.Message)
	b.post(t, address, nil)
	part := b.get(t, address, "HX-Request", "true")
	for _, want := range []string{"Not known yet.", "3 of 3 are still running", "waits in the queue", `hx-get="` + address + `"`} {
		if !strings.Contains(part.body, want) {
			t.Errorf("the part lacks %q: %s", want, part.body)
		}
	}
	if strings.Contains(part.body, "<html") {
		t.Error("the part is a whole page")
	}
	b.post(t, address, nil)
	if all, err := b.Ledger.BranchesOf(t.Context(), testkit.Workspace, m.Message); err != nil || len(all) != 3 {
		t.Errorf("%d branches, %v: a second start while they work adds none", len(all), err)
	}
}

// TestASearchIsDrawn goes to the step of the search: the picture leads from the
// question over the names to each passage, and the list says the same.
func TestASearchIsDrawn(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Walk: true})
	for name, text := range chain {
		b.Read(t, name, text)
	}
	m := b.Answered(t, "", "Who designed Copper Bridge?")
	page := b.get(t, link.RunAt(m.Run, 1))
	said := page.main(t)
	if !strings.Contains(page.body, `data-testid="walk"`) || !strings.Contains(said, "the question names Copper Bridge which is mentioned in") {
		t.Errorf("the search is not drawn: %s", said)
	}
	if !strings.Contains(page.body, `href="/chunks/`) || !strings.Contains(page.body, `href="/entities/e`) {
		t.Error("the picture has no links to passages and entities")
	}
	if other := b.get(t, link.RunAt(m.Run, 2)); strings.Contains(other.body, `data-testid="walk"`) {
		t.Error("a step that is no search is drawn as one")
	}
}
