package web

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
)

// TestAskSuggestsWhatDocumentsAnswer shows a question of a person's own document until
// it was asked.
func TestAskSuggestsWhatDocumentsAnswer(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Start(t)
	const question = "Why is the ferry Patience moored in the inner harbour?"
	b.Read(t, "ferry.txt", "The ferry Patience is moored in the inner harbour because the outer harbour freezes. Dogs travel free.\n")
	if page := b.get(t, "/ask").main(t); !strings.Contains(page, question) || !strings.Contains(page, "ferry.txt") {
		t.Errorf("the page says %s", page)
	}
	b.Answered(t, "", question)
	if page := b.get(t, "/ask").main(t); strings.Contains(page, "ferry.txt") {
		t.Errorf("what was asked is suggested: %s", page)
	}
}
