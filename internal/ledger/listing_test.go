package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func documentLists(t *testing.T, b Bench) {
	ctx := t.Context()
	ids := map[domain.DocumentID]bool{}
	for i, status := range []domain.DocumentStatus{
		domain.DocumentReady, domain.DocumentReady, domain.DocumentWaiting, domain.DocumentWorking, domain.DocumentFailed, domain.DocumentEmpty, domain.DocumentReady,
	} {
		d := b.add(t, ws, fmt.Sprintf("d%d", i), "Ada met Babbage.")
		ids[d.ID] = true
		_, err := b.Ledger.UpdateDocument(ctx, ws, d.ID, func(d *domain.Document) { d.Status, d.Reader, d.Name = status, "old", fmt.Sprintf("d%d", i) })
		must(t, err)
		if i == 6 {
			_, err := b.Ledger.UpdateDocument(ctx, ws, d.ID, func(d *domain.Document) { d.Format = domain.FormatGraph })
			must(t, err)
		}
		if i == 0 {
			retag(t, b, ws, d.ID, []string{"people", "engines"})
		}
		if i == 2 {
			retag(t, b, ws, d.ID, []string{"people"})
		}
		b.Clock.Advance(time.Second)
	}
	b.add(t, "other", "elsewhere", "Ada met Babbage.")

	names := func(docs []domain.Document, err error) (names []string) {
		t.Helper()
		must(t, err)
		for _, d := range docs {
			names = append(names, d.Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"d6", "d5", "d3", "d2"}, names(b.Ledger.UnsettledDocuments(ctx, ws, 2))); diff != "" {
		t.Errorf("unsettled: -want +got\n%s", diff)
	}
	all, _, err := b.Ledger.Documents(ctx, ws, ledger.DocumentQuery{})
	must(t, err)
	first := all[len(all)-1].ID
	if diff := cmp.Diff([]string{"d0"}, names(b.Ledger.DocumentsByID(ctx, ws, []domain.DocumentID{first, "nobody"}))); diff != "" {
		t.Errorf("by id: -want +got\n%s", diff)
	}
	// An imported graph is the same for every extractor, so it is never outdated.
	for reader, want := range map[string]int{"old": 0, "new": 3} {
		must(t, b.Ledger.Propose(ctx, ws, []ledger.Proposal{{A: "ada", B: "babbage"}}))
		if c, err := b.Ledger.CountDocuments(ctx, ws, reader); c.Outdated != want || c.All() != 7 || c.Pairs != 1 || err != nil {
			t.Errorf("got %d documents, %d of them outdated for %s, want %d; %d pairs; error %v", c.All(), c.Outdated, reader, want, c.Pairs, err)
		}
	}
	n, byTag, err := b.Ledger.CountReadable(ctx, ws)
	must(t, err)
	if diff := cmp.Diff(map[string]int{"people": 1, "engines": 1}, byTag); diff != "" || n != 4 {
		t.Errorf("got %d readable, want 4; by tag (-want +got)\n%s", n, diff)
	}
}

// allUnread reads one of two documents, and deletes it.
func allUnread(t *testing.T, b Bench) {
	ctx := t.Context()
	expect := func(when string, want bool) {
		t.Helper()
		if got, err := b.Ledger.AllUnread(ctx, ws); got != want || err != nil {
			t.Errorf("%s: all unread is %t, want %t, error %v", when, got, want, err)
		}
	}
	set := func(d domain.DocumentID, status domain.DocumentStatus) {
		t.Helper()
		_, err := b.Ledger.UpdateDocument(ctx, ws, d, func(d *domain.Document) { d.Status = status })
		must(t, err)
	}
	expect("without documents", false)
	one, two := b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage met Ada.")
	set(one.ID, domain.DocumentWaiting)
	set(two.ID, domain.DocumentWorking)
	b.add(t, "other", "elsewhere", "Ada met Babbage.")
	expect("while two are read", true)
	set(one.ID, domain.DocumentFailed)
	expect("after one has failed", false)
	_, err := b.Ledger.DeleteDocument(ctx, ws, one.ID)
	must(t, err)
	expect("after that one was deleted", true)
}

func messageLists(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "Ada met Babbage.")
	cite := []domain.Citation{{N: 1, Document: "one", DocumentID: d.ID, Text: "Ada met Babbage.", Span: domain.Span{End: 16}}}
	chart := []domain.Figure{{ID: "f", Status: domain.FigureDone, Chart: &domain.Chart{Title: "Bells", Citations: cite}}}
	counted := []domain.Figure{{ID: "g", Status: domain.FigureDone, Chart: &domain.Chart{Title: "Entities"}}}
	failed := []domain.Figure{{ID: "h", Task: `a "chart":{} of what`, Status: domain.FigureFailed}}
	for _, k := range []domain.ConversationID{"k1", "k2", "k3", "k4", "k5", "k6"} {
		b.conversation(t, k)
	}
	for _, m := range []ledger.Answer{
		{Message: "m1", Conversation: "k1", Question: "Who?", Run: "r1"},
		{Message: "m2", Conversation: "k1", Question: "Where?", Run: "r2", Status: ledger.MessageDone, Citations: cite, Figures: chart},
		{Message: "m3", Conversation: "k2", Question: "When?", Run: "r3", Status: ledger.MessageFailed},
		{Message: "m4", Conversation: "k3", Question: "How many?", Run: "r4", Status: ledger.MessageDone, Figures: counted},
		{Message: "m5", Conversation: "k3", Question: "And whose?", Run: "r5", Status: ledger.MessageDone},
		{Message: "m6", Conversation: "k4", Question: "Who?", Run: "r6", Status: ledger.MessageDone, Citations: cite},
		{Message: "m7", Conversation: "k4", Question: "Why?", Run: "r7", Status: ledger.MessageDone},
		{Message: "m8", Conversation: "k5", Question: `A "chart":{} of what?`, Run: "r8", Status: ledger.MessageDone, Figures: failed},
	} {
		m.Workspace = ws
		b.Clock.Advance(time.Second)
		must(t, b.addMessage(ctx, m))
	}
	all, _, err := b.Ledger.Conversations(ctx, ws, 0, 0)
	must(t, err)
	want := make([]ledger.RecentConversation, len(all))
	for i, c := range all {
		want[i].Conversation = c
		switch c.ID {
		case "k1":
			want[i].Status, want[i].Found = ledger.MessageDone, true
		case "k2":
			want[i].Status = ledger.MessageFailed
		case "k3", "k4": // by an earlier message
			want[i].Status, want[i].Found = ledger.MessageDone, true
		case "k5":
			want[i].Status = ledger.MessageDone
		}
	}
	for n := range 7 {
		got, err := b.Ledger.RecentConversations(ctx, ws, ledger.ConversationQuery{Limit: n})
		must(t, err)
		if n == 0 {
			n = len(want)
		}
		if diff := cmp.Diff(want[:n], got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the last %d: -want +got\n%s", n, diff)
		}
	}
	whatCameOfIt(t, b)
	b.wantAsked(t, ledger.ByMessage, []string{"m1", "m3", "nothing"}, "Who? of k1, m1", "When? of k2, m3")
}

