package answer

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// MaxHints is how many hints a person may give in one run.
const MaxHints = 5

// HowHint is how a wording came about that a person gave.
const HowHint = "a hint"

// Reasons of verdicts that a person gave.
const (
	reasonAdded   = "chosen by a person"
	reasonDropped = "left out by a person"
)

// Asking is a run's question to a person before it writes.
type Asking struct {
	Nothing  bool             `json:"nothing"`  // no search has found anything relevant
	Hints    bool             `json:"hints"`    // a hint may still be given
	Passages []domain.Grading `json:"passages"` // all found, the relevant ones first
}

// Reply is a person's answer to an [Asking]. Without a hint, the run goes on to
// write from the passages that are relevant after it.
type Reply struct {
	Drop []domain.ChunkID `json:"drop,omitempty"` // are not relevant
	Add  []domain.ChunkID `json:"add,omitempty"`  // are, whether a search has found them or not
	Hint string           `json:"hint,omitempty"` // words to search for once more
}

// asks reports whether a person is asked before a run writes, or ends without a
// relevant passage.
func (s State) asks(relevant bool) bool {
	return s.Review || s.Hint && !relevant && s.hinted() < MaxHints
}

// hinted returns how many hints a person has given.
func (s State) hinted() int {
	n := 0
	for _, r := range s.QueryRewrites {
		if r.How == HowHint {
			n++
		}
	}
	return n
}

// asking returns what the run asks.
func (s State) asking() Asking {
	a := Asking{Nothing: len(s.relevant()) < s.MinRelevant, Hints: s.hinted() < MaxHints, Passages: s.Result().Documents}
	slices.SortStableFunc(a.Passages, func(x, y domain.Grading) int { return rank(x.Verdict) - rank(y.Verdict) })
	return a
}

func rank(v domain.Verdict) int {
	if v == domain.Relevant {
		return 0
	}
	return 1
}

// askPerson asks a person and notes what they decided.
func (n *nodes) askPerson(ctx *stategraph.Context, s State) (state.Update[State], error) {
	reply, err := stategraph.Interrupt[Reply](ctx, s.asking())
	if err != nil {
		return state.Update[State]{}, err
	}
	u, err := n.decided(ctx, s, reply)
	if err != nil || reply.Hint == "" || s.hinted() == MaxHints {
		return u, err
	}
	ctx.Emit(domain.EventRewrite, domain.Rewrite{From: s.wording().Text, To: reply.Hint, How: HowHint})
	return state.Merge(u, n.rewrites.Add(Rewrite{Text: reply.Hint, How: HowHint}), n.loopCount.Add(1)), nil
}

// decided notes the passages that a person added or dropped. Those that are no
// longer in the library are left out.
func (n *nodes) decided(ctx *stategraph.Context, s State, r Reply) (state.Update[State], error) {
	passages, err := n.Passages.Passages(ctx, s.Workspace, slices.Concat(r.Drop, r.Add))
	if err != nil {
		return state.Update[State]{}, err
	}
	var u state.Update[State]
	for _, p := range passages {
		d := s.document(p.ID)
		d.Document, d.Page, d.Place, d.Decided = p.Document, p.Page, p.Place(p.Span), domain.Relevant
		if slices.Contains(r.Drop, p.ID) {
			d.Decided = domain.Irrelevant
		}
		ctx.Emit(domain.EventGrade, p.Graded(d.decision()))
		u = state.Merge(u, n.documents.Put(d), n.sources.Put(Source{p.Document, p.Name}))
	}
	return u, nil
}

// decision returns the grade that a person gave a passage.
func (d Document) decision() domain.Grade {
	if d.Decided == domain.Relevant {
		return domain.Grade{Verdict: d.Decided, Reason: reasonAdded}
	}
	return domain.Grade{Verdict: d.Decided, Reason: reasonDropped}
}

// goOn searches again if there is a wording that no search has used, and
// otherwise writes.
func (n *nodes) goOn(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if len(s.QueryRewrites) == len(s.Retrieval) {
		return stategraph.Choose[State](caseHinted), nil
	}
	return stategraph.Choose[State](caseReviewed), nil
}
