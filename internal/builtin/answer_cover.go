package builtin

// coverage describes how a proposition covers a clause.
type coverage struct {
	used    map[int]bool  // tokens of the question's names
	at      map[int][]int // tokens that cover an element, by the element's first token in the question
	missing []element
	latest  []int // tokens of the name found last
}

// cover matches a proposition against the elements of a clause.
func (s *proposition) cover(c clause) coverage {
	cov := coverage{used: map[int]bool{}, at: map[int][]int{}}
	for _, e := range c.elements {
		if e.key == "" {
			continue
		}
		if !cov.name(s, e.key) {
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

// name looks for a name.
func (c *coverage) name(s *proposition, key string) bool {
	c.latest = nil
	if from, to, ok := s.find(key, false); ok {
		c.use(from, to)
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
	for i, forms := range s.forms {
		if !c.used[i] && forms != nil && shareForm(forms, e.forms) {
			c.at[e.from] = append(c.at[e.from], i)
		}
	}
	if len(c.at[e.from]) == 0 && !e.weak {
		c.missing = append(c.missing, e)
	}
}
