package evaluation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
)

func TestReadQuestions(t *testing.T) {
	t.Parallel()
	got, err := Read(strings.NewReader("\ufeffQuestion,answers,sources,note\n\"Who cast it, and when?\",Ferring; Maud Ferring,a.txt;b.txt,x\nWho sank?,,,\n"))
	want := []Question{
		{Text: "Who cast it, and when?", Sources: []string{"a.txt", "b.txt"}, Answers: []string{"Ferring", "Maud Ferring"}},
		{Text: "Who sank?", Sources: []string{}, Answers: []string{}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
	for file, says := range map[string]string{
		"": "empty", "text,sources\na,b\n": "no column named question", "question,sources\n,b\n": "Line 2: The question is empty",
		"question,sources\na\n": "could not be read",
	} {
		if _, err := Read(strings.NewReader(file)); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	known, bySource, unknown := Question{Answers: []string{"Maud Ferring"}}, Question{Sources: []string{"a.txt"}}, Question{}
	cites := []domain.Citation{{Document: "a.txt"}}
	both := Question{Sources: []string{"a.txt", "b.txt"}}
	bothSaid := Question{Sources: both.Sources, Answers: known.Answers}
	citesBoth := append(cites, domain.Citation{Document: "b.txt"})
	for i, tt := range []struct {
		q    Question
		r    answer.Result
		want Verdict
	}{
		{known, answer.Result{Answered: true, Answer: "It was maud FERRING. [1]"}, Right},
		{known, answer.Result{Answered: true, Answer: "It was Maud Ferringham."}, Wrong},
		{known, answer.Result{Answer: "Nothing says it."}, Refused},
		{bySource, answer.Result{Answered: true, Citations: cites}, Right},
		{bySource, answer.Result{Answered: true}, Wrong},
		{both, answer.Result{Answered: true, Citations: cites}, Half},
		{both, answer.Result{Answered: true, Citations: citesBoth}, Right},
		{both, answer.Result{Answered: true}, Wrong},
		{bothSaid, answer.Result{Answered: true, Answer: "Ann Lee.", Citations: cites}, Half},
		{bothSaid, answer.Result{Answered: true, Answer: "Ann Lee.", Citations: citesBoth}, Wrong},
		{bothSaid, answer.Result{Answered: true, Answer: "Maud Ferring.", Citations: cites}, Right},
		{unknown, answer.Result{}, RefusedRightly},
		{unknown, answer.Result{Answered: true, Citations: cites}, Wrong},
	} {
		if got := verdict(tt.q, tt.r); got != tt.want {
			t.Errorf("case %d: %s, want %s", i, got, tt.want)
		}
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	s := Sum([]Reply{
		{Question: Question{Sources: []string{"a", "b"}}, Figures: Figures{Verdict: Right, Ranks: []int{1, 6}, Millis: 30, Tokens: 2, Spent: Spent{Cost: 40}}},
		{Question: Question{Sources: []string{"a"}}, Figures: Figures{Verdict: Refused, Ranks: []int{0}, Millis: 10}},
		{Question: Question{Sources: []string{"c"}}, Figures: Figures{Verdict: Wrong, Ranks: []int{5}, Millis: 20, Spent: Spent{Unpriced: true}}},
		{Figures: Figures{Verdict: RefusedRightly, Ranks: []int{}, Millis: 40, Tokens: 3, Spent: Spent{Cost: 2}}},
		{Question: Question{Answers: []string{"d"}}, Figures: Figures{Verdict: Right, Millis: 1, Resumed: true}},
		{Question: Question{Answers: []string{"e"}}, Figures: Figures{Verdict: Failed, Millis: 90}},
		{Question: Question{Answers: []string{"f"}}, Figures: Figures{Verdict: Half, Resumed: true}},
		{Question: Question{Answers: []string{"not asked"}}},
	})
	want := Score{
		Questions: 7, Recall: 0.5, Sources: 4, Right: 2, Half: 1, Wrong: 1, Refused: 1, RefusedRightly: 1, ToRefuse: 1, Failed: 1, P50: 20, P95: 40, Tokens: 5,
		Spent: Spent{Cost: 42, Unpriced: true},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
