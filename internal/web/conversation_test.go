package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
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
	gone := link.With(link.Ask, "done", "talk", "deleted", string(m.Conversation))
	for range 2 { // the first time it is taken back
		if r := b.post(t, remove, nil); r.status != http.StatusSeeOther || r.header.Get("Location") != gone {
			t.Errorf("deleted: %d to %s", r.status, r.header.Get("Location"))
		}
		for _, path := range []string{address, remove} {
			if p := b.get(t, path); p.status != http.StatusNotFound {
				t.Errorf("GET %s: status %d", path, p.status)
			}
		}
		p := b.get(t, gone)
		if !strings.Contains(p.body, "The conversation was deleted") || strings.Contains(p.body, "What did the foundry cast?") {
			t.Error("the page for a new question still lists it, or does not say that it is gone")
		}
		if p = b.get(t, b.post(t, p.undo(t), nil).header.Get("Location")); !strings.Contains(p.main(t), "What did the foundry cast?") {
			t.Errorf("after the undo: %d %s", p.status, p.main(t))
		}
	}
	b.post(t, remove, nil)
	b.Clock.Advance(b.Questions.UndoTime + time.Second)
	if p := b.get(t, gone); strings.Contains(p.body, link.RestoreConversation(m.Conversation)) || b.post(t, link.RestoreConversation(m.Conversation), nil).status != http.StatusConflict {
		t.Error("it can be undone too late")
	}
	testkit.Must(t, b.Ledger.DeleteHiddenConversations(t.Context(), domain.DefaultWorkspace))
	for _, path := range []string{address, remove, link.Run(m.Run)} {
		if p := b.get(t, path); p.status != http.StatusNotFound {
			t.Errorf("GET %s: status %d", path, p.status)
		}
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
	if got := ticked(b.get(t, link.Ask).body); !slices.Equal(got, []string{"stop_before_writing"}) {
		t.Errorf("ticked are %v", got)
	}
	if got := ticked(b.post(t, link.Ask, url.Values{"question": {" "}, "hint": {"true"}}).body); !slices.Equal(got, []string{"hint"}) {
		t.Errorf("after a refusal ticked are %v", got)
	}
}

// TestConversationsAreSearched finds words of an answer, as a page and as the list
// alone, and keeps the search in the address.
func TestConversationsAreSearched(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	bells := b.Answered(t, "", "What did the foundry cast?")
	other := b.Answered(t, "", "Which submarine sank?")
	cited := strings.ToUpper(strings.Fields(bells.Citations[0].Text)[2])
	listed := func(p reply) (found []string) {
		for _, m := range []domain.ConversationID{bells.Conversation, other.Conversation} {
			if strings.Contains(p.body, `href="`+link.Conversation(m)) {
				found = append(found, string(m))
			}
		}
		return found
	}
	address := link.With(link.Ask, "find", cited)
	if got := listed(b.get(t, address)); !slices.Equal(got, []string{string(bells.Conversation)}) {
		t.Errorf("%s lists %v", address, got)
	}
	alone := b.get(t, link.With(link.Conversation(other.Conversation), "find", cited), "HX-Request", "true")
	if got := listed(alone); !slices.Equal(got, []string{string(bells.Conversation)}) || strings.Contains(alone.body, "<main") {
		t.Errorf("the list alone holds %v:\n%s", got, alone.body)
	}
	if to := alone.header.Get("HX-Replace-Url"); to != link.With(link.Conversation(other.Conversation), "find", cited) {
		t.Errorf("the address becomes %s", to)
	}
	if to := b.get(t, link.Ask+"?find=", "HX-Request", "true").header.Get("HX-Replace-Url"); to != link.Ask {
		t.Errorf("after an empty search the address becomes %s", to)
	}
	if p := b.get(t, link.Ask+"?find=zzz"); !strings.Contains(p.main(t), "No conversation contains all of these words.") {
		t.Error("nothing says that nothing was found")
	}
	if p := b.get(t, link.With(link.Ask, "find", strings.Repeat("a ", 500))); p.status != 200 {
		t.Errorf("a long search: %d", p.status)
	}
}

