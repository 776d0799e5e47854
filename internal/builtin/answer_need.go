package builtin

import (
	"math"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// need is something a question says, with its weight.
type need struct {
	element
	weight float64
	must   bool // a name or a number: without it, evidence is about something else
}

// The weights of needs, before their rarity counts.
const (
	weightName = 1.5
	weightTerm = 1.0
	weightWeak = 0.3
)

// needsOf returns the needs of the pieces of a question. What the passages say
// often weighs less than what they say rarely.
func (s *search) needsOf(pieces []piece) []need {
	var out []need
	for _, it := range pieces {
		if it.opens || len(out) == maxNeeds {
			continue
		}
		n := need{element: it.element, weight: weightTerm}
		switch {
		case it.key != "" && !isCompound(it.text):
			n.must, n.weight = true, weightName
		case it.weak:
			n.weight = weightWeak
		}
		n.weight *= (1 + s.rarity(n)) / 2
		out = append(out, n)
	}
	return out
}

// isCompound reports whether an element is several words in one, which a text
// may put otherwise: "multi-threaded".
func isCompound(word string) bool {
	return strings.Contains(word, "-") && !strings.Contains(word, " ") && !strings.ContainsAny(word, "0123456789") && !prose.IsCapitalised(word)
}

// maxNeeds is the number of bits in a set of needs.
const maxNeeds = 64

// rarity returns how rarely the propositions say a need, from 0 to 1.
func (s *search) rarity(n need) float64 {
	saying, all := 0, len(s.propositions)
	for i := range s.propositions {
		if s.propositions[i].has(n.element, nil) {
			saying++
		}
	}
	if all == 0 {
		return 1
	}
	return math.Log(float64(all+1)/float64(saying+1)) / math.Log(float64(all+1))
}

func demonym(word string) bool { return demonyms[strings.ToLower(word)] }

// has reports whether a proposition says an element. Words of a name may be in
// about instead.
func (s *proposition) has(e element, about []string) bool {
	if e.key == "" {
		return len(s.having(e.forms)) > 0
	}
	if _, _, ok := s.find(e.key, false); ok || isNumber(e.text) {
		return ok
	}
	said := 0
	for _, word := range e.words {
		if slices.Contains(about, word) || slices.ContainsFunc(s.parts, func(p part) bool { return p.key == word }) {
			said++
		}
	}
	return float64(said) >= nameCover*float64(len(e.words))
}

// says counts the elements that a proposition says.
func (s *proposition) says(all []element) int {
	n := 0
	for _, e := range all {
		if s.has(e, nil) {
			n++
		}
	}
	return n
}

// having returns the tokens that match one of forms.
func (s *proposition) having(forms []string) []int {
	var at []int
	for i, f := range s.forms {
		if f != nil && shareForm(f, forms) {
			at = append(at, i)
		}
	}
	return at
}

// share returns the share of list that is in set.
func share(list []string, set map[string]bool) float64 {
	n := 0
	for _, x := range list {
		if set[x] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(list)))
}
