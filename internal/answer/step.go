package answer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// MaxSteps is the most searches that a question is taken apart into.
const MaxSteps = 4

// The longest question and the longest finding of a step, in code points.
const (
	maxStep    = 400
	maxFinding = 200
)

// fewWords is how many words a question may have that is never taken apart.
const fewWords = 6

// Step is one of the questions that a question is taken apart into.
type Step struct {
	N        int    `json:"n"`                 // from 1
	Question string `json:"question"`          // #1 stands for the finding of step 1
	Asked    string `json:"asked,omitempty"`   // with findings in their places; "" until it begins
	From     int    `json:"from,omitempty"`    // loop of its first search
	Finding  string `json:"finding,omitempty"` // "" if nothing was found
	Settled  bool   `json:"settled,omitempty"`
}

// step returns the step at work, nil if there is none.
func (s State) step() *Step {
	for i, step := range s.Steps {
		if step.Asked != "" && !step.Settled {
			return &s.Steps[i]
		}
	}
	return nil
}

// searching returns what is searched for: the question of the step at work, or the
// whole one.
func (s State) searching() Asked {
	a := s.asked()
	if step := s.step(); step != nil {
		a.Question = step.Asked
	}
	return a
}

// begun returns how many steps after the first have begun.
func (s State) begun() int {
	n := 0
	for _, step := range s.Steps {
		if step.N > 1 && step.Asked != "" {
			n++
		}
	}
	return n
}

// relevantSince returns the passages that a search from a loop on found relevant.
func (s State) relevantSince(loop int) []Document {
	return slices.DeleteFunc(s.relevant(), func(d Document) bool {
		return !slices.ContainsFunc(d.Appearances, func(a Appearance) bool { return a.Loop >= loop && a.Verdict == domain.Relevant })
	})
}

// inSteps reports whether a question may be taken apart.
func (n *nodes) inSteps(question string) bool {
	return n.Decompose && n.Roles.Decomposer != nil && len(prose.Words(question)) > fewWords
}

// decompose takes the question apart, if the model says that one search can't answer
// it.
func (n *nodes) decompose(ctx *stategraph.Context, s State) (state.Update[State], error) {
	m := n.meter(ctx, s.Budget, ctx.Emit)
	questions, err := n.Roles.Decomposer.Decompose(ctx, s.asked(), m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	steps := newSteps(questions)
	if len(steps) == 0 {
		ctx.Emit(domain.EventNote, domain.Note{Text: "one search may answer it"})
		return n.spend(m), nil
	}
	for _, step := range steps {
		ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("step %d: %s", step.N, step.Question)})
	}
	return state.Merge(n.steps.Put(steps...), n.spend(m)), nil
}

// newSteps returns the steps of the questions, the first of them begun; none if
// there are fewer than two, or the first refers to another.
func newSteps(questions []string) []Step {
	var steps []Step
	for _, q := range questions {
		if q = domain.Cut(oneLine(q), maxStep); q != "" && len(steps) < MaxSteps {
			steps = append(steps, Step{N: len(steps) + 1, Question: q})
		}
	}
	if len(steps) < 2 {
		return nil
	}
	var ok bool
	if steps[0].Asked, ok = withFindings(steps[0].Question, nil); !ok {
		return nil
	}
	return steps
}

var references = regexp.MustCompile(`#(\d+)`)

// withFindings puts the findings of steps in the places that name them. It returns
// false if one is missing.
func withFindings(question string, steps []Step) (string, bool) {
	ok := true
	text := references.ReplaceAllStringFunc(question, func(ref string) string {
		n, err := strconv.Atoi(ref[1:])
		if err != nil || n < 1 || n > len(steps) || steps[n-1].Finding == "" {
			ok = false
			return ref
		}
		return steps[n-1].Finding
	})
	return text, ok
}

// answerStep notes what the passages of a step say, and begins the next step whose
// question is known by then.
func (n *nodes) answerStep(ctx *stategraph.Context, s State) (state.Update[State], error) {
	step := *s.step()
	m := n.meter(ctx, s.Budget, ctx.Emit)
	passages, err := n.Passages.Passages(ctx, s.Workspace, chunks(s.relevantSince(step.From)))
	if err == nil && len(passages) > 0 {
		step.Finding, err = n.Roles.Decomposer.Settle(ctx, s.searching(), passages, m.emit)
	}
	if err != nil {
		return state.Update[State]{}, err
	}
	step.Finding, step.Settled = domain.Cut(oneLine(step.Finding), maxFinding), true
	said := "nothing was found"
	if step.Finding != "" {
		said = step.Finding
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("step %d: %s", step.N, said)})
	u := state.Merge(n.steps.Put(step), n.spend(m))
	next, ok := s.next(step)
	if !ok {
		return u, nil
	}
	how := fmt.Sprintf("step %d of %d", next.N, len(s.Steps))
	ctx.Emit(domain.EventRewrite, domain.Rewrite{From: next.Question, To: next.Asked, How: how})
	return state.Merge(u, n.steps.Put(next), n.rewrites.Add(Rewrite{Text: next.Asked, How: how}), n.loopCount.Add(1)), nil
}

// next returns the first step after a settled one whose question is known. It begins
// with the next search.
func (s State) next(settled Step) (Step, bool) {
	steps := slices.Clone(s.Steps)
	steps[settled.N-1] = settled
	for _, step := range steps[settled.N:] {
		asked, ok := withFindings(step.Question, steps)
		if !ok {
			continue
		}
		step.Asked, step.From = asked, s.LoopCount+1
		return step, true
	}
	return Step{}, false
}

// settled returns the steps that found something.
func (s State) settled() []Step {
	return slices.DeleteFunc(slices.Clone(s.Steps), func(step Step) bool { return strings.TrimSpace(step.Finding) == "" })
}

func chunks(documents []Document) []domain.ChunkID {
	ids := make([]domain.ChunkID, len(documents))
	for i, d := range documents {
		ids[i] = d.Chunk
	}
	return ids
}
