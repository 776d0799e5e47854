package ledger_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func viewer(t *testing.T, account string) context.Context {
	t.Helper()
	return domain.WithViewer(domain.WithPerson(t.Context(), account), domain.Viewer{Account: account})
}

func wants(t *testing.T, what string, err error, kind domain.Kind) {
	t.Helper()
	if err == nil || domain.KindOf(err) != kind {
		t.Errorf("%s: %v, want %v", what, err, kind)
	}
}

// begun stores a conversation of an account with two questions, a minute apart.
func (b Bench) begun(t *testing.T, account string, id domain.ConversationID) {
	t.Helper()
	ctx := viewer(t, account)
	first := ledger.Answer{Workspace: ws, Conversation: id, Message: domain.MessageID("m1" + id), Run: domain.RunID("r1" + id), Question: "Who cast it?", Status: ledger.MessageDone, Text: "The foundry."}
	must(t, b.Ledger.AddAnswerTx(ctx, &ledger.Conversation{ID: id, Workspace: ws, Title: "Bells"}, first, nothing))
	b.Clock.Advance(time.Minute)
	second := first
	second.Message, second.Run, second.Follows, second.CreatedAt = domain.MessageID("m2"+id), domain.RunID("r2"+id), first.Run, time.Time{}
	must(t, b.Ledger.AddAnswerTx(ctx, nil, second, nothing))
}

func makers(t *testing.T, b Bench) {
	b.begun(t, "ada", "k1")
	ada, bob := viewer(t, "ada"), viewer(t, "bob")
	_, err := b.Ledger.Conversation(bob, ws, "k1")
	_, unknown := b.Ledger.Conversation(bob, ws, "k9")
	wants(t, "read", err, domain.NotFound)
	if diff := cmp.Diff("There is no conversation k1 here. It may have been deleted.", domain.InWords(err)); diff != "" || unknown == nil {
		t.Error(diff)
	}
	_, err = b.Ledger.Answer(bob, ws, "r1k1")
	wants(t, "read an answer", err, domain.NotFound)
	_, err = b.Ledger.Message(bob, ws, "m1k1")
	wants(t, "read a message", err, domain.NotFound)
	wants(t, "rename", b.Ledger.UpdateConversation(bob, ws, "k1", func(*ledger.Conversation) {}), domain.NotFound)
	wants(t, "delete", b.Ledger.DeleteConversation(bob, ws, "k1"), domain.NotFound)
	wants(t, "hide", b.Ledger.HideConversation(bob, ws, "k1", b.Clock.Now().Add(time.Hour)), domain.NotFound)
	wants(t, "share", b.Ledger.ShareConversation(bob, ws, "k1"), domain.NotFound)
	wants(t, "judge", b.Ledger.SaveFeedback(bob, ws, ledger.Feedback{Run: "r1k1"}), domain.NotFound)
	wants(t, "ask", b.Ledger.AddAnswerTx(bob, nil, ledger.Answer{Workspace: ws, Conversation: "k1", Message: "m3", Run: "r3"}, nothing), domain.NotFound)
	wants(t, "branch", b.Ledger.AddAnswerTx(bob, nil, ledger.Answer{Workspace: ws, Message: "m1k1", Branch: "b3", Run: "r3"}, nothing), domain.NotFound)
	for name, query := range map[string]ledger.ConversationQuery{"all": {}, "searched": {Text: "foundry"}} {
		found, err := b.Ledger.RecentConversations(bob, ws, query)
		must(t, err)
		mine, err := b.Ledger.RecentConversations(ada, ws, query)
		must(t, err)
		everything, err := b.Ledger.RecentConversations(t.Context(), ws, query)
		must(t, err)
		if len(found) != 0 || len(mine) != 1 || len(everything) != 1 {
			t.Errorf("%s: bob sees %d, ada %d, who runs commands %d", name, len(found), len(mine), len(everything))
		}
	}
	made, err := b.Ledger.Makers(bob, ws)
	must(t, err)
	if diff := cmp.Diff([]ledger.Made{{Maker: "ada", Conversations: 1, UpdatedAt: b.Clock.Now()}}, made); diff != "" {
		t.Error(diff)
	}
}

