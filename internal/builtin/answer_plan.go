package builtin

import "slices"

// clause is a part of a question that one proposition must cover.
type clause struct {
	elements []element
	from     int // token at which its description starts; -1 for the question's own clause
}

// Limits of reading a question. A longer question is read as one clause.
const (
	mostPlans  = 200
	mostPieces = 40
)

// plansOf returns the ways to read the pieces of a question: as one clause, or as
// a clause about something that another clause describes, and so on. Nothing marks
// the end of a description, so every position is tried.
func plansOf(pieces []piece) [][]clause {
	p := planner{left: mostPlans, single: len(pieces) > mostPieces}
	return p.plans(pieces, -1)
}

// planner counts how many plans may still be made.
type planner struct {
	left   int
	single bool
}

// plans reads pieces that start at a token of the question, -1 for its own
// clause.
func (p *planner) plans(pieces []piece, from int) [][]clause {
	whole := clause{elements: elementsOf(pieces), from: from}
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

// around reads pieces as a clause about the thing described from m on.
func (p *planner) around(pieces []piece, m, from int) [][]clause {
	var plans [][]clause
	head := pieces[m].head
	for end := len(pieces); end > m+1; end-- {
		if pieces[end-1].opens || end < len(pieces) && pieces[end].clings {
			continue
		}
		rest := slices.Concat(pieces[:m-head], pieces[end:])
		outer := clause{elements: elementsOf(rest), from: from}
		if !outer.asks() {
			continue
		}
		for _, inner := range p.plans(pieces[m+1:end], pieces[m].from) {
			plans = append(plans, append([]clause{outer}, inner...))
		}
	}
	return plans
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

// tells reports whether the clause has more than names.
func (c clause) tells() bool {
	return slices.ContainsFunc(c.elements, func(e element) bool { return !e.weak && e.key == "" })
}
