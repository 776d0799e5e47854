package explore

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
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

// A Way is a shortest chain of relations from one entity to another.
type Way struct {
	Other domain.Entity   // where it leads; zero if no entity has the name
	Also  []domain.Entity // others that may be meant
	Hops  []Hop           // none if no chain of at most MaxHops relations leads there
}

// A Hop is one relation of a way.
type Hop struct {
	Relation
	Back bool // it points from Other to the entity before
}

// maxNamesakes is the most entities of one name that may be meant.
const maxNamesakes = 5

// Way returns a way from an entity to the one called to, the most mentioned one if
// several have the name.
func (r Reader) Way(ctx context.Context, from domain.EntityID, to string) (Way, error) {
	w := domain.WorkspaceOf(ctx)
	found, _, err := r.Graph.Entities(ctx, w, graphstore.EntityQuery{Text: to, Limit: maxNamesakes})
	if err != nil || len(found) == 0 {
		return Way{}, err
	}
	way := Way{Other: found[0], Also: found[1:]}
	g, err := r.Library.Get(ctx, w)
	if err != nil {
		return way, err
	}
	path := g.Path(Filter{}, from, way.Other.ID)
	var refs []graphstore.RelationRef
	for i := 1; i < len(path); i++ {
		refs = append(refs, g.between(path[i-1], path[i]))
	}
	if len(refs) == 0 {
		return way, nil
	}
	stated, err := r.Graph.Stated(ctx, w, refs)
	for i, ref := range refs {
		at := slices.IndexFunc(stated, func(e graphstore.Edge) bool { return e.ID == ref.ID })
		if at < 0 {
			return Way{Other: way.Other, Also: way.Also}, err // it has changed meanwhile
		}
		way.Hops = append(way.Hops, Hop{RelationOf(stated[at], path[i]), ref.Source != path[i]})
	}
	return way, err
}

// between returns the best supported relation between two entities that have one.
func (g *Graph) between(a, b domain.EntityID) graphstore.RelationRef {
	best := relation{evidence: -1}
	for _, at := range g.incident.of(g.at[a]) {
		if r := g.relations[at]; r.other(g.at[a]) == g.at[b] && r.evidence > best.evidence {
			best = r
		}
	}
	source, target := g.entities[best.source].id, g.entities[best.target].id
	return graphstore.RelationRef{ID: domain.NewRelationID(source, best.kind, target), Source: source, Target: target}
}
