package ledgertest

import (
	"encoding/json"
	"testing"

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
			message := ledger.Message{ID: domain.MessageID(string(k) + m), Workspace: ws, Conversation: k, Answer: "Ada.", Run: domain.RunID(string(k) + m + "-run"), Status: status}
			must(t, b.addMessage(ctx, message))
			b.run(t, message.Run, "answer", string(message.ID))
			must(t, b.Ledger.SaveFeedback(ctx, ws, ledger.Feedback{Message: message.ID, Run: message.Run}))
			if i == 0 {
				b.addBranch(t, ledger.Branch{
					ID: domain.BranchID(string(k) + "-branch"), Workspace: ws, Message: message.ID, Run: domain.RunID(string(k) + "-fork"), Parent: message.Run,
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
	_, err := b.Ledger.UpdateBranch(ctx, ws, "k1-branch", func(b *ledger.Branch) { b.Status = ledger.MessageAnswering })
	must(t, err)
	wantKind(t, b.Ledger.DeleteConversation(ctx, ws, "k1"), domain.Conflict)
	_, err = b.Ledger.UpdateBranch(ctx, ws, "k1-branch", func(b *ledger.Branch) { b.Status = ledger.MessageStopped })
	must(t, err)
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
		said, err := b.Ledger.FeedbackOf(ctx, ws, "", domain.MessageID(k+"a"), domain.MessageID(k+"b"))
		must(t, err)
		if len(all) != 2*want || len(branches) != want || len(said) != 2*want {
			t.Errorf("conversation %s has %d messages, %d branches and feedback on %d left", k, len(all), len(branches), len(said))
		}
	}
	_, err = b.Ledger.Conversation(ctx, ws, "k1")
	wantKind(t, err, domain.NotFound)
}
