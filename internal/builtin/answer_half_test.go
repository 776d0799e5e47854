package builtin_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/answertest"
)

// TestHalfAChainIsToldAsHalf asks for two steps of which only one is in the documents.
func TestHalfAChainIsToldAsHalf(t *testing.T) {
	t.Parallel()
	shelf := answertest.Of(
		"Henrike Aldous designed Copper Bridge for foot passengers only. The bridge crosses the river.",
		"Marta Kowalska translated the novel Salt Roads into Polish. Anton Weiss wrote Salt Roads.",
		"The Drapers' Benefit Society paid for the repair of Weir Bridge in 1924.",
		"Weir Bridge was painted green.",
		"Primary keeper: Jan Mercl, Tarnlab at Osterby. The project has a source.",
		"Ingrid Solberg directed the film Northern Lights in 1962.",
	)
	for _, tt := range []struct{ question, told, rest string }{
		{"Who paid for the repair of the bridge that Henrike Aldous designed?", "Henrike Aldous designed Copper Bridge for foot passengers only.", "Who paid for the repair of Copper Bridge"},
		{"Who illustrated the novel that Anton Weiss wrote?", "Anton Weiss wrote Salt Roads.", "Who illustrated Salt Roads"},
		{"Where was the director of Northern Lights born?", "", ""}, // goes on behind what it describes
		{"Who painted the portrait of the director of Northern Lights?", "Ingrid Solberg directed the film Northern Lights in 1962.", "Who painted the portrait of Ingrid Solberg"},
		{"Who paid for the repair of the tunnel that Henrike Aldous designed?", "", ""}, // nothing says that it is a tunnel
		{"Who paid for the repair of the bridge that Ann Lee designed?", "", ""},
		{"Where is the source of the project whose primary keeper is Jan Mercl?", "", ""}, // nothing says that Tarnlab is a project
		{"Who illustrated Salt Roads?", "", ""}, // one step
	} {
		r := ask(t, shelf, tt.question)
		said, want := r.Answer, answer.SaysNotOutright
		if tt.told != "" {
			want = tt.told + " [1]\n\n" + tt.rest + answer.SaysRest
		}
		if r.Answered || said != want {
			t.Errorf("%s\nanswered %v: %q\nwant %q", tt.question, r.Answered, said, want)
		}
		if told := len(r.Citations) == 1; told != (tt.told != "") || told && !strings.Contains(tt.told, r.Citations[0].Text) {
			t.Errorf("%s: cites %+v", tt.question, r.Citations)
		}
	}
}
