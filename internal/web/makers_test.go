package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
)

// made is what ada has made: an answer with a branch, a question that waits for her, and a draft.
type made struct {
	message, branch, asking ledger.Answer
	draft                   ledger.Summary
}

// as returns the context of what an account asks for.
func as(ctx context.Context, account string) context.Context {
	return domain.WithViewer(domain.WithPerson(domain.WithWorkspace(ctx, testkit.Workspace), account), domain.Viewer{Account: account})
}

// people opens a site with ada, an owner, and bob, a curator, and signs both in.
func people(t *testing.T) (ada, bob *bench) {
	t.Helper()
	b := open(t, testkit.Options{})
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
	testkit.Must(t, b.Auth.Add(here(t), "", "bob", "correct horse", domain.Curator))
	return b.as(b.another(t, "ada", "correct horse", "Firefox")), b.as(b.another(t, "bob", "correct horse", "Firefox"))
}

func (b *bench) makes(t *testing.T, account string) (m made) {
	t.Helper()
	ctx := as(t.Context(), account)
	b.Read(t, "foundry.txt", foundry)
	start := func(o questions.Options) ledger.Answer {
		a, err := b.Questions.Start(ctx, questions.Question{Workspace: testkit.Workspace, Text: "What did the foundry cast?", Options: o})
		testkit.Must(t, err)
		return a
	}
	m.message = start(questions.Options{})
	b.Watch(t, m.message.Run)
	m.asking = start(questions.Options{Review: true})
	b.WaitForSleep(t, m.asking.Run)
	var err error
	m.branch, err = b.Questions.Vary(ctx, questions.Variation{Workspace: testkit.Workspace, Message: m.message.Message, Purpose: questions.Again})
	testkit.Must(t, err)
	b.Watch(t, m.branch.Run)
	m.draft, err = b.Summaries.Start(ctx, summaries.Order{Workspace: testkit.Workspace, Whole: true, Length: "short", Review: true})
	testkit.Must(t, err)
	b.WaitForDraft(t, m.draft.ID)
	return m
}

// TestAnotherMemberFindsNothing sends every request with the id of a conversation, an answer, a branch, a run or a draft as
// a curator who did not make it: each is answered as for an id that does not exist.
func TestAnotherMemberFindsNothing(t *testing.T) {
	t.Parallel()
	ada, bob := people(t)
	m := ada.makes(t, "ada")
	none := made{
		message: ledger.Answer{Conversation: "k00000000000000000000", Message: "m00000000000000000000", Run: "run00000000000000000000"},
		branch:  ledger.Answer{Branch: "b00000000000000000000", Run: "run00000000000000000000"},
		asking:  ledger.Answer{Conversation: "k00000000000000000000", Message: "m00000000000000000000", Run: "run00000000000000000000"},
		draft:   ledger.Summary{ID: "s00000000000000000000", Run: "run00000000000000000000"},
	}
	form := url.Values{"question": {"Who?"}, "title": {"Mine"}, "good": {"yes"}, "hint": {"bells"}, "text": {"x"}, "pinned": {"yes"}, "edited": {"yes"}, "do": {"hint"}, "folder": {""}}
	walked := 0
	for _, p := range Pages() {
		theirs, unknown := addressesOf(p.Path, m), addressesOf(p.Path, none)
		for i, address := range theirs {
			walked++
			ask := func(b *bench, address string) reply {
				if p.Method == http.MethodGet {
					return b.get(t, address)
				}
				return b.post(t, address, form)
			}
			got, want := ask(bob, address), ask(bob, unknown[i])
			plain := func(r reply) string {
				text, _, _ := strings.Cut(r.main(t), "Request ID")
				for _, id := range ids(m, none) {
					text = strings.ReplaceAll(text, id, "ID")
				}
				return text
			}
			if got.status != want.status || plain(got) != plain(want) || got.status < 400 {
				t.Errorf("%s %s: status %d, %s\nof what does not exist: %d, %s", p.Method, address, got.status, plain(got), want.status, plain(want))
			}
			if p.Method == http.MethodGet && !strings.Contains(p.Path, "figure") && !strings.HasSuffix(p.Path, "/replay") {
				if r := ada.get(t, address); r.status >= 400 {
					t.Errorf("ada gets %s: %d %s", address, r.status, r.main(t))
				}
			}
		}
	}
	if walked < 40 {
		t.Errorf("only %d addresses were walked", walked)
	}
	for _, path := range []string{"/", "/ask", "/ask?find=foundry", "/runs", "/find?q=foundry", "/conversations", "/summaries", "/evaluation/questions"} {
		said := bob.get(t, path).body
		if strings.Contains(said, "did the foundry cast") || slices.ContainsFunc(ids(m), func(id string) bool { return strings.Contains(said, id) }) {
			t.Errorf("%s shows what ada made", path)
		}
	}
	if said := ada.get(t, "/ask").main(t); !strings.Contains(said, "What did the foundry cast?") {
		t.Errorf("ada sees %s", said)
	}
}

// ids returns what the pages must not name.
func ids(all ...made) (list []string) {
	for _, m := range all {
		list = append(list, string(m.message.Conversation), string(m.message.Message), string(m.message.Run), string(m.asking.Conversation), string(m.asking.Message),
			string(m.asking.Run), string(m.branch.Branch), string(m.branch.Run), string(m.draft.ID), string(m.draft.Run))
	}
	return slices.DeleteFunc(list, func(id string) bool { return id == "" })
}

// addressesOf returns a route with the ids of what somebody made, or nothing for a route that takes none.
func addressesOf(path string, m made) (all []string) {
	fill := func(id, message string) string {
		return strings.NewReplacer(":id", id, ":message", message, ":n", "1", ":figure", "call_0", ":format", map[bool]string{true: "md", false: "svg"}[strings.HasPrefix(path, "/ask")]).Replace(path)
	}
	switch {
	case strings.HasPrefix(path, "/ask/:id"):
		all = append(all, fill(string(m.message.Conversation), string(m.message.Message)))
		if strings.Contains(path, "/reply/") {
			all = append(all, fill(string(m.asking.Conversation), string(m.asking.Message)))
		}
	case strings.HasSuffix(path, "/state.json"), strings.HasSuffix(path, "/changes") && strings.HasPrefix(path, "/runs"), strings.HasSuffix(path, "/fork"):
		all = append(all, fill(string(m.message.Run), "")+"?step=1&row=1")
	case strings.HasPrefix(path, "/runs/:id"):
		for _, run := range []domain.RunID{m.message.Run, m.branch.Run, m.asking.Run, m.draft.Run} {
			if strings.HasSuffix(path, "/file") && run != m.message.Run {
				continue
			}
			all = append(all, fill(string(run), ""))
		}
	case strings.HasPrefix(path, "/branches/:id"):
		all = append(all, fill(string(m.branch.Branch), ""))
	case strings.HasPrefix(path, "/summaries/:id"):
		all = append(all, fill(string(m.draft.ID), ""))
	case path == "/compare":
		all = append(all, "/compare?left="+string(m.message.Run), "/compare?left="+string(m.message.Run)+"&right="+string(m.branch.Run))
	case path == "/graph":
		all = append(all, "/graph?answer="+string(m.message.Message))
	}
	return all
}
