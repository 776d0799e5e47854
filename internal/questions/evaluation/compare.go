package evaluation

import (
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A Change is the difference between the verdicts on two replies.
type Change string

// The changes.
const (
	Better Change = "better"
	Worse  Change = "worse"
	Same   Change = "same"
)

// A Pair is a question with two replies to it.
type Pair struct {
	Question
	ID     domain.QuestionID `json:"id"`
	A      Reply             `json:"a"`
	B      Reply             `json:"b"`
	Change Change            `json:"change"`
}

// A Comparison sets two evaluations side by side, over the questions that both have
// asked with the same expectations.
type Comparison struct {
	A       Evaluation   `json:"a"` // scored only over the pairs
	B       Evaluation   `json:"b"`
	Pairs   []Pair       `json:"pairs"` // those that differ first, the rest in the order of A
	Alone   int          `json:"alone"` // questions asked by only one of them, or changed in between
	Differs []Difference `json:"differences"`
}

// worth orders verdicts. Saying nothing is better than a wrong answer, and half an answer better than none.
var worth = map[Verdict]int{Right: 3, RefusedRightly: 3, Found: 3, Half: 2, Refused: 1, NotFound: 1}

func change(a, b Verdict) Change {
	switch d := worth[b] - worth[a]; {
	case d > 0:
		return Better
	case d < 0:
		return Worse
	}
	return Same
}

// Compare compares two evaluations with their replies.
func Compare(a, b Evaluation) Comparison {
	c := Comparison{Pairs: []Pair{}, Differs: a.Differences(b)}
	of := map[domain.QuestionID]Reply{}
	for _, r := range b.Score.Replies {
		if r.Verdict != "" {
			of[r.ID] = r
		}
	}
	asked := len(of)
	for _, left := range a.Score.Replies {
		right, ok := of[left.ID]
		if left.Verdict != "" {
			asked++
		}
		if left.Verdict == "" || !ok || !left.same(right.Question) {
			continue
		}
		c.Pairs = append(c.Pairs, Pair{Question: left.Question, ID: left.ID, A: left, B: right, Change: change(left.Verdict, right.Verdict)})
	}
	c.Alone = asked - 2*len(c.Pairs)
	slices.SortStableFunc(c.Pairs, func(x, y Pair) int { return x.order() - y.order() })
	c.A, c.B = a.over(c.Pairs, func(p Pair) Reply { return p.A }), b.over(c.Pairs, func(p Pair) Reply { return p.B })
	return c
}

// order sorts regressions first, then improvements, then other differences.
func (p Pair) order() int {
	switch {
	case p.Change == Worse:
		return 0
	case p.Change == Better:
		return 1
	case p.A.Verdict != p.B.Verdict:
		return 2
	}
	return 3
}

func (q Question) same(other Question) bool {
	return q.Text == other.Text && slices.Equal(q.Sources, other.Sources) && slices.Equal(q.Answers, other.Answers)
}

// over returns the evaluation scored over pairs.
func (e Evaluation) over(pairs []Pair, of func(Pair) Reply) Evaluation {
	e.Score = Sum(lists.Map(pairs, of))
	e.Score.Method = e.Setting.Method
	return e
}

// Count returns how many pairs changed so.
func (c Comparison) Count(change Change) (n int) {
	return lists.CountFunc(c.Pairs, func(p Pair) bool { return p.Change == change })
}

// Differ returns how many pairs have different verdicts.
func (c Comparison) Differ() (n int) {
	return lists.CountFunc(c.Pairs, func(p Pair) bool { return p.A.Verdict != p.B.Verdict })
}

// Says describes what changed, in words for people.
func (c Comparison) Says(currency string) string {
	if len(c.Pairs) == 0 {
		return "The two have no questions in common, so there is nothing to compare."
	}
	better, worse := c.Count(Better), c.Count(Worse)
	said := "Both answer equally well: no verdict is better or worse."
	switch {
	case better > 0 && worse > 0:
		said = fmt.Sprintf("B does better on %s and worse on %s.", domain.Counted(better, "question", "questions"), domain.Counted(worse, "other", "others"))
	case better > 0:
		said = fmt.Sprintf("B does better on %s and worse on none.", domain.Counted(better, "question", "questions"))
	case worse > 0:
		said = fmt.Sprintf("B does worse on %s and better on none.", domain.Counted(worse, "question", "questions"))
	}
	return said + c.price(currency)
}

// price describes B's cost and time relative to A.
func (c Comparison) price(currency string) string {
	said := ""
	a, b := c.A.Score, c.B.Score
	if d := b.Cost - a.Cost; d > 0 && !a.Unpriced && !b.Unpriced {
		said += fmt.Sprintf(" It costs %s more.", d.In(currency))
	} else if d < 0 && !a.Unpriced && !b.Unpriced {
		said += fmt.Sprintf(" It costs %s less.", (-d).In(currency))
	}
	if d := b.P50 - a.P50; d >= tellable {
		said += fmt.Sprintf(" Its median time is %s longer.", seconds(d))
	} else if d <= -tellable {
		said += fmt.Sprintf(" Its median time is %s shorter.", seconds(-d))
	}
	return said
}

// tellable is the smallest difference in milliseconds worth mentioning.
const tellable = 100

func seconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }
