package answer

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Budget is the cap of one question, as its answer keeps it. The zero value is no cap.
type Budget struct {
	Most  int64  `json:"most,omitempty"`  // tokens, or millionths of money; 0 means no limit
	Money bool   `json:"money,omitempty"` // Most is money
	Says  string `json:"says,omitempty"`  // for people: "2,000 tokens"
}

// Price returns what calls cost, in the unit of a budget in money. A usage without a
// model is of the one that grades.
type Price func(context.Context, domain.Usage) int64

// overBudget reports whether nothing is left of the budget, or too little to grade
// what was found.
func (s State) overBudget() bool {
	return s.Budget.Most > 0 && (s.Spent >= s.Budget.Most || slices.ContainsFunc(s.last().Found, func(id domain.ChunkID) bool {
		a := s.document(id).Appearances
		return len(a) > 0 && a[len(a)-1].Reason == reasonBudget
	}))
}

// meter adds up what the calls of a node take of the budget.
type meter struct {
	emit  Emit
	spent *int64
}

func (p Params) meter(ctx context.Context, b Budget, emit Emit) meter {
	m := meter{emit: emit, spent: new(int64)}
	if b.Most == 0 {
		return m
	}
	m.emit = func(kind string, payload any) {
		if u, ok := payload.(domain.Usage); ok {
			*m.spent += p.cost(ctx, b, u)
		}
		emit(kind, payload)
	}
	return m
}

func (p Params) cost(ctx context.Context, b Budget, u domain.Usage) int64 {
	if b.Money {
		u.Recorded = false // a replay takes what its run took
		return p.Price(ctx, u)
	}
	return int64(u.Tokens())
}

// spend returns the update with what a meter has counted.
func (n *nodes) spend(m meter) state.Update[State] {
	if *m.spent == 0 {
		return state.Update[State]{}
	}
	return n.spent.Add(*m.spent)
}

// What a call to grade takes besides its texts, in tokens: instructions, form and
// answer.
const (
	tokensOfForm  = 300
	tokensOfGrade = 60
	runesPerToken = 3
)

// affords reports whether the budget lasts for a task and for those before it, which
// run at the same time and are taken to be as large.
func (p Params) affords(ctx context.Context, t gradeTask, requests []GradeRequest) bool {
	if t.Budget.Most == 0 || len(requests) == 0 {
		return true
	}
	input := tokensOfForm + domain.Runes(t.Question)/runesPerToken + maxOthers*maxOtherLength/runesPerToken
	for _, r := range requests {
		input += domain.Runes(r.Passage.Text) / runesPerToken
	}
	each := p.cost(ctx, t.Budget, domain.Usage{Input: input, Output: tokensOfGrade * len(requests)})
	return each*int64(t.Before+1) <= t.Left
}
