package web

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
)

// TestASharedConversationIsReadCopiedAndTakenBack shares a conversation, reads it as another member, asks further in a copy,
// and takes it back while the other's page is open.
func TestASharedConversationIsReadCopiedAndTakenBack(t *testing.T) {
	t.Parallel()
	ada, bob := people(t)
	m := ada.makes(t, "ada")
	talk := "/ask/" + string(m.message.Conversation)
	if p := ada.get(t, talk); !strings.Contains(p.body, talk+"/share") {
		t.Errorf("nothing shares the conversation: %s", p.main(t))
	}
	if p := ada.post(t, talk+"/share", nil); p.status != 303 {
		t.Fatalf("share: %d %s", p.status, p.main(t))
	}
	p := bob.get(t, talk)
	said := p.main(t)
	if p.status != 200 || !strings.Contains(said, "Shared by ada") || !strings.Contains(said, "Ask further") || strings.Contains(said, "Ask again") || strings.Contains(p.body, "/judge/") {
		t.Errorf("bob reads %d %s", p.status, said)
	}
	for _, path := range []string{"/runs/" + string(m.message.Run), talk + "/source/" + string(m.message.Message) + "/1", talk + "/file/md", "/runs/" + string(m.message.Run) + "/file"} {
		if p := bob.get(t, path); p.status != 200 {
			t.Errorf("%s: %d %s", path, p.status, p.main(t))
		}
	}
	for path, form := range map[string]url.Values{
		talk + "/rename": {"title": {"Mine"}}, talk + "/pin": {"pinned": {"yes"}}, talk + "/delete": nil, talk + "/unshare": nil, talk + "/again/" + string(m.message.Message): nil,
		talk + "/judge/" + string(m.message.Message): {"good": {"yes"}}, "/ask": {"question": {"Who?"}, "conversation": {string(m.message.Conversation)}},
		"/runs/" + string(m.message.Run) + "/stop": nil, "/runs/" + string(m.message.Run) + "/replay": nil, "/branches/" + string(m.branch.Branch) + "/delete": nil,
	} {
		if p := bob.post(t, path, form); p.status != 403 {
			t.Errorf("POST %s: %d %s", path, p.status, p.main(t))
		}
	}
	if p := bob.get(t, "/ask/"+string(m.asking.Conversation)); p.status != 404 {
		t.Errorf("what is not shared: %d", p.status)
	}
	if said := bob.get(t, "/conversations").main(t); !strings.Contains(said, "Shared with you") || !strings.Contains(said, "by ada") {
		t.Errorf("bob's conversations: %s", said)
	}
	if said := ada.get(t, talk).main(t); !strings.Contains(said, "Others have opened it 1 time.") {
		t.Errorf("ada sees %s", said)
	}

	p = bob.post(t, talk+"/copy", url.Values{"question": {"Who wrote of it?"}})
	copied, _, _ := strings.Cut(p.header.Get("Location"), "#")
	if p.status != 303 || copied == talk || !strings.HasPrefix(copied, "/ask/k") {
		t.Fatalf("ask further: %d %s %s", p.status, copied, p.main(t))
	}
	said = bob.get(t, copied).main(t)
	if !strings.Contains(said, "What did the foundry cast?") || !strings.Contains(said, "Who wrote of it?") || !strings.Contains(said, "foundry.txt") {
		t.Errorf("the copy: %s", said)
	}
	if p := ada.get(t, copied); p.status != 404 {
		t.Errorf("ada reads bob's copy: %d", p.status)
	}

	if p := ada.post(t, talk+"/unshare", nil); p.status != 303 {
		t.Errorf("take back: %d", p.status)
	}
	if p := bob.get(t, talk); p.status != 404 {
		t.Errorf("what is taken back: %d %s", p.status, p.main(t))
	}
	if p := bob.get(t, copied); p.status != 200 {
		t.Errorf("the copy goes too: %d", p.status)
	}
}

// TestOneAnswerIsShared shares an answer of a conversation, which others can't read, reads it as another member, and takes
// it back.
func TestOneAnswerIsShared(t *testing.T) {
	t.Parallel()
	ada, bob := people(t)
	m := ada.makes(t, "ada")
	share := "/runs/" + string(m.message.Run) + "/share"
	talk := "/ask/" + string(m.message.Conversation)
	if p := ada.get(t, talk); !strings.Contains(p.body, share) {
		t.Errorf("nothing shares the answer: %s", p.main(t))
	}
	if p := bob.post(t, share, nil); p.status != 404 {
		t.Errorf("bob shares ada's: %d", p.status)
	}
	for range 2 {
		if p := ada.post(t, share, nil); p.status != 303 {
			t.Fatalf("share: %d %s", p.status, p.main(t))
		}
	}
	all, err := ada.Questions.Shared(as(here(t), "ada"))
	if err != nil || len(all) != 1 || all[0].Answer != m.message.Run {
		t.Fatalf("shared: %+v, %v", all, err)
	}
	id := string(all[0].ID)
	if said := ada.get(t, "/conversations").main(t); !strings.Contains(said, "one answer, opened 0 times") || !strings.Contains(said, "/ask/"+id) {
		t.Errorf("ada's list: %s", said)
	}
	p := bob.get(t, "/ask/"+id)
	said := p.main(t)
	if p.status != 200 || !strings.Contains(said, "One answer, kept as it was then.") || !strings.Contains(said, "What did the foundry cast?") || !strings.Contains(said, "foundry.txt") || strings.Contains(said, "Ask again") {
		t.Errorf("bob reads %d %s", p.status, said)
	}
	if p := bob.get(t, talk); p.status != 404 {
		t.Errorf("bob reads the conversation: %d", p.status)
	}
	if p := ada.get(t, "/ask/"+id); p.status != 303 || !strings.Contains(p.header.Get("Location"), talk) {
		t.Errorf("the link leads ada to %d %q", p.status, p.header.Get("Location"))
	}
	if p := bob.post(t, "/ask/"+id+"/unshare", nil); p.status != 403 {
		t.Errorf("bob takes it back: %d", p.status)
	}
	if p := ada.post(t, "/ask/"+id+"/unshare", nil); p.status != 303 {
		t.Errorf("take back: %d %s", p.status, p.main(t))
	}
	if p := bob.get(t, "/ask/"+id); p.status != 404 {
		t.Errorf("what is taken back: %d", p.status)
	}
}

// TestAStreamEndsWithTheShare takes back a conversation while another member watches a run of it.
func TestAStreamEndsWithTheShare(t *testing.T) {
	t.Parallel()
	ada, bob := people(t)
	ctx, m := as(t.Context(), "ada"), ada.makes(t, "ada").asking // whose run goes on once she replies
	testkit.Must(t, ada.Ledger.ShareConversation(ctx, testkit.Workspace, m.Conversation))
	s := bob.stream(t, "/runs/"+string(m.Run)+"/events")
	testkit.Must(t, ada.Ledger.UnshareConversation(ctx, testkit.Workspace, m.Conversation))
	for {
		if _, ok := s.next(); !ok {
			break
		}
	}
	if p := bob.get(t, "/runs/"+string(m.Run)+"/events"); p.status != 404 {
		t.Errorf("a new stream: %d", p.status)
	}
}

// TestAnAdminDeletesWithoutReading lets an admin count and delete what another member asked.
func TestAnAdminDeletesWithoutReading(t *testing.T) {
	t.Parallel()
	ada, bob := people(t)
	m := bob.makes(t, "bob")
	said := ada.get(t, "/conversations").main(t)
	if !strings.Contains(said, "Of each person") || !strings.Contains(said, "bob") || !strings.Contains(said, "2 conversations") || strings.Contains(said, "What did the foundry cast?") {
		t.Errorf("ada sees %s", said)
	}
	if said := bob.get(t, "/conversations").main(t); strings.Contains(said, "Of each person") {
		t.Errorf("a curator sees %s", said)
	}
	if p := bob.post(t, "/conversations/clear", url.Values{"person": {"bob"}}); p.status != 403 {
		t.Errorf("a curator clears: %d", p.status)
	}
	testkit.Must(t, ada.Queue.Stop(t.Context(), testkit.Workspace, m.asking.Run))
	ada.Watch(t, m.asking.Run)
	if p := ada.post(t, "/conversations/clear", url.Values{"person": {"bob"}}); p.status != 303 {
		t.Errorf("clear: %d %s", p.status, p.main(t))
	}
	if _, err := ada.Ledger.Conversation(t.Context(), testkit.Workspace, m.message.Conversation); domain.KindOf(err) != domain.NotFound {
		t.Errorf("after that: %v", err)
	}
}

func TestFoldersOnTheirPage(t *testing.T) {
	t.Parallel()
	ada, bob := people(t)
	m := ada.makes(t, "ada")
	if p := ada.post(t, "/conversations/folders", url.Values{"name": {"Bells"}}); p.status != 303 {
		t.Fatalf("make: %d %s", p.status, p.main(t))
	}
	if p := ada.post(t, "/conversations/folders", url.Values{"name": {"Bells"}}); p.status != 409 || !strings.Contains(p.main(t), "already a folder") {
		t.Errorf("make it twice: %d %s", p.status, p.main(t))
	}
	move := url.Values{"conversations": {string(m.message.Conversation), string(m.asking.Conversation)}, "folder": {"Bells"}}
	if p := bob.post(t, "/conversations/move", move); p.status != 404 {
		t.Errorf("bob moves: %d", p.status)
	}
	if p := ada.post(t, "/conversations/move", move); p.status != 303 {
		t.Errorf("move: %d %s", p.status, p.main(t))
	}
	if said := ada.get(t, "/ask").main(t); strings.Count(said, "in Bells") < 2 {
		t.Errorf("the list: %s", said)
	}
	p := ada.get(t, "/conversations")
	folder := regexp.MustCompile(`/conversations\?folder=\w+`).FindString(p.body)
	if said := ada.get(t, folder).main(t); !strings.Contains(said, "2 conversations") {
		t.Errorf("%s: %s", folder, said)
	}
	if p := bob.get(t, folder); p.status != 404 {
		t.Errorf("bob opens it: %d", p.status)
	}
	id := strings.TrimPrefix(folder, "/conversations?folder=")
	if p := ada.post(t, "/conversations/folders/"+id+"/delete", nil); p.status != 303 {
		t.Errorf("delete: %d", p.status)
	}
	if said := ada.get(t, "/ask").main(t); strings.Contains(said, "in Bells") || !strings.Contains(said, "What did the foundry cast?") {
		t.Errorf("after that: %s", said)
	}
}
