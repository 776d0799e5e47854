package graphstore

import (
	"cmp"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
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

// Several returns the keys of properties that have several values, in order.
// Properties are ordered by key.
func Several(properties domain.Properties) []string {
	var keys []string
	for i, p := range properties {
		if i > 0 && p.Key == properties[i-1].Key && (len(keys) == 0 || keys[len(keys)-1] != p.Key) {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// SortNear puts neighbours in the order of Reader.Near.
func SortNear(near Near) {
	slices.SortFunc(near.Names, func(a, b NearName) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Entity, b.Entity)) })
	for _, n := range near.Names {
		slices.SortFunc(n.Links, func(a, b NearLink) int { return cmp.Compare(a.ID, b.ID) })
		slices.Sort(n.Related)
	}
	slices.SortFunc(near.Chunks, func(a, b NearChunk) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range near.Chunks {
		slices.SortFunc(c.Links, func(a, b NamedLink) int {
			return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Passages, b.Passages), cmp.Compare(a.Kind, b.Kind))
		})
	}
}