// TestAConversationIsRenamedPinnedAndExported does so by the forms of its page.
func TestAConversationIsRenamedPinnedAndExported(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "What did the foundry cast?")
	named := b.postAndFollow(t, link.RenameConversation(m.Conversation), url.Values{"title": {" The  bells "}})
	if !strings.Contains(named.body, "<title>The bells") {
		t.Error("the page has no other title")
	}
	if p := b.post(t, link.RenameConversation(m.Conversation), url.Values{"title": {strings.Repeat("b", 201)}}); p.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a long title: %d", p.status)
	}
	pinned := b.postAndFollow(t, link.PinConversation(m.Conversation), url.Values{"pinned": {"yes"}})
	if !strings.Contains(pinned.body, ">Pinned</h3>") || !strings.Contains(pinned.body, ">Unpin<") {
		t.Errorf("pinned: %s", pinned.main(t))
	}
	if p := b.postAndFollow(t, link.PinConversation(m.Conversation), nil); strings.Contains(p.body, ">Pinned</h3>") {
		t.Error("it stays pinned")
	}
	text := b.get(t, link.ConversationFile(m.Conversation, "md"))
	if text.header.Get("Content-Disposition") != "attachment; filename=the-bells.md" || !strings.HasPrefix(text.body, "# The bells\n") {
		t.Errorf("%s: %q", text.header.Get("Content-Disposition"), text.body)
	}
	if p := b.get(t, link.ConversationFile(m.Conversation, "json")); !strings.Contains(p.body, `"title": "The bells"`) || p.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: %s", p.header.Get("Content-Type"), p.body)
	}
}

// TestATurnIsAskedAgain edits the first of two questions without a script: the edited
// one begins a line of its own, in which the next question is asked, and from each line
// the other is reached.
func TestATurnIsAskedAgain(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	b.Read(t, "school.txt", "Agnes Lovibond taught at the school.")
	first := b.Answered(t, "", "What did the foundry cast?")
	b.Clock.Advance(time.Second)
	b.Answered(t, first.Conversation, "Which submarine sank?")
	b.Clock.Advance(time.Second)
	ask := link.AskAgain(first.Conversation, first.Message)

	refused := b.post(t, ask, url.Values{"edited": {"yes"}, "question": {"Who taught?"}, "within_name": {"#nobody"}})
	if refused.status != 422 || !strings.Contains(refused.body, "Who taught?</textarea>") || !strings.Contains(refused.main(t), "No document matches #nobody") {
		t.Errorf("a refused edit (%d) shows %s", refused.status, refused.main(t))
	}
	begun := b.post(t, ask, url.Values{"edited": {"yes"}, "question": {"Who taught?"}})
	all, err := b.Ledger.BranchesOf(t.Context(), testkit.Workspace, first.Message)
	if err != nil || len(all) != 1 || begun.status != 303 || begun.header.Get("Location") != link.BranchTurn(first.Conversation, first.Message, all[0].Branch) {
		t.Fatalf("%d branches, error %v; status %d to %s", len(all), err, begun.status, begun.header.Get("Location"))
	}
	b.Watch(t, all[0].Run)
	edited := b.get(t, link.Conversation(first.Conversation))
	said := edited.main(t)
	for _, want := range []string{"Who taught?", "Agnes Lovibond taught at the school", "As asked 1 later question", "Edited"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q: %s", want, said)
		}
	}
	if questions := headings(t, edited); !slices.Equal(questions, []string{"Who taught?"}) {
		t.Errorf("the line holds %q", questions)
	}
	as := b.get(t, link.TurnAt(first.Conversation, first.Message, ""))
	if questions := headings(t, as); !slices.Equal(questions, []string{first.Question, "Which submarine sank?"}) {
		t.Errorf("the line as asked holds %q", questions)
	}
	b.Clock.Advance(time.Second)
	next := b.postAndFollow(t, link.Ask, url.Values{"conversation": {string(first.Conversation)}, "follows": {string(all[0].Run)}, "question": {"And then?"}})
	if questions := headings(t, next); !slices.Equal(questions, []string{"Who taught?", "And then?"}) {
		t.Errorf("after the next question the line holds %q", questions)
	}
	b.Clock.Advance(time.Second)
	if p := b.post(t, link.OfBranch(ask, all[0].Branch), nil); p.status != 303 {
		t.Fatalf("asked again: %d %s", p.status, p.main(t))
	}
	if all, err = b.Ledger.BranchesOf(t.Context(), testkit.Workspace, first.Message); err != nil || len(all) != 2 || all[1].Question != "Who taught?" {
		t.Errorf("asked again: %+v, error %v", all, err)
	}
}

