package builtin

import (
	"slices"
	"strings"
)

// chain is a sequence of propositions that together answer a question, from the
// innermost description to the proposition with the answer.
type chain struct {
	links []link
	cost  float64
}

type link struct {
	proposition int
	clause      clause
	through     string // the name that links it to the previous proposition
	names       string // the name it provides for the next one, or as the answer
	leaned      bool   // its subject is named in the preceding sentence
}

// search looks for chains in findings.
type search struct {
	*findings
	*question
	lenience float64 // how much less than usual evidence may cover
}

// best returns the chain that answers the question at the lowest cost, or nil.
func (s *search) best() *chain {
	var best *chain
	for _, plan := range s.plans() {
		s.follow(plan, len(plan)-1, nil, chain{}, func(c chain) {
			if best == nil || c.cost < best.cost-1e-9 {
				c.links = slices.Clone(c.links)
				best = &c
			}
		})
	}
	return best
}

// follow tries every proposition for clause k of a plan, from the innermost
// clause to the question's own.
func (s *search) follow(plan []clause, k int, through *named, so chain, found func(chain)) {
	for i := range s.propositions {
		st := &s.propositions[i]
		cov := s.cover(st, plan[k], through)
		if st.asks() || len(cov.missing) > 0 || !s.namesAgree(st, cov, plan[k]) || k == 0 && st.bare() && !st.hasVerb() {
			continue
		}
		l := link{proposition: i, clause: plan[k], leaned: cov.leaned}
		cost := so.cost + cov.cost + costWord*float64(len(st.tokens)) + costRank*float64(st.passage)
		if st.bare() {
			cost += costBare
		}
		if through != nil {
			l.through = through.text
			cost += costHop
		}
		if k == 0 {
			if answer, extra, ok := s.answers(st, cov, plan[k]); ok {
				l.names = answer
				l.leaned = l.leaned || st.leans.has(func(n named) bool { return n.text == answer })
				found(chain{append(slices.Clip(so.links), l), cost + extra})
			}
			continue
		}
		for _, n := range s.bridges(st, cov) {
			extra, ok := s.fits(n, st, plan[k-1], plan[k])
			if !ok || !s.headAgrees(n, st, cov, plan[k-1], plan[k]) {
				continue
			}
			l.names, l.leaned = n.text, cov.leaned || st.leansOn(n)
			s.follow(plan, k-1, &n, chain{append(slices.Clip(so.links), l), cost + extra}, found)
		}
	}
}

// namesAgree reports whether the names of a clause play the same grammatical
// roles in a proposition as in the question.
func (s *search) namesAgree(st *proposition, cov coverage, c clause) bool {
	for _, e := range c.elements {
		if at := cov.at[e.from]; e.key != "" && len(at) == 2 && !s.agrees(st, cov, c, stretch{e.from, e.to}, stretch{at[0], at[1]}) {
			return false
		}
	}
	return true
}

// headAgrees reports whether a name plays the role of the described noun.
func (s *search) headAgrees(n named, st *proposition, cov coverage, outer, inner clause) bool {
	if len(outer.head) == 0 || st.leansOn(n) {
		return true
	}
	noun := outer.head[len(outer.head)-1]
	return s.agrees(st, cov, inner, stretch{noun.from, noun.to}, stretch{n.from, n.to})
}

// bridges returns the names in a proposition that are not in the question.
func (s *search) bridges(st *proposition, cov coverage) []named {
	var out []named
	for _, n := range st.names {
		if !cov.overlaps(n) && !s.asksOf(n) {
			out = append(out, n)
		}
	}
	if st.leans != nil && !cov.leaned && !s.asksOf(st.leans.names[0]) {
		out = append(out, st.leans.names[0])
	}
	return out
}

// leansOn reports whether the proposition's pronoun stands for n.
func (s *proposition) leansOn(n named) bool {
	return s.leans.has(func(o named) bool { return o == n })
}

func (c coverage) overlaps(n named) bool {
	for i := n.from; i < n.to; i++ {
		if c.used[i] {
			return true
		}
	}
	return false
}

// asksOf reports whether the question contains the name.
func (s *search) asksOf(n named) bool {
	return slices.Contains(s.names, n.key) || slices.Contains(s.names, n.full)
}

// fits reports whether a name can be what a clause refers to by its noun, and
// at what cost.
func (s *search) fits(n named, st *proposition, outer, inner clause) (float64, bool) {
	if outer.office || len(outer.head) == 0 {
		return 0, true
	}
	noun := outer.head[len(outer.head)-1]
	if anybody[strings.ToLower(noun.text)] {
		if s.personal(n.full) {
			return 0, true
		}
		return costNoKind, true
	}
	return s.kindCost(n, st, noun.forms)
}

// kindCost returns the cost of taking a name for something of the given kind.
// It refuses if the name itself says that it is of another kind.
func (s *search) kindCost(n named, st *proposition, kind []string) (float64, bool) {
	words := strings.Fields(n.full)
	last := words[len(words)-1]
	switch {
	case slices.ContainsFunc(words, func(w string) bool { return shareForm(formsOf(w), kind) }):
		return 0, true
	case s.toldKind(n, kind):
		return 0, true
	case len(words) > 1 && s.lower[last] && !s.personal(n.full):
		return 0, false
	case shareForm(s.context[st.passage], kind):
		return costContext, true
	}
	return costNoKind, true
}

// toldKind reports whether any proposition states the kind next to the name:
// "the ferry Heron", "the Heron, a ferry", "the Heron was the first ferry".
func (s *search) toldKind(n named, kind []string) bool {
	for i := range s.propositions {
		st := &s.propositions[i]
		from, to, ok := st.find(n.full, true)
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
