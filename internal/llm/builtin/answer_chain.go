package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// chain is a row of propositions that together answer a question: the innermost
// description first, the proposition that holds the answer last.
type chain struct {
	links []link
	cost  float64
}

// link is one proposition of a chain.
type link struct {
	proposition int
	clause      clause
	through     string // what the proposition before it named
	names       string // what it names for the next one, or as the answer
	leaned      bool   // what it speaks of is named by the sentence before it
}

// search looks for chains in findings.
type search struct {
	*findings
	*question
}

// best is the chain that answers the question with the least liberties, nil
// when there is none.
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

// follow tries every proposition for clause k of a plan, from the innermost to
// the question's own.
func (s *search) follow(plan []clause, k int, through *named, so chain, found func(chain)) {
	for i := range s.propositions {
		st := &s.propositions[i]
		cov := s.cover(st, plan[k], through)
		if len(cov.missing) > 0 || !s.namesAgree(st, cov, plan[k]) {
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

// namesAgree reports whether the names of a clause take the parts in a
// proposition that the question gives them.
func (s *search) namesAgree(st *proposition, cov coverage, c clause) bool {
	for _, e := range c.elements {
		if at := cov.at[e.from]; e.key != "" && len(at) == 2 && !s.agrees(st, cov, c, stretch{e.from, e.to}, stretch{at[0], at[1]}) {
			return false
		}
	}
	return true
}

// headAgrees reports whether a name takes the part of the noun that a
// description is of.
func (s *search) headAgrees(n named, st *proposition, cov coverage, outer, inner clause) bool {
	if len(outer.head) == 0 || st.leansOn(n) {
		return true
	}
	noun := outer.head[len(outer.head)-1]
	return s.agrees(st, cov, inner, stretch{noun.from, noun.to}, stretch{n.from, n.to})
}

// bridges are the names in a proposition that the question leaves out.
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

// leansOn reports whether n is what the proposition's pronoun stands for.
func (st *proposition) leansOn(n named) bool {
	return st.leans.has(func(o named) bool { return o == n })
}

func (c coverage) overlaps(n named) bool {
	for i := n.from; i < n.to; i++ {
		if c.used[i] {
			return true
		}
	}
	return false
}

// asksOf reports whether the question itself has a name.
func (s *search) asksOf(n named) bool {
	return slices.Contains(s.question.names, n.key) || slices.Contains(s.question.names, n.full)
}

// fits reports whether a name can be what a clause calls by its noun, and at
// what cost.
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

// kindCost is what it costs to take a name for one of a kind. It is refused
// when the name itself says that it is of another kind.
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

// toldKind reports whether any proposition has the kind right beside the name:
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

// describes reports whether what follows token i says of what kind the name
// before it is.
func (st *proposition) describes(i int, kind []string) bool {
	if i >= len(st.tokens) {
		return false
	}
	first := strings.ToLower(st.tokens[i].Text)
	if first != "," && first != "is" && first != "was" && !shareForm(st.forms[i], kind) {
		return false
	}
	for t := i; t < min(i+6, len(st.tokens)); t++ {
		if shareForm(st.forms[t], kind) {
			return true
		}
	}
	return false
}

// answers reports whether a proposition offers what the question asks for, what
// that is, and at what cost.
func (s *search) answers(st *proposition, cov coverage, c clause) (string, float64, bool) {
	switch s.kind {
	case aTime:
		return s.dateIn(st)
	case aNumber:
		return s.numberIn(st)
	case aPerson:
		return s.personIn(st, cov, c)
	case aPlace:
		return s.placeIn(st, cov)
	case aNamed:
		return s.namedIn(st, cov, c)
	}
	return s.newsIn(st, cov)
}

func (s *search) dateIn(st *proposition) (string, float64, bool) {
	for _, t := range st.tokens {
		key := strings.ToLower(t.Text)
		if !s.words[key] && (isYear(key) || monthsAndDay[key] && prose.IsCapitalised(t.Text)) {
			return t.Text, 0, true
		}
	}
	return "", 0, false
}

func isYear(s string) bool {
	return (len(s) == 4 || len(s) == 5 && s[4] == 's') && isNumber(s) && !strings.ContainsAny(s, ".,:")
}

func (s *search) numberIn(st *proposition) (string, float64, bool) {
	for i, t := range st.tokens {
		key := strings.ToLower(t.Text)
		if !s.words[key] && (isNumber(key) || numberWords[strings.Split(key, "-")[0]]) {
			if i+1 < len(st.tokens) && st.tokens[i+1].Word && !prose.IsStopWord(st.tokens[i+1].Text) {
				return t.Text + " " + st.tokens[i+1].Text, 0, true // with what is counted
			}
			return t.Text, 0, true
		}
	}
	return "", 0, false
}

// personIn looks for a name that is not just where something happened.
func (s *search) personIn(st *proposition, cov coverage, c clause) (string, float64, bool) {
	for _, n := range s.bridges(st, cov) {
		if st.leansOn(n) || !st.follows(n.from, locatives) && s.agrees(st, cov, c, s.asks, stretch{n.from, n.to}) {
			return n.text, 0, true
		}
	}
	return "", 0, false
}

// follows reports whether one of words, and perhaps an article, stands before
// token i.
func (st *proposition) follows(i int, words map[string]bool) bool {
	if i > 0 && determiners[strings.ToLower(st.tokens[i-1].Text)] {
		i--
	}
	return i > 0 && words[strings.ToLower(st.tokens[i-1].Text)]
}

// placeIn looks for a name, or else a noun, behind a preposition of place.
func (s *search) placeIn(st *proposition, cov coverage) (string, float64, bool) {
	for _, n := range s.bridges(st, cov) {
		if !st.leansOn(n) && st.follows(n.from, places) {
			return n.text, 0, true
		}
	}
	for i, t := range st.tokens {
		key := strings.ToLower(t.Text)
		if t.Word && !cov.used[i] && !prose.IsStopWord(key) && !s.words[key] && !isNumber(key) && !monthsAndDay[key] && !numberWords[key] && st.follows(i, places) {
			return t.Text, costNoKind, true
		}
	}
	return "", 0, false
}

// namedIn looks for a name of the kind that is asked for.
func (s *search) namedIn(st *proposition, cov coverage, c clause) (string, float64, bool) {
	text, least, found := "", 0.0, false
	for _, n := range s.bridges(st, cov) {
		cost, ok := s.kindCost(n, st, s.wanted)
		if !ok || cost >= costNoKind || !st.leansOn(n) && !s.agrees(st, cov, c, s.asks, stretch{n.from, n.to}) {
			continue
		}
		if !found || cost < least {
			text, least, found = n.text, cost, true
		}
	}
	return text, least, found
}

// newsIn looks for any word that the question does not have.
func (s *search) newsIn(st *proposition, cov coverage) (string, float64, bool) {
	for i, t := range st.tokens {
		if cov.used[i] || !s.isNews(st, i) {
			continue
		}
		if n, ok := st.within(i, i+1); ok {
			return n.text, 0, true
		}
		end := i + 1
		for end < len(st.tokens) && !cov.used[end] && s.isNews(st, end) {
			end++
		}
		return domain.Span{Start: t.Span.Start, End: st.tokens[end-1].Span.End}.Slice(st.text), 0, true
	}
	return "", 0, false
}

// isNews reports whether a token is a word that says something the question
// does not.
func (s *search) isNews(st *proposition, i int) bool {
	t := st.tokens[i]
	return t.Word && !prose.IsStopWord(t.Text) && !s.words[prose.Key(t.Text)] && !s.asked(st.forms[i])
}

// asked reports whether a word is a form of one of the question's.
func (s *search) asked(forms []string) bool {
	return slices.ContainsFunc(s.pieces, func(it piece) bool { return it.forms != nil && shareForm(it.forms, forms) })
}
