package builtin

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
)

// grader grades by evidence: a passage is relevant if it contains a sentence of
// what answers the question.
type grader struct{ *answerReader }

var _ answer.Grader = grader{}

// Grade looks for evidence among all candidates.
func (g grader) Grade(_ context.Context, r answer.GradeRequest, _ answer.Emit) (domain.Grade, error) {
	reading := g.read(r.Question, r.Candidates)
	i := slices.IndexFunc(reading.passages, func(p domain.Passage) bool { return p.ID == r.Passage.ID })
	if reason := reading.why(i); reason != "" {
		return domain.Grade{Verdict: domain.Relevant, Reason: reason}, nil
	}
	return domain.Grade{Verdict: domain.Irrelevant, Reason: reading.whyNot(i)}, nil
}

// why explains what a passage adds to the evidence, or returns "".
func (r *reading) why(passage int) string { return cmp.Or(r.shares(passage), r.asksFor(passage)) }

// asksFor explains a passage that ends with an FAQ's question whose answer is
// in another one.
func (r *reading) asksFor(passage int) string {
	for _, e := range r.evidence {
		if q := r.propositions[e].setting.question; q >= 0 && r.propositions[q].passage == passage {
			return "asks what the next passage answers"
		}
	}
	return ""
}

// shares explains what the sentences of a passage add.
func (r *reading) shares(passage int) string {
	for _, b := range r.bundles {
		for k, i := range b.propositions {
			if r.propositions[i].passage == passage {
				return b.adds[k]
			}
		}
	}
	return ""
}

// mostNamed bounds how many missing words a reason lists.
const mostNamed = 3

// whyNot explains what part of the question a passage lacks.
func (r *reading) whyNot(passage int) string {
	var missing []string
	for _, it := range r.pieces {
		if !it.opens && !it.weak && !r.mentions(passage, it.element) && !slices.Contains(missing, it.text) {
			missing = append(missing, it.text)
		}
	}
	switch {
	case len(r.bundles) > 0 && len(missing) == 0:
		return "another passage answers more directly"
	case len(missing) == 0:
		return "has the words, but says nothing that answers the question"
	}
	return "does not mention “" + strings.Join(missing[:min(len(missing), mostNamed)], "”, “") + "”"
}

func (r *reading) mentions(passage int, e element) bool {
	if e.key == "" {
		return shareForm(r.context[passage], e.forms)
	}
	return slices.ContainsFunc(r.propositions, func(s proposition) bool { return s.passage == passage && s.has(e, nil) })
}
