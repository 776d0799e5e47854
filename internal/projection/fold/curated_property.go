package fold

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// edits are the properties that curators removed from a fact or a statement.
type edits struct{ removed []domain.Property }

// remove removes a value of a key, or all if value is "".
func (e *edits) remove(key, value string) {
	e.removed = append(e.removed, domain.Property{Key: key, Value: value})
}

// keep returns the properties that are left.
func (e *edits) keep(list domain.Properties) domain.Properties {
	if len(e.removed) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(p domain.Property) bool {
		return slices.ContainsFunc(e.removed, func(r domain.Property) bool { return r.Key == p.Key && (r.Value == "" || r.Value == p.Value) })
	})
}

// edit sets or removes a property of an entity or a relation. Words that
// documents say are found among the values that are there.
func (s *Curated) edit(g *group, c ledger.Curation) bool {
	if c.Relation == "" {
		removed := lists.Map(g.facts, func(f *fact) *edits { return &f.edits })
		return change(c, g.entity(s.Key).Properties, &g.given, removed)
	}
	claims := s.claimsOf(g, c)
	if len(claims) == 0 {
		return false
	}
	removed := make([]*edits, len(claims))
	first := claims[0]
	for i, cl := range claims {
		removed[i] = &cl.edits
		if cl != first {
			first.given, cl.given = append(first.given, cl.given...), nil
		}
	}
	return change(c, propertiesOf(claims), &first.given, removed)
}

// change applies an edit to the values of curators and documents, and reports whether it could. have holds both.
func change(c ledger.Curation, have domain.Properties, by *domain.Properties, removed []*edits) bool {
	key, value := c.Property.Text, c.Value.Text
	was, gone := c.Was, ""
	set := c.Kind == ledger.CurationSet
	if !set {
		was = c.Value
	}
	there := false
	for _, p := range have {
		if !c.Property.Is(p.Key) {
			continue
		}
		if key = p.Key; c.Value.Is(p.Value) {
			value = p.Value
		}
		if was.Is(p.Value) {
			gone = p.Value
		}
		there = true
	}
	all := was == ledger.Word{}
	if key == "" || set && value == "" || !set && !there || !all && gone == "" {
		return false
	}
	for _, e := range removed {
		e.remove(key, gone)
	}
	*by = slices.DeleteFunc(slices.Clone(*by), func(p domain.Property) bool { return p.Key == key && (gone == "" || p.Value == gone) })
	if set {
		*by = append(*by, domain.Property{Key: key, Value: value})
	}
	return true
}

// propertiesOf returns the properties of the relation that statements make.
func propertiesOf(claims []*claim) domain.Properties {
	count := map[domain.Property]int{}
	for _, c := range claims {
		c.count(count)
	}
	return sortedProperties(count)
}

func (c *claim) count(into map[domain.Property]int) {
	for _, p := range c.keep(c.Properties) {
		into[p]++
	}
	for _, p := range c.given {
		into[p] += given
	}
}
