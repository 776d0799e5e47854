package builtin

import "slices"

// clause is a part of a question that one proposition has to cover.
type clause struct {
	elements []element
	head     []element // the noun that names what the next clause describes; none for an office
	office   bool      // the next clause's first noun says what is described
	from     int       // token of the question at which its description begins; -1 for the question's own clause
	to       int       // token behind it
}

// mostPlans bounds how many readings of a question are tried.
const mostPlans = 200

// plans are the ways to read a question: as one clause, or as a clause about
// something that another clause describes, and so on. Where a description ends
// is not told, so every place is tried.
func (q *question) plans() [][]clause {
	all := plansOf(q.pieces, -1)
	return all[:min(len(all), mostPlans)]
}

func plansOf(pieces []piece, from int) [][]clause {
	whole := clause{elements: elementsOf(pieces), from: from, to: endOf(pieces)}
	if !whole.asks() {
		return nil
	}
	plans := [][]clause{{whole}}
	for m, it := range pieces {
		if !it.opens {
			continue
		}
		before := pieces[:m-it.head]
		head := elementsOf(pieces[m-it.head : m])
		for end := len(pieces); end > m+1; end-- {
			if pieces[end-1].opens {
				continue
			}
			outer := clause{elements: elementsOf(slices.Concat(before, pieces[end:])), head: head, office: it.head == 0, from: from, to: endOf(pieces)}
			if !outer.asks() {
				continue
			}
			for _, inner := range plansOf(pieces[m+1:end], it.from) {
				plans = append(plans, append([]clause{outer}, inner...))
			}
		}
	}
	return plans
}

func endOf(pieces []piece) int {
	if n := len(pieces); n > 0 {
		return pieces[n-1].to
	}
	return 0
}

func elementsOf(pieces []piece) []element {
	var out []element
	for _, it := range pieces {
		if !it.opens {
			out = append(out, it.element)
		}
	}
	return out
}

// asks reports whether the clause has something that must be covered.
func (c clause) asks() bool {
	return slices.ContainsFunc(c.elements, func(e element) bool { return !e.weak })
}
