package graphstore

import (
	"cmp"
	"math"
	"slices"
)

// SortByFirstSpan sorts the entities of a document in the order of
// Reader.InDocument: by first span, then by id, entities without a span last.
func SortByFirstSpan(entities []Entity) {
	slices.SortFunc(entities, func(a, b Entity) int {
		return cmp.Or(cmp.Compare(a.firstSpan(), b.firstSpan()), cmp.Compare(a.ID, b.ID))
	})
}

func (e Entity) firstSpan() int {
	first := math.MaxInt
	for _, l := range e.Links {
		for _, s := range l.Spans {
			first = min(first, s.Start)
		}
	}
	return first
}
