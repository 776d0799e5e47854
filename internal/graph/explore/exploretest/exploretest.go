// Package exploretest makes graphs for testing and measuring the explorer.
package exploretest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

var (
	labels = []string{"Person", "Organization", "Place", "Event", "Work", "Vessel"}
	types  = []string{"KNOWS", "WORKED_FOR", "LOCATED_IN", "PART_OF", "PAID_FOR", "BUILT_BY", "MENTIONS", "MARRIED_TO"}
	first  = []string{"Ada", "Bertram", "Clement", "Dorothea", "Edith", "Frederick", "Greta", "Henrike", "Isolde", "Jasper", "Konrad", "Lavinia"}
	last   = []string{"Aldous", "Brook", "Carrow", "Dunmore", "Eversley", "Foxall", "Gadd", "Harrow", "Ingleby", "Jessop", "Keel", "Lovibond", "Marrant", "Norcott"}
)

// Graph returns a graph like those that documents give: parts of different
// sizes in which some entities have many relations, a few relations between the
// parts, and some entities without any. It depends on the numbers alone.
func Graph(entities, relations int) *graphstore.Adjacency {
	draw := rand.New(rand.NewPCG(uint64(entities), uint64(relations)))
	a := &graphstore.Adjacency{Cursor: 1}
	for i := range entities {
		label := labels[draw.IntN(len(labels))]
		name := fmt.Sprintf("%s %s %d", first[draw.IntN(len(first))], last[draw.IntN(len(last))], i)
		a.Entities = append(a.Entities, graphstore.AdjacentEntity{ID: domain.NewEntityID("w", label, name), Label: label, Key: name, Name: name})
	}
	slices.SortFunc(a.Entities, func(x, y graphstore.AdjacentEntity) int { return cmp.Compare(x.ID, y.ID) })
	for i := range max(1, entities/4) {
		document := domain.DocumentID(fmt.Sprintf("d%06d", i/20))
		a.Chunks = append(a.Chunks, graphstore.AdjacentChunk{ID: domain.ChunkID(fmt.Sprintf("c%06d", i)), Document: document})
		for j := range 4 {
			if n := i*4 + j; n < entities {
				a.Links = append(a.Links, graphstore.AdjacentLink{Chunk: int32(i), Entity: int32(n), Kind: graphstore.LinkMention})
			}
		}
	}
	joined := map[graphstore.AdjacentRelation]bool{}
	part := max(8, entities/60)
	for len(joined) < relations && len(joined) < entities*(entities-1)/2 {
		from := draw.IntN(max(2, entities-entities/20))
		start := from / part * part
		to := start + int(float64(part)*draw.Float64()*draw.Float64()*draw.Float64())
		if draw.IntN(25) == 0 {
			to = draw.IntN(entities)
		}
		if to == from || to >= entities {
			continue
		}
		joined[graphstore.AdjacentRelation{Source: int32(from), Target: int32(to), Type: types[draw.IntN(len(types))]}] = true
	}
	for r := range joined {
		r.Evidence = 1 + (r.Source+r.Target)%3
		a.Relations = append(a.Relations, r)
	}
	slices.SortFunc(a.Relations, func(x, y graphstore.AdjacentRelation) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Target, y.Target), cmp.Compare(x.Type, y.Type))
	})
	return a
}
