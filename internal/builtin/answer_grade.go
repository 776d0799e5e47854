package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// grader grades by evidence: a passage is relevant if it contains a sentence of
// a chain that answers the question.
type grader struct{ *answerReader }

var _ answer.Grader = grader{}

// Grade looks for a chain among all candidates.
func (g grader) Grade(_ context.Context, r answer.GradeRequest, _ answer.Emit) (domain.Grade, error) {
	reading := g.read(r.Question, r.Candidates)
	i := slices.IndexFunc(reading.passages, func(p domain.Passage) bool { return p.ID == r.Passage.ID })
	if reason := reading.why(i); reason != "" {
		return domain.Grade{Verdict: domain.Relevant, Reason: reason}, nil
	}
	return domain.Grade{Verdict: domain.Irrelevant, Reason: reading.whyNot(i)}, nil
}

// why explains what a passage adds to the chain, or returns "".
func (r *reading) why(passage int) string {
	if r.chain == nil {
		return cmp.Or(r.shares(passage), r.asksFor(passage))
	}
	for i, l := range slices.Backward(r.chain.links) {

		if r.propositions[l.proposition].passage == passage {
			return r.adds(l, i)
		}
	}
	for _, e := range r.evidence {
		if r.propositions[e].passage == passage {
			return "says whom the next sentence speaks of"
		}
	}
	return ""
}

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

// shares explains what a passage adds to evidence that is not a chain.
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

// adds explains one link.
func (r *reading) adds(l link, i int) string {
	switch {
	case i < len(r.chain.links)-1:
		return fmt.Sprintf("names %s as %s", l.names, r.described(r.chain.links[i+1].clause, l.clause))
	case l.through != "":
		return fmt.Sprintf("second hop through %s: says %s and names %s", l.through, said(l.clause), l.names)
	}
	return fmt.Sprintf("says %s and names %s", said(l.clause), l.names)
}

// described returns a description in the question's own words: "the bridge that
// Ann Lee built".
func (r *reading) described(outer, inner clause) string {
	tokens := prose.Tokens(r.text)
	from := inner.from
	if len(outer.head) > 0 {
		from = outer.head[0].from
	}
	if from < 0 || inner.to > len(tokens) || from >= inner.to {
		return "what is asked for"
	}
	start, end := tokens[from].Span.Start, tokens[inner.to-1].Span.End
	return "the " + domain.Span{Start: start, End: end}.Slice(r.text)
}

// said returns the words of a clause.
func said(c clause) string {
	var words []string
	for _, e := range c.elements {
		if !e.weak {
			words = append(words, e.text)
		}
	}
	return strings.Join(words, ", ")
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
	case r.chain != nil && len(missing) == 0:
		return "another passage answers more directly"
	case len(missing) == 0:
		return "has the words, but says nothing that answers the question"
	}
	return "says nothing of " + strings.Join(missing[:min(len(missing), mostNamed)], ", ")
}

func (r *reading) mentions(passage int, e element) bool {
	if e.key == "" {
		return shareForm(r.context[passage], e.forms)
	}
	for i := range r.propositions {
		if s := &r.propositions[i]; s.passage == passage {
			if _, _, ok := s.find(e.key, false); ok {
				return true
			}
		}
	}
	return false
}
