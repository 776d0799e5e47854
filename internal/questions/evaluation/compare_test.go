package evaluation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	reply := func(id string, v Verdict, more ...func(*Reply)) Reply {
		r := Reply{ID: domain.QuestionID(id), Question: Question{Text: id, Answers: []string{"a"}}, Figures: Figures{Verdict: v, Millis: 1000, Spent: Spent{Cost: 10_000}}}
		for _, f := range more {
			f(&r)
		}
		return r
	}
	slow := func(r *Reply) { r.Millis, r.Cost = 2800, 30_000 }
	a := Evaluation{Score: Score{Replies: []Reply{reply("same", Right), reply("refused", Refused), reply("lost", Right), reply("odd", Wrong), reply("gone", Right), reply("open", "")}}}
	b := Evaluation{Facts: Facts{Schema: 5}, Score: Score{Replies: []Reply{
		reply("odd", Failed, slow), reply("same", Right, slow), reply("refused", Right, slow), reply("lost", Wrong, slow), reply("open", Right),
		reply("gone", Right, func(r *Reply) { r.Answers = []string{"b"} }), reply("new", Right),
	}}}
	c := Compare(a, b)
	var order []string
	for _, p := range c.Pairs {
		order = append(order, p.Text+" "+string(p.Change))
	}
	if diff := cmp.Diff([]string{"lost worse", "refused better", "odd same", "same same"}, order); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if c.Alone != 4 || c.Differ() != 3 || c.A.Score.Right != 2 || c.B.Score.Right != 2 || c.A.Score.Questions != 4 { // gone twice, open, new
		t.Errorf("got %+v", c)
	}
	if got, want := c.Says("USD"), "B does better on 1 question and worse on 1 other. It costs $0.080 more. Its median time is 1.8 s longer."; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	if len(c.Differs) != 1 || c.Differs[0].String() != "schema none → 5" {
		t.Errorf("differs in %v", c.Differs)
	}
	if got := Compare(a, a).Says("USD"); got != "Both answer equally well: no verdict is better or worse." {
		t.Errorf("with itself: %q", got)
	}
	if got := Compare(a, Evaluation{}).Says("USD"); got != "The two have no questions in common, so there is nothing to compare." {
		t.Errorf("with none: %q", got)
	}
}
