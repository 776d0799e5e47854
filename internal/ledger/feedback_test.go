package ledger_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// changedConversations renames and pins: a pinned one is listed first, and neither
// makes a conversation look used.
func changedConversations(t *testing.T, b Bench) {
	ctx := t.Context()
	old := b.conversation(t, "k1")
	b.Clock.Advance(time.Minute)
	recent := b.conversation(t, "k2")
	b.Clock.Advance(time.Minute)
	must(t, b.Ledger.UpdateConversation(ctx, ws, "k1", func(c *ledger.Conversation) {
		c.Title, c.Pinned, c.ID, c.UpdatedAt = "Engines", true, "other", time.Time{}
	}))
	old.Title, old.Pinned = "Engines", true
	all, _, err := b.Ledger.Conversations(ctx, ws, 0, 0)
	must(t, err)
	if diff := cmp.Diff([]ledger.Conversation{old, recent}, all); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	one, err := b.Ledger.Conversation(ctx, ws, "k1")
	must(t, err)
	if diff := cmp.Diff(old, one); diff != "" {
		t.Errorf("one: -want +got\n%s", diff)
	}
	never := func(*ledger.Conversation) { t.Error("the change was called for a missing conversation") }
	wantKind(t, b.Ledger.UpdateConversation(ctx, ws, "gone", never), domain.NotFound)
	wantKind(t, b.Ledger.UpdateConversation(ctx, "another", "k1", never), domain.NotFound)
}

// searchedConversations finds words in titles, questions, answers and branches, in any
// case.
func searchedConversations(t *testing.T, b Bench) {
	ctx := t.Context()
	for _, k := range []domain.ConversationID{"k1", "k2", "k3"} {
		b.conversation(t, k)
		b.Clock.Advance(time.Second)
		must(t, b.addMessage(ctx, ledger.Answer{Message: domain.MessageID(k) + "m", Workspace: ws, Conversation: k, Question: "Who built it?", Run: domain.RunID(k)}))
	}
	_, err := b.updateMessage(ctx, "k1m", func(m *ledger.Answer) { m.Text = "Ärmel Öhler built 100% of it." })
	must(t, err)
	b.addBranch(t, ledger.Answer{Branch: "b1", Workspace: ws, Message: "k2m", Run: "r2", Question: "Who painted it?", Changes: json.RawMessage(`{}`)})
	_, err = b.updateBranch(ctx, "b1", func(b *ledger.Answer) { b.Text = "Ada, in Violet." })
	must(t, err)
	must(t, b.Ledger.UpdateConversation(ctx, ws, "k3", func(c *ledger.Conversation) { c.Title = "The Engine" }))
	for text, want := range map[string][]domain.ConversationID{
		"":                   {"k3", "k2", "k1"},
		"built":              {"k3", "k2", "k1"},
		"ÖHLER":              {"k1"},
		"ärmel  who":         {"k1"},
		"100%":               {"k1"},
		"1%0":                nil,
		"_":                  nil,
		"violet":             {"k2"},
		"PAINTED built":      {"k2"}, // in different answers of one conversation
		"engine":             {"k3"},
		"engine built":       {"k3"},
		"nobody":             nil,
		"engine öhler":       nil,
		"a b c d e f g h zz": nil, // the ninth word does not count, the others do
	} {
		found, err := b.Ledger.RecentConversations(ctx, ws, ledger.ConversationQuery{Text: text})
		must(t, err)
		var got []domain.ConversationID
		for _, c := range found {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -want +got\n%s", text, diff)
		}
	}
	found, err := b.Ledger.RecentConversations(ctx, ws, ledger.ConversationQuery{Text: "öhler built", Limit: 1})
	must(t, err)
	if len(found) != 1 || found[0].Match != (ledger.Match{Message: "k1m", Question: "Who built it?"}) {
		t.Errorf("got %+v", found)
	}
	if elsewhere, err := b.Ledger.RecentConversations(ctx, "another", ledger.ConversationQuery{Text: "built"}); err != nil || len(elsewhere) != 0 {
		t.Errorf("another workspace: %+v, error %v", elsewhere, err)
	}
}

// feedback is kept once for each person and answer, and goes with the answer.
func feedback(t *testing.T, b Bench) {
	ctx := t.Context()
	b.conversation(t, "k1")
	scope := domain.Scope{Tags: []string{"engines"}}
	must(t, b.addMessage(ctx, ledger.Answer{Message: "m1", Workspace: ws, Conversation: "k1", Question: "Who?", Scope: scope, Text: "Ada.", Run: "r1"}))
	b.addBranch(t, ledger.Answer{Branch: "b1", Workspace: ws, Message: "m1", Run: "r2", Question: "Who else?", Text: "Babbage.", Changes: json.RawMessage(`{}`)})
	must(t, b.Ledger.SaveFeedback(ctx, ws, ledger.Feedback{Run: "r1", Person: "ada", Reason: "wrong one"}))
	b.Clock.Advance(time.Second)
	said := ledger.Feedback{Run: "r1", Person: "ada", Good: true, Reason: "after all"}
	must(t, b.Ledger.SaveFeedback(ctx, ws, said))
	said.At = b.Clock.Now()
	b.Clock.Advance(time.Second)
	other := ledger.Feedback{Run: "r2", Person: "bob"}
	must(t, b.Ledger.SaveFeedback(ctx, ws, other))
	other.At = b.Clock.Now()

	all, err := b.Ledger.Feedback(ctx, ws, 0)
	must(t, err)
	want := []ledger.JudgedAnswer{
		{Feedback: other, Conversation: "k1", Message: "m1", Question: "Who else?", Text: "Babbage."},
		{Feedback: said, Conversation: "k1", Message: "m1", Question: "Who?", Scope: scope, Text: "Ada."},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("all: -want +got\n%s", diff)
	}
	if last, err := b.Ledger.Feedback(ctx, ws, 1); err != nil || len(last) != 1 || last[0].Run != "r2" {
		t.Errorf("the last: %+v, error %v", last, err)
	}
	of, err := b.Ledger.FeedbackOf(ctx, ws, "ada", "r1", "r2", "gone")
	must(t, err)
	if diff := cmp.Diff(map[domain.RunID]ledger.Feedback{"r1": said}, of); diff != "" {
		t.Errorf("of a person: -want +got\n%s", diff)
	}

	wantKind(t, b.Ledger.SaveFeedback(ctx, ws, ledger.Feedback{Run: "gone"}), domain.NotFound)
	wantKind(t, b.Ledger.SaveFeedback(ctx, "another", said), domain.NotFound)
	must(t, b.Ledger.DeleteFeedback(ctx, "another", "r1", "ada"))
	must(t, b.Ledger.DeleteFeedback(ctx, ws, "r1", "bob"))
	if elsewhere, err := b.Ledger.Feedback(ctx, "another", 0); err != nil || len(elsewhere) != 0 {
		t.Errorf("another workspace: %+v, error %v", elsewhere, err)
	}
	left := func(want int) {
		t.Helper()
		if all, err := b.Ledger.Feedback(ctx, ws, 0); err != nil || len(all) != want {
			t.Errorf("left are %+v, error %v, want %d", all, err, want)
		}
	}
	left(2)
	must(t, b.Ledger.DeleteFeedback(ctx, ws, "r1", "ada"))
	left(1)
	must(t, b.Ledger.DeleteBranch(ctx, ws, "b1"))
	left(0)
}