func shared(t *testing.T, b Bench) {
	b.begun(t, "ada", "k1")
	ada, bob := viewer(t, "ada"), viewer(t, "bob")
	must(t, b.Ledger.ShareConversation(ada, ws, "k1"))
	b.Clock.Advance(time.Minute)
	must(t, b.Ledger.AddAnswerTx(ada, nil, ledger.Answer{Workspace: ws, Conversation: "k1", Message: "m3", Run: "r3", Question: "And later?"}, nothing))
	seen, err := b.Ledger.Answers(bob, ws, "k1")
	must(t, err)
	if len(seen) != 2 || seen[1].Message != "m2k1" {
		t.Errorf("bob reads %+v", seen)
	}
	_, err = b.Ledger.Answer(bob, ws, "r3")
	wants(t, "read what was asked later", err, domain.NotFound)
	wants(t, "ask further", b.Ledger.AddAnswerTx(bob, nil, ledger.Answer{Workspace: ws, Conversation: "k1", Message: "m4", Run: "r4"}, nothing), domain.Forbidden)
	wants(t, "judge", b.Ledger.SaveFeedback(bob, ws, ledger.Feedback{Run: "r1k1"}), domain.Forbidden)
	wants(t, "take back", b.Ledger.UnshareConversation(bob, ws, "k1"), domain.Forbidden)
	if list, err := b.Ledger.RecentConversations(bob, ws, ledger.ConversationQuery{}); err != nil || len(list) != 0 {
		t.Errorf("among bob's own: %+v, %v", list, err)
	}
	must(t, b.Ledger.NoteOpened(bob, ws, "k1"))
	if all, err := b.Ledger.SharedConversations(bob, ws); err != nil || len(all) != 1 || all[0].Opened != 1 || all[0].Maker != "ada" {
		t.Errorf("shared: %+v, %v", all, err)
	}
	later, err := b.Ledger.AskedSinceShared(ada, ws, "k1", "k9")
	must(t, err)
	if diff := cmp.Diff(map[domain.ConversationID]int{"k1": 1}, later); diff != "" {
		t.Error(diff)
	}
	must(t, b.Ledger.UnshareConversation(ada, ws, "k1"))
	_, err = b.Ledger.Conversation(bob, ws, "k1")
	wants(t, "read what is no longer shared", err, domain.NotFound)
}

// sharedAnswers share copies of answers, which go with them.
func sharedAnswers(t *testing.T, b Bench) {
	b.begun(t, "ada", "k1")
	ada, bob := viewer(t, "ada"), viewer(t, "bob")
	share := func(id domain.ConversationID, run domain.RunID) {
		k := ledger.Conversation{ID: id, Workspace: ws, Title: "Who cast it?", SharedAt: b.Clock.Now(), AnswerOf: run}
		must(t, b.Ledger.AddCopy(ada, k, nil))
	}
	share("k2", "r1k1")
	for what, ctx := range map[string]context.Context{"ada": ada, "who runs commands": t.Context()} {
		for _, query := range []ledger.ConversationQuery{{}, {Text: "cast"}} {
			if list, err := b.Ledger.RecentConversations(ctx, ws, query); err != nil || len(list) != 1 || list[0].ID != "k1" {
				t.Errorf("%s lists %+v, %v", what, list, err)
			}
		}
	}
	wants(t, "ask further", b.Ledger.AddAnswerTx(ada, nil, ledger.Answer{Workspace: ws, Conversation: "k2", Message: "m3", Run: "r3"}, nothing), domain.Conflict)
	k, err := b.Ledger.Conversation(bob, ws, "k2")
	must(t, err)
	if of, err := b.Ledger.ShareOf(ada, ws, "r1k1"); err != nil || of.ID != "k2" || k.AnswerOf != "r1k1" {
		t.Errorf("shares %+v, %v", of, err)
	}
	if asked, err := b.Ledger.AskedBy(ada, ws, time.Time{}); err != nil || asked["ada"] != 2 {
		t.Errorf("asked %v, %v", asked, err)
	}
	must(t, b.Ledger.HideConversation(ada, ws, "k1", b.Clock.Now().Add(time.Hour)))
	_, err = b.Ledger.Conversation(bob, ws, "k2")
	wants(t, "read the answer of a hidden conversation", err, domain.NotFound)
	must(t, b.Ledger.ShowConversation(ada, ws, "k1"))
	_, err = b.Ledger.Conversation(bob, ws, "k2")
	must(t, err)
	must(t, b.Ledger.DeleteConversation(ada, ws, "k1"))
	_, err = b.Ledger.Conversation(bob, ws, "k2")
	wants(t, "read the answer of a deleted conversation", err, domain.NotFound)
}

