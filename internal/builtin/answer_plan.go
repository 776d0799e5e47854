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

// The limits of how a question is read. A longer one is taken as one clause.
const (
	mostPlans  = 200
	mostPieces = 40
)

// plans are the ways to read a question: as one clause, or as a clause about
// something that another clause describes, and so on. Where a description ends
// is not told, so every place is tried.
func (q *question) plans() [][]clause {
	p := planner{left: mostPlans, single: len(q.pieces) > mostPieces}
	return p.plans(q.pieces, -1)
}

// planner counts the plans that may still be made.
type planner struct {
	left   int
	single bool
}

// plans reads pieces that begin at a token of the question, -1 for its own
// clause.
func (p *planner) plans(pieces []piece, from int) [][]clause {
	whole := clause{elements: elementsOf(pieces), from: from, to: endOf(pieces)}
	if !whole.asks() || from >= 0 && !whole.tells() || p.left <= 0 {
		return nil
	}
	p.left--
	plans := [][]clause{{whole}}
	for m, it := range pieces {
		if it.opens && !p.single {
			plans = append(plans, p.around(pieces, m, from)...)
		}
	}
	return plans
}

// around reads pieces as a clause about what the description that opens at m
// describes.
func (p *planner) around(pieces []piece, m, from int) [][]clause {
	var plans [][]clause
	head := pieces[m].head
	for end := len(pieces); end > m+1; end-- {
		if pieces[end-1].opens || end < len(pieces) && pieces[end].clings {
			continue
		}
		rest := slices.Concat(pieces[:m-head], pieces[end:])
		outer := clause{elements: elementsOf(rest), head: elementsOf(pieces[m-head : m]), office: head == 0, from: from, to: endOf(rest)}
		if !outer.asks() {
			continue
		}
		for _, inner := range p.plans(pieces[m+1:end], pieces[m].from) {
			plans = append(plans, append([]clause{outer}, inner...))
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

// tells reports whether the clause has more than names: a description says
// something.
func (c clause) tells() bool {
	return slices.ContainsFunc(c.elements, func(e element) bool { return !e.weak && e.key == "" })
}
