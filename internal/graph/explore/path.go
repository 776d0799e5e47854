package explore

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// MaxHops is the most relations in a path.
const MaxHops = 6

// Path returns a shortest chain of relations between two entities, with both
// ends, or nil if none of at most MaxHops relations passes the filter. Among
// several it takes the entities that most is known about.
func (g *Graph) Path(f Filter, from, to domain.EntityID) []domain.EntityID {
	ends := g.indices([]domain.EntityID{from, to})
	if len(ends) < 2 {
		return nil
	}
	m := g.mask(f)
	m.entities[ends[0]], m.entities[ends[1]] = true, true
	back := map[int32]int32{ends[0]: ends[0]}
	rim := []int32{ends[0]}
	for range MaxHops {
		rim = m.reach(rim, back)
		if _, reached := back[ends[1]]; reached {
			break
		}
	}
	if _, reached := back[ends[1]]; !reached {
		return nil
	}
	var path []domain.EntityID
	for n := ends[1]; ; n = back[n] {
		path = append(path, g.entities[n].id)
		if n == ends[0] {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// reach takes a step from the rim, records in back where each entity was
// reached from, and returns the next rim, heaviest first.
func (m mask) reach(rim []int32, back map[int32]int32) []int32 {
	var next []int32
	for _, n := range rim {
		m.neighbours(n, func(_ relation, other int32) {
			if _, seen := back[other]; !seen {
				back[other] = n
				next = append(next, other)
			}
		})
	}
	slices.SortFunc(next, m.g.byWeight)
	return next
}
