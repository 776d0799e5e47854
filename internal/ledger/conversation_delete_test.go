package ledger_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// deletesConversations deletes one of two conversations: its messages go, with
// their branches and all that the runs have left, and nothing of the other.
func deletesConversations(t *testing.T, b Bench) {
	ctx := t.Context()
	status := ledger.MessageDone
	for _, k := range []domain.ConversationID{"k1", "k2"} {
		b.conversation(t, k)
		for i, m := range []string{"a", "b"} {
			message := ledger.Answer{Message: domain.MessageID(string(k) + m), Workspace: ws, Conversation: k, Text: "Ada.", Run: domain.RunID(string(k) + m + "-run"), Status: status}
			must(t, b.addMessage(ctx, message))
			b.run(t, message.Run, "answer", string(message.Message))
			must(t, b.Ledger.SaveFeedback(ctx, ws, ledger.Feedback{Run: message.Run}))
			if i == 0 {
				b.addBranch(t, ledger.Answer{
					Branch: domain.BranchID(string(k) + "-branch"), Workspace: ws, Message: message.Message, Run: domain.RunID(string(k) + "-fork"), Parent: message.Run,
					Status: status, Changes: json.RawMessage(`{}`),
				})
			}
		}
		for _, run := range []domain.RunID{domain.RunID(k + "a-run"), domain.RunID(k + "b-run"), domain.RunID(k + "-fork")} {
			must(t, b.Ledger.SaveModelCall(ctx, string(run), domain.CallOwner{Workspace: ws, Run: run}, answer("Ada")))
			b.event(t, run, 1, `{}`)
			b.thread(t, run)
		}
	}
	wantKind(t, b.Ledger.DeleteConversation(ctx, ws, "gone"), domain.NotFound)
	_, err := b.updateBranch(ctx, "k1-branch", func(b *ledger.Answer) { b.Status = ledger.MessageAnswering })
	must(t, err)
	wantKind(t, b.Ledger.DeleteConversation(ctx, ws, "k1"), domain.Conflict)
	_, err = b.updateBranch(ctx, "k1-branch", func(b *ledger.Answer) { b.Status = ledger.MessageStopped })
	must(t, err)
	hiddenForAWhile(t, b)
	must(t, b.Ledger.DeleteConversation(ctx, ws, "k1"))
	for k, want := range map[domain.ConversationID]int{"k1": 0, "k2": 1} {
		for _, run := range []domain.RunID{domain.RunID(k + "a-run"), domain.RunID(k + "b-run"), domain.RunID(k + "-fork")} {
			if got := b.leavings(t, run); got != 4*want {
				t.Errorf("run %s: %d of its row, events, thread and calls are left, want %d", run, got, 4*want)
			}
		}
		all, err := b.Ledger.Messages(ctx, ws, k)
		must(t, err)
		branches, err := b.Ledger.BranchesOf(ctx, ws, domain.MessageID(k+"a"))
		must(t, err)
		said, err := b.Ledger.FeedbackOf(ctx, ws, "", domain.RunID(k+"a-run"), domain.RunID(k+"b-run"))
		must(t, err)
		if len(all) != 2*want || len(branches) != want || len(said) != 2*want {
			t.Errorf("conversation %s has %d messages, %d branches and feedback on %d left", k, len(all), len(branches), len(said))
		}
	}
	_, err = b.Ledger.Conversation(ctx, ws, "k1")
	wantKind(t, err, domain.NotFound)
}

// hiddenForAWhile hides k1 and takes that back, and then hides k3, which goes once its time is over.
func hiddenForAWhile(t *testing.T, b Bench) {
	ctx := t.Context()
	b.conversation(t, "k3")
	must(t, b.addMessage(ctx, ledger.Answer{Message: "k3a", Workspace: ws, Conversation: "k3", Question: "Which guild?", Text: "Ada.", Run: "k3a-run", Status: ledger.MessageDone}))
	b.run(t, "k3a-run", "answer", "k3a")
	listed := func() (ids []domain.ConversationID) {
		all, total, err := b.Ledger.Conversations(ctx, ws, 0, 0)
		must(t, err)
		recent, err := b.Ledger.RecentConversations(ctx, ws, ledger.ConversationQuery{})
		must(t, err)
		if total != len(all) || len(recent) != len(all) {
			t.Errorf("%d conversations are listed, %d are recent, of %d", len(all), len(recent), total)
		}
		for _, k := range all {
			ids = append(ids, k.ID)
		}
		return ids
	}
	before := listed()
	for _, k := range []domain.ConversationID{"k1", "k3"} {
		until := b.Clock.Now().Add(10 * time.Second)
		must(t, b.Ledger.HideConversation(ctx, ws, k, until))
		must(t, b.Ledger.DeleteHiddenConversations(ctx, ws)) // there is time left
		_, err := b.Ledger.Conversation(ctx, ws, k)
		wantKind(t, err, domain.NotFound)
		wantKind(t, b.Ledger.HideConversation(ctx, ws, k, until), domain.NotFound)
		wantKind(t, b.addMessage(ctx, ledger.Answer{Message: "late", Workspace: ws, Conversation: k, Run: "late"}), domain.NotFound)
		if at, err := b.Ledger.HiddenUntil(ctx, ws, k); !at.Equal(until) || err != nil {
			t.Errorf("%s is hidden until %s, want %s; error %v", k, at, until, err)
		}
		if now := listed(); slices.Contains(now, k) || len(now) != len(before)-1 {
			t.Errorf("without %s there are %v", k, now)
		}
		must(t, b.Ledger.ShowConversation(ctx, ws, k))
		wantKind(t, b.Ledger.ShowConversation(ctx, ws, k), domain.Conflict)
		if at, err := b.Ledger.HiddenUntil(ctx, ws, k); !at.IsZero() || err != nil {
			t.Errorf("shown again, %s is hidden until %s, error %v", k, at, err)
		}
		if now := listed(); !slices.Equal(now, before) {
			t.Errorf("after the undo there are %v, before it %v", now, before)
		}
	}
	must(t, b.Ledger.HideConversation(ctx, ws, "k3", b.Clock.Now().Add(10*time.Second)))
	b.Clock.Advance(10 * time.Second)
	wantKind(t, b.Ledger.ShowConversation(ctx, ws, "k3"), domain.Conflict)
	_, err := b.updateMessage(ctx, "k3a", func(m *ledger.Answer) { m.Status = ledger.MessageAnswering })
	must(t, err)
	must(t, b.Ledger.DeleteHiddenConversations(ctx, ws)) // its run is not over: later
	_, err = b.updateMessage(ctx, "k3a", func(m *ledger.Answer) { m.Status = ledger.MessageStopped })
	must(t, err)
	must(t, b.Ledger.DeleteHiddenConversations(ctx, ws))
	if at, err := b.Ledger.HiddenUntil(ctx, ws, "k3"); !at.IsZero() || err != nil {
		t.Errorf("k3 is hidden until %s, error %v", at, err)
	}
	if left := b.leavings(t, "k3a-run"); left != 0 {
		t.Errorf("%d of the run's row, events, thread and calls are left", left)
	}
}
