package partial_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/partial"
)

// TestEmphasisOfAnAnswer sets what a model put between asterisks, and leaves other asterisks alone.
func TestEmphasisOfAnAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The *Orrin Courier* was first.":   "The <em>Orrin Courier</em> was first.",
		"**Two pence** on each <cart>.":    "<strong>Two pence</strong> on each &lt;cart&gt;.",
		"It is 2*3*4, or 2 * 3 * 4.":       "It is 2*3*4, or 2 * 3 * 4.",
		"One * alone, and **unequal* too.": "One * alone, and **unequal* too.",
		"*First* and *second*.":            "<em>First</em> and <em>second</em>.",
	} {
		var b strings.Builder
		props := partial.TurnProps{Status: partial.TurnDone, Sentences: []domain.Sentence{{Text: text, Supported: true}}}
		if err := partial.Answer(props).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, ">"+want+"<") {
			t.Errorf("%q is set as %s", text, got)
		}
	}
}