// headings returns the questions that a page shows.
func headings(t *testing.T, p reply) (all []string) {
	t.Helper()
	for _, n := range nodes(t, p.body, func(n *html.Node) bool { return attribute(n, "class") == "question" }) {
		all = append(all, text(n))
	}
	return all
}

// TestEveryTurnHasItsSteps opens the steps of the first of two answers.
func TestEveryTurnHasItsSteps(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	first := b.Answered(t, "", "What did the foundry cast?")
	b.Clock.Advance(time.Second)
	second := b.Answered(t, first.Conversation, "Which submarine sank?")
	for address, want := range map[string]domain.RunID{link.Conversation(first.Conversation): second.Run, link.TurnAt(first.Conversation, first.Message, ""): first.Run, link.TurnAt(first.Conversation, "gone", ""): second.Run} {
		p := b.get(t, address)
		if !strings.Contains(p.body, `data-of="`+string(want)+`"`) || !strings.Contains(p.body, `aria-current="true" data-steps="`+string(want)+`"`) {
			t.Errorf("%s does not show the steps of %s", address, want)
		}
	}
}

// TestAnAnswerIsJudgedOnItsPage says that an answer is bad, why, and takes it back.
func TestAnAnswerIsJudgedOnItsPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "What did the foundry cast?")
	judge := link.Judge(m.Conversation, m.Message)
	if p := b.postAndFollow(t, judge, url.Values{"good": {"no"}, "reason": {"It is too <b>short</b>."}}); !strings.Contains(p.body, `value="It is too &lt;b&gt;short&lt;/b&gt;."`) || !strings.Contains(p.body, `value="" aria-pressed="true" aria-label="A bad answer"`) {
		t.Error("the page does not show what was said")
	}
	part := b.post(t, judge, url.Values{"good": {"yes"}}, "HX-Request", "true")
	if part.status != 200 || !strings.HasPrefix(part.body, `<div class="judged"`) || !strings.Contains(part.body, `aria-pressed="true" aria-label="A good answer"`) {
		t.Errorf("the part (%d) is %s", part.status, part.body)
	}
	if p := b.post(t, judge, url.Values{"good": {"yes"}, "reason": {strings.Repeat("x", 501)}}); p.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a long reason: %d", p.status)
	}
	all, err := b.Ledger.Feedback(t.Context(), testkit.Workspace, 0)
	if err != nil || len(all) != 1 || !all[0].Good || all[0].Question != m.Question {
		t.Errorf("kept is %+v, error %v", all, err)
	}
	b.post(t, judge, nil)
	if all, err = b.Ledger.Feedback(t.Context(), testkit.Workspace, 0); err != nil || len(all) != 0 {
		t.Errorf("taken back, and kept is %+v, error %v", all, err)
	}
}

// TestAConversationIsMarkedForAllItsTurns, not for its last alone.
func TestAConversationIsMarkedForAllItsTurns(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "Which zebra galloped?")
	marked := func() bool {
		return strings.Contains(between(b.get(t, link.Ask).body, link.Conversation(m.Conversation)+`"`, "</li>"), "nothing close")
	}
	if !marked() {
		t.Error("a conversation without an answer is not marked")
	}
	b.Answered(t, m.Conversation, "What did the foundry cast?")
	b.Answered(t, m.Conversation, "Which zebra galloped?")
	if marked() {
		t.Error("a conversation with an answer is marked for its last question")
	}
}
