package research

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

type update = state.Update[State]

// nearby is how many passages a role sees when it thinks of questions.
const nearby = 24

// maxFound bounds the findings that a search for gaps is given, in code points.
const maxFound = 600

// counted returns what emits for a role, and the tokens that its calls take.
func counted(ctx *stategraph.Context) (answer.Emit, *int64) {
	spent := new(int64)
	return func(kind string, payload any) {
		if u, ok := payload.(domain.Usage); ok {
			*spent += int64(u.Tokens())
		}
		ctx.Emit(kind, payload)
	}, spent
}

// near returns the passages near a text, best first.
func (n *nodes) near(ctx *stategraph.Context, s State, text string) ([]domain.Passage, error) {
	found, err := n.Retriever.Retrieve(ctx, s.Begin.Workspace, retrieve.Query{Text: text, Asked: s.Question, Method: s.Begin.Method, Limit: nearby, Documents: s.Begin.Within})
	if err != nil {
		return nil, err
	}
	ctx.Emit(domain.EventFound, domain.Found{Passages: found.Passages})
	ids := lists.Map(found.Passages, func(p domain.FoundPassage) domain.ChunkID { return p.Chunk })
	texts, err := n.Passages.Passages(ctx, s.Begin.Workspace, ids)
	slices.SortStableFunc(texts, func(a, b domain.Passage) int {
		return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
	})
	return texts, err
}

// plan thinks of the first questions. Of several rounds, it leaves a third of the questions to the later ones.
func (n *nodes) plan(ctx *stategraph.Context, s State) (update, error) {
	if len(s.Planned) > 0 {
		ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(s.Planned), "question", "questions") + ", as ordered"})
		return update{}, nil
	}
	emit, spent := counted(ctx)
	t := s.task()
	var err error
	if t.Passages, err = n.near(ctx, s, s.Question); err != nil {
		return update{}, err
	}
	t.Most = s.Most
	if s.Rounds > 1 {
		t.Most = max(1, s.Most-s.Most/3)
	}
	questions, err := n.Role.Plan(ctx, t, emit)
	if err != nil {
		return update{}, err
	}
	plan := added(nil, questions, t.Most, 1)
	if len(plan) == 0 {
		plan = []Question{{N: 1, Text: s.Question, Round: 1}}
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(plan), "question", "questions")})
	return state.Merge(n.planned.Set(plan), n.spent.Add(*spent)), nil
}

// added appends at most some questions of a round that are not in the plan.
func added(plan, more []Question, most, round int) []Question {
	all := slices.Clone(plan)
	for _, q := range more {
		q.Text = domain.OneLine(q.Text)
		known := slices.ContainsFunc(all, func(p Question) bool { return (domain.Rewrite{From: p.Text, To: q.Text}).SameWords() })
		if known || q.Text == "" || domain.Runes(q.Text) > answer.MaxQuestion || len(all) >= len(plan)+most {
			continue
		}
		q.N, q.Round = len(all)+1, round
		all = append(all, q)
	}
	return all
}

func (n *nodes) afterPlan(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if s.Review {
		return stategraph.Choose[State](caseReview), nil
	}
	return n.fan(s), nil
}

// review lets a person edit the plan.
func (n *nodes) review(ctx *stategraph.Context, s State) (update, error) {
	lines, err := stategraph.Interrupt[[]string](ctx, s.Planned)
	if err != nil {
		return update{}, err
	}
	plan := Plan(lines, s.Planned)
	if len(plan) == 0 {
		plan = s.Planned
	}
	return n.planned.Set(plan[:min(len(plan), MaxQuestions)]), nil
}

// next asks the open questions, if there are any that the budget allows.
func (n *nodes) next(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if len(s.open()) == 0 || s.over() {
		return stategraph.Choose[State](caseEnough), nil
	}
	return n.fan(s), nil
}

// fan sends each open question to be answered. What is left of the budget is shared among them.
func (n *nodes) fan(s State) stategraph.Route[State] {
	open := s.open()
	sends := make([]stategraph.Send[State], len(open))
	for i, q := range open {
		b := s.Begin
		b.Question = q.Text
		if s.Tokens > 0 {
			share := max(1, (s.Tokens-s.Spent)/int64(len(open)))
			if b.Budget.Most == 0 || share < b.Budget.Most {
				b.Budget = answer.Budget{Most: share, Says: domain.Thousands(int(share)) + " tokens"}
			}
		}
		sends[i] = n.ask.Send(asking{q.N, b})
	}
	return stategraph.Fan(sends...)
}

