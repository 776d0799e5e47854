package builtin

import (
	"slices"
	"strings"
)

// The costs of the liberties that a reading takes.
const (
	costPart    = 0.1  // a name inside a longer one
	costShort   = 0.1  // a short form
	costPronoun = 0.2  // a pronoun
	costSense   = 0.1  // another word with the same sense
	costContext = 0.2  // the kind is inferred from context
	costNoKind  = 0.4  // nothing states the kind
	costHop     = 0.1  // one more sentence
	costWord    = .002 // one more word to read
	costBare    = 0.3  // a heading or table row
	costRank    = .01  // one rank further down
	gainWeak    = .05  // an optional element is present
)

// coverage describes how a proposition covers a clause.
type coverage struct {
	cost    float64
	used    map[int]bool  // tokens of the question's names and of the link
	at      map[int][]int // tokens that cover an element, by the element's first token in the question
	leaned  bool          // a name is covered by a pronoun
	missing []element
	latest  []int // tokens of the name found last
}

// cover matches a proposition against the elements of a clause. link is what
// the next clause described, nil for the innermost clause.
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

// name looks for a name by its full form, a short form or a pronoun.
func (c *coverage) name(f *findings, s *proposition, key string, capital bool) bool {
	c.latest = nil
	if from, to, ok := s.find(key, capital); ok {
		n, within := s.within(from, to)
		part := within && n.key != key && n.full != key
		if !part || !capital { // a link is not part of another name
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

// has reports whether ok accepts any of the names leaned on.
func (l *leaning) has(ok func(named) bool) bool {
	return l != nil && slices.ContainsFunc(l.names, ok)
}

// within returns the proposition's name that contains the tokens.
func (s *proposition) within(from, to int) (named, bool) {
	for _, n := range s.names {
		if n.from <= from && to <= n.to {
			return n, true
		}
	}
	return named{}, false
}

// term looks for a word with the same stem outside the question's names.
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

// sameStem reports whether two words share a stem and not just a sense.
func sameStem(a, b []string) bool {
	return slices.ContainsFunc(a, func(f string) bool { return !strings.HasPrefix(f, "~") && slices.Contains(b, f) })
}
