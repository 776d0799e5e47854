package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestAQuestionWaitsForTheSample asks a sample question in an empty library, before anything is read and after.
func TestAQuestionWaitsForTheSample(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	const question = "What did the foundry cast?"
	asks := url.Values{"question": {question}}
	p := b.post(t, "/sample", asks)
	waits := p.header.Get("Location")
	if waits != "/ask?q=What+did+the+foundry+cast%3F&when=read" {
		t.Fatalf("a sample question leads to %q", waits)
	}
	if p := b.post(t, "/ask", asks); p.header.Get("Location") != waits {
		t.Errorf("a question before anything is read leads to %d %q, want where it waits", p.status, p.header.Get("Location"))
	}
	said := b.get(t, waits)
	if !strings.Contains(said.main(t), "12 documents are still to be read.") || strings.Contains(said.body, "data-read") || !strings.Contains(said.body, `hx-trigger="every 1s"`) {
		t.Errorf("while the sample is read: %s", said.main(t))
	}
	for _, path := range []string{"/ask", waits} {
		if page := b.get(t, path).main(t); !strings.Contains(page, "No document has been read yet.") || strings.Contains(page, "Asking all") || strings.Contains(page, "library is empty") {
			t.Errorf("%s while nothing is read: %s", path, page)
		}
	}
	if home := b.get(t, "/"); !strings.Contains(home.main(t), "No document has been read yet.") || !strings.Contains(home.body, `part=reading`) || strings.Contains(home.body, `data-testid="try-question"`) {
		t.Errorf("the first page while nothing is read: %s", home.main(t))
	}
	now := b.post(t, "/ask", url.Values{"question": {question}, "now": {"yes"}})
	if to := now.header.Get("Location"); !strings.HasPrefix(to, "/ask/") {
		t.Errorf("asking now leads to %d %q", now.status, to)
	}
	b.Start(t)
	for _, d := range b.documents(t) {
		b.Settle(t, d)
	}
	if said := b.get(t, waits); !strings.Contains(said.body, "data-read") || strings.Contains(said.body, "every 1s") || !strings.Contains(said.main(t), "Asking all 12 documents.") {
		t.Errorf("once the sample is read: %s", said.main(t))
	}
	if to := b.post(t, "/ask", asks).header.Get("Location"); !strings.HasPrefix(to, "/ask/") {
		t.Errorf("once the sample is read, a question leads to %q", to)
	}
	if home := b.get(t, "/"); !strings.Contains(home.main(t), "Asking all 12 documents.") || strings.Contains(home.body, `part=reading`) || strings.Count(home.body, `data-testid="try-question"`) != 4 {
		t.Errorf("the first page once the sample is read: %s", home.main(t))
	}
}