// whatCameOfIt changes the answered conversations of messageLists, at the time of their
// last message: the list follows.
func whatCameOfIt(t *testing.T, b Bench) {
	ctx := t.Context()
	status := func(id domain.ConversationID) ledger.MessageStatus {
		t.Helper()
		list, err := b.Ledger.RecentConversations(ctx, ws, ledger.ConversationQuery{})
		must(t, err)
		for _, c := range list {
			if c.ID == id {
				return c.Status
			}
		}
		t.Fatalf("%s is not listed", id)
		return ""
	}
	must(t, b.addMessage(ctx, ledger.Answer{Message: "m9", Workspace: ws, Conversation: "k4", Question: "Again?", Run: "r9", Status: ledger.MessageWaiting}))
	if got := status("k4"); got != ledger.MessageWaiting {
		t.Errorf("after another question the conversation is %q", got)
	}
	for _, want := range []ledger.MessageStatus{ledger.MessageDone, ledger.MessageAnswering, ledger.MessageDone} {
		_, err := b.updateMessage(ctx, "m9", func(m *ledger.Answer) { m.Status = want })
		must(t, err)
		for range 2 {
			if got := status("k4"); got != want {
				t.Errorf("after a change the conversation is %q, want %q", got, want)
			}
		}
	}
}

func eventLists(t *testing.T, b Bench) {
	ctx := t.Context()
	want := map[domain.RunID][]ledger.EventRow{}
	for _, run := range []domain.RunID{"r1", "r2"} {
		b.run(t, run, "answer", "m1")
		rows := []ledger.EventRow{{Seq: 1, At: b.Clock.Now(), JSON: []byte(`{"of":"` + string(run) + `"}`)}, {Seq: 2, At: b.Clock.Now(), JSON: []byte(`{}`)}}
		must(t, b.Ledger.AppendEvents(ctx, ws, run, rows))
		one, err := b.Ledger.Events(ctx, ws, run, 0)
		must(t, err)
		want[run] = one
	}
	got, err := b.Ledger.EventsOf(ctx, ws, []domain.RunID{"r2", "r1", "nothing"})
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, err = b.Ledger.EventsOf(ctx, "other", []domain.RunID{"r1"}); len(got) != 0 || err != nil {
		t.Errorf("another workspace: got events %v, error %v", got, err)
	}
}

func summaryLists(t *testing.T, b Bench) {
	ctx := t.Context()
	kept, changed := b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage built an engine.")
	b.Clock.Advance(time.Minute)
	of := []ledger.SummaryDocument{{ID: changed.ID, Hash: "h"}, {ID: kept.ID, Hash: "h"}}
	must(t, b.addSummary(ctx, ledger.Summary{ID: "s1", Workspace: ws, Documents: of, Sentences: []domain.Sentence{{Text: "They met."}}}))
	must(t, b.addSummary(ctx, ledger.Summary{ID: "s2", Workspace: ws, Documents: of[1:]}))
	b.Clock.Advance(time.Minute)
	_, err := b.Ledger.UpdateDocument(ctx, ws, changed.ID, func(d *domain.Document) { d.Title = "Engines" })
	must(t, err)

	heads, err := b.Ledger.SummaryHeads(ctx, ws, []domain.SummaryID{"s1", "s2", "nothing"})
	must(t, err)
	all, _, err := b.Ledger.Summaries(ctx, ws, 0, 0)
	must(t, err)
	byID := cmpopts.SortSlices(func(a, b ledger.Summary) bool { return a.ID < b.ID })
	if diff := cmp.Diff(all, heads, byID, cmpopts.IgnoreFields(ledger.Summary{}, "Sentences")); diff != "" || heads[0].Sentences != nil {
		t.Errorf("heads: -want +got\n%s", diff)
	}
	for id, want := range map[domain.SummaryID]map[domain.DocumentID]string{
		"s1": {changed.ID: domain.Hash([]byte("Babbage built an engine."))}, "s2": {},
	} {
		got, err := b.Ledger.RewrittenTexts(ctx, ws, []domain.SummaryID{id})
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("texts of %s: -want +got\n%s", id, diff)
		}
	}
}
