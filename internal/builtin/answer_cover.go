package builtin

import (
	"slices"
	"strings"
)

// What each liberty that a reading takes costs.
const (
	costPart    = 0.1  // a name within a longer one
	costShort   = 0.1  // a short form
	costPronoun = 0.2  // a pronoun
	costSense   = 0.1  // another word of the same sense
	costContext = 0.2  // the kind of a thing is told by what surrounds it
	costNoKind  = 0.4  // nothing tells the kind of a thing
	costHop     = 0.1  // a further sentence
	costWord    = .002 // a word to read
	costBare    = 0.3  // a heading, or a line of a table
	costRank    = .01  // a place further down among the passages
	gainWeak    = .05  // an element that isn't needed is there all the same
)

// coverage is how a proposition covers a clause.
type coverage struct {
	cost    float64
	used    map[int]bool  // tokens of names of the question and of what links
	at      map[int][]int // tokens that cover an element, by the element's first token in the question
	leaned  bool          // a name is covered by a pronoun
	missing []element
	latest  []int // tokens of the name found last
}

// cover holds a proposition against the elements of a clause. Link is what the
// next clause described, nil for the innermost clause.
func (f *findings) cover(s *proposition, c clause, link *named) coverage {
	cov := coverage{used: map[int]bool{}, at: map[int][]int{}}
	if link != nil && !cov.name(f, s, link.full, true) {
		cov.missing = append(cov.missing, element{text: link.text})
	}
	for _, e := range c.elements {
		if e.key == "" {
			continue
		}
		if !cov.name(f, s, e.key, false) {
			cov.missing = append(cov.missing, e)
		}
		cov.at[e.from] = cov.latest
	}
	for _, e := range c.elements {
		if e.key == "" {
			cov.term(s, e)
		}
	}
	return cov
}

// name looks for a name, under its full form, a short form or a pronoun.
func (c *coverage) name(f *findings, s *proposition, key string, capital bool) bool {
	c.latest = nil
	if from, to, ok := s.find(key, capital); ok {
		n, within := s.within(from, to)
		part := within && n.key != key && n.full != key
		if !part || !capital { // what links is no part of another name
			c.use(from, to)
			if part {
				c.cost += costPart
			}
			return true
		}
	}
	for _, n := range s.names {
		if n.full == key {
			c.use(n.from, n.to)
			c.cost += costShort
			return true
		}
	}
	if s.leans.has(func(n named) bool { return n.full == key }) {
		c.leaned = true
		c.cost += costPronoun
		return true
	}
	return false
}

func (c *coverage) use(from, to int) {
	c.latest = []int{from, to}
	for i := from; i < to; i++ {
		c.used[i] = true
	}
}

// has reports whether a name that ok accepts is among what is leaned on.
func (l *leaning) has(ok func(named) bool) bool {
	return l != nil && slices.ContainsFunc(l.names, ok)
}

// within is the name of the proposition that holds the tokens.
func (s *proposition) within(from, to int) (named, bool) {
	for _, n := range s.names {
		if n.from <= from && to <= n.to {
			return n, true
		}
	}
	return named{}, false
}

// term looks for a word of the same form outside the names of the question.
func (c *coverage) term(s *proposition, e element) {
	best := -1.0
	for i, forms := range s.forms {
		if c.used[i] || forms == nil || !shareForm(forms, e.forms) {
			continue
		}
		c.at[e.from] = append(c.at[e.from], i)
		cost := 0.0
		if !sameStem(forms, e.forms) {
			cost = costSense
		}
		if best < 0 || cost < best {
			best = cost
		}
	}
	switch {
	case best >= 0 && e.weak:
		c.cost -= gainWeak
	case best >= 0:
		c.cost += best
	case !e.weak:
		c.missing = append(c.missing, e)
	}
}

// sameStem reports whether two words share more than a sense.
func sameStem(a, b []string) bool {
	return slices.ContainsFunc(a, func(f string) bool { return !strings.HasPrefix(f, "~") && slices.Contains(b, f) })
}
