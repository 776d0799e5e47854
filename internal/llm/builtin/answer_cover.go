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
	costRank    = .01  // a place further down among the passages
	gainWeak    = .05  // an element that isn't needed is there all the same
)

// coverage is how a proposition covers a clause.
type coverage struct {
	cost    float64
	used    map[int]bool // tokens of names of the question and of what links
	leaned  bool         // a name is covered by a pronoun
	missing []element
}

// cover holds a proposition against the elements of a clause. Link is what the
// next clause described, nil for the innermost clause.
func (f *findings) cover(s *proposition, c clause, link *named) coverage {
	cov := coverage{used: map[int]bool{}}
	if link != nil && !cov.name(f, s, link.full, true) {
		cov.missing = append(cov.missing, element{text: link.text})
	}
	for _, e := range c.elements {
		if e.key != "" && !cov.name(f, s, e.key, false) {
			cov.missing = append(cov.missing, e)
		}
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
	if from, to, ok := s.find(key, capital); ok {
		c.use(from, to)
		if n, within := s.within(from, to); within && n.key != key {
			c.cost += costPart
		}
		return true
	}
	for _, n := range s.names {
		if n.full == key {
			c.use(n.from, n.to)
			c.cost += costShort
			return true
		}
	}
	if s.leans != nil && s.leans.name.full == key {
		c.leaned = true
		c.cost += costPronoun
		return true
	}
	return false
}

func (c *coverage) use(from, to int) {
	for i := from; i < to; i++ {
		c.used[i] = true
	}
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