// found returns the update with what an answer has found.
func (n *nodes) found(a asking, s answer.State) update {
	f := Finding{N: a.N, Sentences: []domain.Sentence{}, Citations: s.Citations}
	bears := n.Role.Bearing(a.Begin.Question, s.Sentences, s.Citations)
	for i, sentence := range s.Sentences {
		switch {
		case sentence.Remark:
		case !sentence.Supported || len(sentence.Citations) == 0:
			f.Dropped++
		case !bears[i]:
			f.Beside++
		default:
			f.Sentences = append(f.Sentences, sentence)
		}
	}
	return state.Merge(n.findings.Put(f), n.spent.Add(s.Spent))
}

// gaps thinks of further questions, unless no round, question or token is left.
func (n *nodes) gaps(ctx *stategraph.Context, s State) (update, error) {
	u := n.round.Add(1)
	left := s.Most - len(s.Planned)
	if s.Round+1 >= s.Rounds || left <= 0 || s.over() {
		return u, nil
	}
	emit, spent := counted(ctx)
	t := s.task()
	t.Most = left
	var found strings.Builder
	for _, sentence := range s.Report().Sentences {
		found.WriteString(" " + sentence.Text)
	}
	var err error
	if t.Passages, err = n.near(ctx, s, s.Question+domain.Cut(found.String(), maxFound)); err != nil {
		return update{}, err
	}
	more, err := n.Role.Gaps(ctx, t, emit)
	if err != nil {
		return update{}, err
	}
	plan := added(s.Planned, more, left, s.Round+2)
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(plan)-len(s.Planned), "further question", "further questions")})
	return state.Merge(u, n.planned.Set(plan), n.spent.Add(*spent)), nil
}

// write sums up the findings, and says what they lack.
func (n *nodes) write(ctx *stategraph.Context, s State) (update, error) {
	r := s.Report()
	var notes []string
	if open := len(s.open()); open > 0 {
		notes = append(notes, fmt.Sprintf("%s not asked: the budget of %s tokens is used up.", domain.Counted(open, "question was", "questions were"), domain.Thousands(int(s.Tokens))))
	}
	dropped, beside := 0, 0
	for _, f := range s.Findings {
		dropped, beside = dropped+f.Dropped, beside+f.Beside
	}
	if dropped > 0 {
		notes = append(notes, fmt.Sprintf("%s left out: nothing that they cite supports them.", domain.Counted(dropped, "sentence of the answers was", "sentences of the answers were")))
	}
	if beside > 0 {
		notes = append(notes, domain.Counted(beside, "sentence of the answers was left out: it does not bear on its question.", "sentences of the answers were left out: they do not bear on their questions."))
	}
	u := n.notes.Add(notes...)
	if len(r.Sentences) == 0 || s.over() {
		return u, nil
	}
	emit, spent := counted(ctx)
	overview, err := n.Role.Overview(ctx, s.task(), r, emit)
	if err != nil {
		return update{}, err
	}
	return state.Merge(u, n.overview.Set(overview), n.spent.Add(*spent)), nil
}

// check judges the sentences of the overview. What nothing supports is left out.
func (n *nodes) check(ctx *stategraph.Context, s State) (update, error) {
	if len(s.Overview) == 0 {
		ctx.Emit(domain.EventNote, domain.Note{Text: answer.SaysNoClaims})
		return update{}, nil
	}
	r := s.Report()
	claims := make([]answer.Claim, len(s.Overview))
	for i, sentence := range s.Overview {
		claims[i] = answer.Claim{Text: sentence.Text, Quotes: r.quotes(sentence.Citations)}
	}
	emit, spent := counted(ctx)
	judged, err := n.Supporter.Support(ctx, s.task().Asked, claims, emit)
	if err != nil {
		return update{}, err
	}
	kept := []domain.Sentence{}
	for i, sentence := range s.Overview {
		if i < len(judged) && judged[i].OK && len(claims[i].Quotes) > 0 {
			sentence.Supported = true
			kept = append(kept, sentence)
		}
	}
	u := state.Merge(n.overview.Set(kept), n.spent.Add(*spent))
	if lost := len(claims) - len(kept); lost > 0 {
		u = state.Merge(u, n.notes.Add(fmt.Sprintf("%s left out: nothing that they cite supports them.", domain.Counted(lost, "sentence of the overview was", "sentences of the overview were"))))
	}
	return u, nil
}
