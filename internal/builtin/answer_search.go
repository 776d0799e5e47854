package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// search looks for evidence in findings.
type search struct {
	*findings
	*question
	lenience float64 // how much less than usual evidence may cover
}

// bridges returns the names in a proposition that are not in the question, nor
// hold one that is.
func (s *search) bridges(st *proposition) []named {
	return slices.DeleteFunc(slices.Clone(st.names), func(n named) bool {
		return s.isAsked(n.key) || slices.ContainsFunc(s.names, func(key string) bool { return strings.Contains(" "+n.key+" ", " "+key+" ") })
	})
}

// isAsked reports whether all words of a name are in the question.
func (q *question) isAsked(key string) bool {
	return !slices.ContainsFunc(strings.Fields(key), func(w string) bool { return !q.words[w] && !q.words[prose.Stem(w)] })
}

// kindCost returns the cost of taking a name for something of the given kind.
func (s *search) kindCost(n named, st *proposition, kind []string) float64 {
	switch {
	case slices.ContainsFunc(strings.Fields(n.key), func(w string) bool { return shareForm(s.formsOf(w), kind) }), s.toldKind(n, kind):
		return 0
	case strings.Contains(n.key, " ") && s.lower[n.key[strings.LastIndex(n.key, " ")+1:]] && !s.personal(n.key):
		return costNoKind // the name itself says that it is of another kind
	case shareForm(s.context[st.passage], kind):
		return costUnsaid
	}
	return costNoKind
}

// toldKind reports whether any proposition states the kind next to the name:
// "the ferry Heron", "the Heron, a ferry", "the Heron was the first ferry".
func (s *search) toldKind(n named, kind []string) bool {
	for i := range s.propositions {
		st := &s.propositions[i]
		from, to, ok := st.find(n.key, true)
		if !ok {
			continue
		}
		for t := max(0, from-2); t < from; t++ {
			if shareForm(st.forms[t], kind) {
				return true
			}
		}
		if st.describes(to, kind) {
			return true
		}
	}
	return false
}

// describes reports whether the words from token i on state the kind of the
// preceding name.
func (s *proposition) describes(i int, kind []string) bool {
	if i >= len(s.tokens) {
		return false
	}
	first := strings.ToLower(s.tokens[i].Text)
	if first != "," && first != "is" && first != "was" && !shareForm(s.forms[i], kind) {
		return false
	}
	for t := i; t < min(i+6, len(s.tokens)); t++ {
		if shareForm(s.forms[t], kind) {
			return true
		}
	}
	return false
}
