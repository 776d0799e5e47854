package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/views/partial"
)

// wantTooMany checks that a refusal says when to come back.
func wantTooMany(t *testing.T, what string, p reply, says string) {
	t.Helper()
	if p.status != 429 || p.header.Get("Retry-After") != "30" || !strings.Contains(p.body, says) {
		t.Errorf("%s: status %d, Retry-After %q, %q", what, p.status, p.header.Get("Retry-After"), p.main(t))
	}
}

func TestOneQuestionTooMany(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.Questions.MaxWaiting = 1
	b.start(t, "What did the foundry cast?")
	asked := url.Values{"question": {"Who wrote of it?"}}
	p := b.post(t, "/ask", asked)
	wantTooMany(t, "a form", p, "1 of your questions wait")
	if !strings.Contains(p.body, "Who wrote of it?") {
		t.Error("the question has to be typed again")
	}
	wantTooMany(t, "a script", b.post(t, "/ask", asked, "Accept", "application/json"), "1 of your questions wait")
}

func TestOneDocumentTooMany(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.Documents.MaxWaiting = 2
	files := []upload{{"a.txt", "Agnes."}, {"b.txt", "Bert."}, {"c.txt", "Cora."}}
	p := b.send(t, files, "Accept", "application/json")
	wantTooMany(t, "a script", p, "2 of your documents wait")
	var outcomes []string
	for _, r := range results(t, p) {
		outcomes = append(outcomes, r.Outcome)
	}
	if len(outcomes) != 3 || outcomes[0] != partial.UploadAdded || outcomes[1] != partial.UploadAdded || outcomes[2] != partial.UploadRefused {
		t.Errorf("outcomes %v", outcomes)
	}
	p = b.send(t, files[2:])
	wantTooMany(t, "a form", p, "2 of your documents wait")
	wantTooMany(t, "pasted text", b.post(t, "/documents/text", url.Values{"text": {"Dora."}}), "2 of your documents wait")
	if n := len(b.documents(t)); n != 2 {
		t.Errorf("%d documents, want 2", n)
	}
}
