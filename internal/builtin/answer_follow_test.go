package builtin_test

import (
	"context"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// TestCompletesWhatAQuestionLeavesOut asks on after other questions.
func TestCompletesWhatAQuestionLeavesOut(t *testing.T) {
	t.Parallel()
	graph := known{{Key: "ada moen", Name: "Ada Moen", Label: "Person"}, {Key: "lark", Name: "Lark", Label: domain.UnknownLabel}}
	for _, tt := range []struct{ before, said, question, want string }{
		{"When was Ada Moen born?", "", "And where?", "Where was Ada Moen born?"},
		{"When was she born?", "Ada Moen was born in 1890.", "And where?", "Where was Ada Moen born?"},
		{"When was Ada Moen born?", "", "Where exactly?", "Where exactly was Ada Moen born?"},
		{"When was Ada Moen born?", "", "And her brother?", "When was Ada Moen's brother born?"},
		{"Where does Ada Moen live?", "", "Since when?", "Since when does Ada Moen live?"},
		{"When was the quay at Orsen built?", "", "By whom?", "By whom was the quay at Orsen built?"},
		{"When was the quay at Orsen built?", "", "And the lighthouse?", "When was the lighthouse built?"},
		{"Who built the Lark?", "", "And when?", "When was the Lark built?"},
		{"Who built the Lark?", "", "Why?", "Why was the Lark built?"},
		{"Who built the quay?", "", "And the Lark?", "Who built the Lark?"},
		{"Who built the quay?", "", "Who else?", "Who else built the quay?"},
		{"Is the Lark a boat?", "", "Why?", "Why is the Lark a boat?"},
		{"When was Ada Moen born?", "", "And in Vik?", "When was Ada Moen born in Vik?"},
		{"Wann wurde Ada Moen geboren?", "", "Und wo?", "Wo wurde Ada Moen geboren?"},
		{"Quand est née Ada Moen ?", "", "Et où ?", "Où est née Ada Moen?"},
		{"¿Cuándo nació Ada Moen?", "", "¿Y dónde?", "Dónde nació Ada Moen?"},
		{"Quando è nata Ada Moen?", "", "E dove?", "Dove è nata Ada Moen?"},
		{"When was Ada Moen born?", "", "Who built the quay?", "Who built the quay?"},
		{"When was Ada Moen born?", "", "Thanks.", "Thanks."},
		{"When was Ada Moen born?", "", "?", "?"},
	} {
		history := []answer.Exchange{{Question: tt.before, Answer: tt.said}}
		got, err := builtin.Answering(graph, nearest.Ranker{}, nil, nil, 0).Condenser.Condense(context.Background(), asked(tt.question), history, silent)
		if err != nil || got != tt.want {
			t.Errorf("%q after %q asks %q, %v; want %q", tt.question, tt.before, got, err, tt.want)
		}
	}
	chain := []answer.Exchange{{Question: "When was Ada Moen born?"}, {Question: "And where?"}, {Question: "When?"}}
	if got, _ := builtin.Answering(graph, nearest.Ranker{}, nil, nil, 0).Condenser.Condense(context.Background(), asked("And where?"), chain, silent); got != "Where was Ada Moen born?" {
		t.Errorf("after several: %q", got)
	}
}
