package measure

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/builtin"
	graph "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

func answerParams(t testing.TB) AnswerParams {
	t.Helper()
	p := params(t)
	g, ok := p.Stores.Graph.(*graph.Store)
	if !ok {
		t.Fatalf("the graph is a %T", p.Stores.Graph)
	}
	return AnswerParams{Params: p, Library: g, Roles: builtin.Answering(g, nearest.Ranker{}, nil, nil, 0), MaxLoops: 3}
}

// asking is the small folder with questions without needless words.
func asking() folder {
	f := small()
	f.questions[1].Question, f.questions[1].Answer = "In which town was the quarry of the builder of Weir Bridge?", "Tarnwick"
	return f
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	f := asking()
	f.questions = append(f.questions, asked{ID: "q3", Question: "Who sells beer?", Gold: []string{"p4"}}) // its answer isn't known
	got, err := Answers(t.Context(), answerParams(t), f.writeWithoutVectors(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.Replies {
		t.Logf("%s: %s %v", r.Question, r.Answer, r.Cited)
	}
	if got.Questions != 3 || got.Answered != 2 || got.Right != 2 || got.AllGold != 2 || got.Good != 2 { // no word of the third is in a text as it is asked
		t.Errorf("%+v", got)
	}
	if got.Blind != 0 {
		t.Errorf("answered without what is needed: %+v", got.Blinded)
	}
}

// TestAnswersSeeOnlyTexts changes the ids and the order of passages and
// questions and swaps the answers: the replies stay the same.
func TestAnswersSeeOnlyTexts(t *testing.T) {
	t.Parallel()
	f := asking()
	want := repliesOf(t, f)
	slices.Reverse(f.passages)
	for i := range f.passages {
		f.passages[i].ID = fmt.Sprint("x", i)
	}
	for i := range f.questions {
		f.questions[i].ID = fmt.Sprint("y", i)
		f.questions[i].Answer = "nothing of the kind"
		f.questions[i].Gold = []string{"x0"}
	}
	if diff := cmp.Diff(want, repliesOf(t, f)); diff != "" {
		t.Errorf("other ids and answers gave other replies (-want +got)\n%s", diff)
	}
}

func repliesOf(t *testing.T, f folder) map[string]string {
	t.Helper()
	s, err := Answers(t.Context(), answerParams(t), f.writeWithoutVectors(t))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range s.Replies {
		out[r.Question] = r.Answer
	}
	return out
}

func TestAnswersReportMissingFiles(t *testing.T) {
	t.Parallel()
	_, err := Answers(t.Context(), answerParams(t), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "passages.jsonl.gz") {
		t.Errorf("%v", err)
	}
}

func TestScoreAnswers(t *testing.T) {
	t.Parallel()
	open := []Reply{
		{Answer: "She was born in Karsholm, in 1830. [1]", Answered: true, Cited: []string{"a", "b"}, Took: 3 * time.Millisecond},
		{Answer: "It was sold to Lund. [1]", Answered: true, Cited: []string{"a", "x"}, Took: time.Millisecond},
		{Answer: "Both were Danes. [1]", Answered: true, Cited: []string{"c"}, Took: 2 * time.Millisecond},
		{Answer: answer.SaysNothing},
	}
	blind := []Reply{{}, {Answered: true}, {}, {}}
	judgements := []Judgement{
		{Answer: "the Karsholm", Gold: []string{"a", "b"}},
		{Answer: "Oslo", Aliases: []string{"Kristiania"}, Gold: []string{"a", "b"}},
		{Answer: "yes", Gold: []string{"c"}},
		{Answer: "1812", Gold: []string{"d"}},
	}
	got := scoreAnswers(open, blind, judgements)
	got.Replies, got.Blinded = nil, nil
	want := AnswerScore{Questions: 4, Answered: 3, YesNo: 1, Right: 1, OneGold: 3, AllGold: 2, Good: 2, Blind: 1, P50: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("score (-want +got)\n%s", diff)
	}
	if got := scoreAnswers(nil, nil, nil); got.P50 != 0 || got.Answered != 0 {
		t.Errorf("no question: %+v", got)
	}
}

func TestHoldsWholeWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer, text string
		want         bool
	}{
		{"Lund", "Sold to Lund.", true},
		{"Lund", "Sold to Lundqvist.", false},
		{"a quarry", "He owned the quarry.", true},
		{"March 11, 2011", "It came out on March 11, 2011, in Pittsburgh.", true},
		{"Read It and Weep", "In \"Read it and weep\" she …", true},
		{"", "Anything", false},
	} {
		if got := (Judgement{Answer: tt.answer}).holds(tt.text); got != tt.want {
			t.Errorf("%q holds %q: %v", tt.text, tt.answer, got)
		}
	}
}
