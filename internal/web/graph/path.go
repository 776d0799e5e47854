package graph

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/views/page"
)

// maxNamesakes is the most entities of one name that are offered.
const maxNamesakes = 5

// path returns the shortest path from e to the entity called to, the most
// mentioned one if several have the name.
func (h *Handler) path(ctx context.Context, w domain.WorkspaceID, e domain.Entity, to string) (page.Way, error) {
	way := page.Way{To: to, Longest: graphstore.MaxHops, Most: graphstore.MaxLookedAt}
	if to == "" {
		return way, nil
	}
	found, _, err := h.Graph.Entities(ctx, w, graphstore.EntityQuery{Text: to, Limit: maxNamesakes})
	if err != nil || len(found) == 0 {
		return way, err
	}
	way.Other = present.EntityItem(found[0])
	for _, other := range found[1:] {
		way.Also = append(way.Also, present.EntityItem(other))
	}
	path, err := graphstore.FindPath(ctx, h.Graph, w, e.ID, way.Other.ID, graphstore.MaxHops)
	if err != nil {
		return way, err
	}
	way.Cut = path.Cut
	at := e.ID
	for _, edge := range path.Edges {
		next, back := edge.To, edge.Source != at
		if back {
			next = edge.From
		}
		way.Hops = append(way.Hops, page.Hop{RelationRow: present.RelationRow(edge, at, next), Back: back})
		at = next.ID
	}
	return way, nil
}