func folders(t *testing.T, b Bench) {
	b.begun(t, "ada", "k1")
	b.begun(t, "bob", "k2")
	b.conversation(t, "k3") // everybody's
	ada, bob := viewer(t, "ada"), viewer(t, "bob")
	must(t, b.Ledger.AddFolder(ada, ledger.Folder{Workspace: ws, ID: "o1", Name: "Bells"}))
	wants(t, "add it twice", b.Ledger.AddFolder(ada, ledger.Folder{Workspace: ws, ID: "o2", Name: "Bells"}), domain.Conflict)
	must(t, b.Ledger.AddFolder(bob, ledger.Folder{Workspace: ws, ID: "o3", Name: "Bells"}))
	wants(t, "rename another's", b.Ledger.RenameFolder(bob, ws, "o1", "Mine"), domain.NotFound)
	wants(t, "delete another's", b.Ledger.DeleteFolder(bob, ws, "o1"), domain.NotFound)
	wants(t, "move into another's", b.Ledger.MoveConversations(bob, ws, "o1", []domain.ConversationID{"k2"}), domain.NotFound)
	wants(t, "move another's", b.Ledger.MoveConversations(ada, ws, "o1", []domain.ConversationID{"k1", "k2"}), domain.NotFound)
	wants(t, "move everybody's", b.Ledger.MoveConversations(ada, ws, "o1", []domain.ConversationID{"k3"}), domain.Conflict)
	if list, err := b.Ledger.RecentConversations(ada, ws, ledger.ConversationQuery{Folder: "o1"}); err != nil || len(list) != 0 {
		t.Errorf("half of a move was made: %+v, %v", list, err)
	}
	must(t, b.Ledger.MoveConversations(ada, ws, "o1", []domain.ConversationID{"k1"}))
	all, err := b.Ledger.Folders(ada, ws)
	must(t, err)
	if len(all) != 1 || all[0].Holds != 1 || all[0].Name != "Bells" {
		t.Errorf("ada's folders: %+v", all)
	}
	list, err := b.Ledger.RecentConversations(ada, ws, ledger.ConversationQuery{Folder: "o1"})
	must(t, err)
	if len(list) != 1 || list[0].In != "Bells" {
		t.Errorf("in the folder: %+v", list)
	}
	must(t, b.Ledger.DeleteFolder(ada, ws, "o1"))
	if list, err := b.Ledger.RecentConversations(ada, ws, ledger.ConversationQuery{Text: "foundry"}); err != nil || len(list) != 1 || list[0].Folder != "" {
		t.Errorf("without its folder: %+v, %v", list, err)
	}
}

// left removes an account: nobody reads what it made, and an account of its name that is made later doesn't either.
func left(t *testing.T, b Bench) {
	must(t, b.Ledger.AddAccount(t.Context(), ws, "ada", "h", domain.Owner))
	must(t, b.Ledger.AddAccount(t.Context(), ws, "bob", "h", domain.Curator))
	b.begun(t, "bob", "k1")
	must(t, b.Ledger.ShareConversation(viewer(t, "bob"), ws, "k1"))
	must(t, b.Ledger.SetSetting(t.Context(), ws, ledger.ColumnsOf("bob"), "[]"))
	must(t, b.Ledger.AddSource(t.Context(), ledger.Source{Workspace: domain.DefaultWorkspace, ID: "s1", Kind: "feed", Address: "https://example.org", Person: "bob", Limited: true}, 1))
	must(t, b.Ledger.AddWebhook(t.Context(), ledger.Webhook{Workspace: domain.DefaultWorkspace, ID: "w1", URL: "https://example.org", Person: "bob"}, 1))
	must(t, b.Ledger.RemoveAccount(t.Context(), "bob"))
	if value, set, err := b.Ledger.Setting(t.Context(), ws, ledger.ColumnsOf("bob")); set || err != nil {
		t.Errorf("the columns of a removed account are %s, %v", value, err)
	}
	if sources, err := b.Ledger.Sources(domain.WithReader(t.Context(), "bob"), domain.DefaultWorkspace); err != nil || len(sources) != 0 {
		t.Errorf("another bob has sources %+v, %v", sources, err)
	}
	if hooks, err := b.Ledger.Webhooks(t.Context(), domain.DefaultWorkspace); err != nil || len(hooks) != 1 || hooks[0].Person != ledger.Nobody {
		t.Errorf("the webhooks are %+v, %v", hooks, err)
	}
	for _, account := range []string{"ada", "bob", ""} {
		_, err := b.Ledger.Conversation(viewer(t, account), ws, "k1")
		wants(t, "read as "+account, err, domain.NotFound)
	}
	ids, err := b.Ledger.MadeBy(t.Context(), ws, ledger.Nobody)
	must(t, err)
	if diff := cmp.Diff([]domain.ConversationID{"k1"}, ids); diff != "" {
		t.Error(diff)
	}
	must(t, b.Ledger.EraseConversation(viewer(t, "ada"), ws, "k1"))
	wants(t, "erase it twice", b.Ledger.EraseConversation(viewer(t, "ada"), ws, "k1"), domain.NotFound)
}
