package graphstore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// The limits of a path search.
const (
	MaxHops       = 6      // relations in a path
	MaxLookedAt   = 20_000 // relations examined per search
	maxLookedOnce = 5_000  // relations examined per step
)

// Around is the part of Reader that FindPath uses.
type Around interface {
	Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]Edge, error)
}

// Path is a chain of relations that connects two entities.
type Path struct {
	Edges []Edge // consecutive edges share an end; nil if no chain was found
	Cut   bool   // the search hit its limits
}

// FindPath returns a shortest chain of at most hops relations (and at most
// MaxHops) between two entities, ignoring the direction of relations. Among
// several it prefers those with most evidence near the ends. It searches
// breadth first from both sides and always expands the side with the smaller
// frontier.
func FindPath(ctx context.Context, g Around, w domain.WorkspaceID, from, to domain.EntityID, hops int) (Path, error) {
	if from == to {
		return Path{}, nil
	}
	s := &pathSearch{g: g, workspace: w, budget: MaxLookedAt, a: newSide(from), b: newSide(to)}
	for range min(hops, MaxHops) {
		meeting, err := s.widen(ctx)
		if err != nil {
			return Path{}, fmt.Errorf("find a path: %w", err)
		}
		if meeting != "" {
			return Path{Edges: s.path(meeting), Cut: s.cut}, nil
		}
		if len(s.a.rim) == 0 || len(s.b.rim) == 0 || s.budget <= 0 {
			break
		}
	}
	return Path{Cut: s.cut}, nil
}

type pathSearch struct {
	g         Around
	workspace domain.WorkspaceID
	budget    int // relations that may still be examined
	cut       bool
	a, b      *side
}

// side is the part of the graph reached from one end.
type side struct {
	reached map[domain.EntityID]step
	rim     []domain.EntityID // the frontier, by id
}

// step records how an entity was reached.
type step struct {
	depth int
	by    Edge // zero for the end itself
	from  domain.EntityID
}

func newSide(end domain.EntityID) *side {
	return &side{reached: map[domain.EntityID]step{end: {}}, rim: []domain.EntityID{end}}
}

// widen expands the smaller frontier by one relation and returns the entity
// where the sides meet, or "".
func (s *pathSearch) widen(ctx context.Context) (domain.EntityID, error) {
	near, far := s.a, s.b
	if len(far.rim) < len(near.rim) {
		near, far = far, near
	}
	limit := min(s.budget, maxLookedOnce)
	edges, err := s.g.Around(ctx, s.workspace, near.rim, limit)
	if err != nil {
		return "", err
	}
	s.budget -= len(edges)
	s.cut = s.cut || len(edges) == limit
	next := map[domain.EntityID]bool{}
	for _, e := range edges {
		for _, hop := range [][2]domain.EntityID{{e.Source, e.Target}, {e.Target, e.Source}} {
			start, known := near.reached[hop[0]]
			if _, seen := near.reached[hop[1]]; !known || seen || next[hop[0]] {
				continue
			}
			near.reached[hop[1]] = step{depth: start.depth + 1, by: e, from: hop[0]}
			next[hop[1]] = true
		}
	}
	near.rim = slices.Sorted(maps.Keys(next))
	return meeting(near.rim, far.reached), nil
}

// meeting returns the entity of the frontier nearest to the other end, or "".
func meeting(rim []domain.EntityID, reached map[domain.EntityID]step) domain.EntityID {
	var best domain.EntityID
	for _, id := range rim {
		at, ok := reached[id]
		if ok && (best == "" || at.depth < reached[best].depth) {
			best = id
		}
	}
	return best
}

// path returns the chain through an entity that both sides have reached.
func (s *pathSearch) path(through domain.EntityID) []Edge {
	edges := s.a.back(through)
	slices.Reverse(edges)
	return append(edges, s.b.back(through)...)
}

// back returns the relations from an entity back to the side's end.
func (x *side) back(id domain.EntityID) []Edge {
	var edges []Edge
	for at := x.reached[id]; at.depth > 0; at = x.reached[at.from] {
		edges = append(edges, at.by)
	}
	return edges
}
