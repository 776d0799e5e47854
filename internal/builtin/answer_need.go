package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// need is something a question says, with its weight.
type need struct {
	element
	words  []string // of a name
	weight float64
	must   bool // a name: without it, evidence is about something else
}

// needsOf returns the needs of the pieces of a question.
func needsOf(q *question, pieces []piece) []need {
	var out []need
	for _, it := range pieces {
		if it.opens || len(out) == maxNeeds {
			continue
		}
		n := need{element: it.element, weight: weightTerm}
		switch {
		case it.key != "":
			n.words = slices.DeleteFunc(strings.Fields(it.key), isStop)
			n.must = len(n.words) > 0 && !q.qualifies(it.element)
			if n.must {
				n.weight = weightName
			}
		case it.weak || vagueNouns[strings.ToLower(it.text)]:
			n.weight = weightWeak
		}
		out = append(out, n)
	}
	return out
}

// maxNeeds is the number of bits in a set of needs.
const maxNeeds = 64

// qualifies reports whether a name only states the origin of the following
// noun: "the American actress".
func (q *question) qualifies(e element) bool {
	return e.to-e.from == 1 && demonym(e.text) && e.to < len(q.tokens) && !prose.IsCapitalised(q.tokens[e.to].Text)
}

func demonym(word string) bool { return demonyms[strings.ToLower(word)] }
