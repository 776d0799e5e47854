package explore

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// A Community is a group of entities with more relations among each other than with
// the rest.
type Community struct {
	Lead      domain.EntityID // its heaviest entity
	Names     []string        // of its heaviest entities
	Members   int
	Documents int
	Passages  []domain.ChunkID // that mention most of it, best first
}

// namesOf is how many names of a community are given.
const namesOf = 12

// divided returns the communities that relations alone make, computed once.
func (g *Graph) divided() [][]int32 {
	g.part.Do(func() { g.groups, _ = g.communities(nil) })
	return g.groups
}

// Communities returns at most most communities, each with at most passages
// passages: the ones that most passages of the documents mention come first. No
// documents mean all.
func (g *Graph) Communities(within []domain.DocumentID, most, passages int) []Community {
	among := make(map[domain.DocumentID]bool, len(within))
	for _, d := range within {
		among[d] = true
	}
	type candidate struct {
		members []int32
		counts  map[int32]int // members that a passage mentions
	}
	groups := g.divided()
	var all []candidate
	for _, members := range groups {
		c := candidate{members, map[int32]int{}}
		for _, n := range members {
			for _, chunk := range g.chunks.of(n) {
				if len(within) == 0 || among[g.documents[g.of[chunk]]] {
					c.counts[chunk]++
				}
			}
		}
		if len(c.counts) > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(len(b.counts), len(a.counts)) })
	var out []Community
	for _, c := range all[:min(len(all), most)] {
		k := Community{Lead: g.entities[c.members[0]].id, Members: len(c.members)}
		for _, n := range c.members[:min(len(c.members), namesOf)] {
			k.Names = append(k.Names, g.entities[n].name)
		}
		chunks, documents := make([]int32, 0, len(c.counts)), map[int32]bool{}
		for chunk := range c.counts {
			chunks = append(chunks, chunk)
			documents[g.of[chunk]] = true
		}
		slices.SortFunc(chunks, func(a, b int32) int { return cmp.Or(cmp.Compare(c.counts[b], c.counts[a]), cmp.Compare(a, b)) })
		k.Documents = len(documents)
		for _, chunk := range chunks[:min(len(chunks), passages)] {
			k.Passages = append(k.Passages, g.passages[chunk])
		}
		out = append(out, k)
	}
	return out
}

// Documents lists the documents with passages among those given, with the number of
// passages of each; all without any given.
func (g *Graph) Documents(within []domain.DocumentID) (ids []domain.DocumentID, passages []int) {
	counts := make([]int, len(g.documents))
	for _, d := range g.of {
		counts[d]++
	}
	for i, id := range g.documents {
		if len(within) == 0 || slices.Contains(within, id) {
			ids, passages = append(ids, id), append(passages, counts[i])
		}
	}
	return ids, passages
}

// Mentions lists the passages that mention an entity, in the order of the documents.
func (g *Graph) Mentions(id domain.EntityID) []domain.ChunkID {
	at, known := g.at[id]
	if !known {
		return nil
	}
	var out []domain.ChunkID
	for _, c := range g.chunks.of(at) {
		out = append(out, g.passages[c])
	}
	return out
}

// An Entity is an entity with the passages that mention it, in the order of documents.
type Entity struct {
	Name     string
	Passages []domain.ChunkID
}

// Mentioned lists at most most entities with a label that fits, those first that most
// passages of the documents mention, each with at most passages of these. No documents
// mean all.
func (g *Graph) Mentioned(within []domain.DocumentID, fits func(label string) bool, most, passages int) []Entity {
	among := make(map[domain.DocumentID]bool, len(within))
	for _, d := range within {
		among[d] = true
	}
	chunks := map[int32][]int32{}
	var found []int32
	for i, e := range g.entities {
		if !fits(e.label) {
			continue
		}
		n := int32(i)
		for _, c := range g.chunks.of(n) {
			if len(within) == 0 || among[g.documents[g.of[c]]] {
				chunks[n] = append(chunks[n], c)
			}
		}
		if len(chunks[n]) > 0 {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(chunks[b]), len(chunks[a])), g.byWeight(a, b))
	})
	out := make([]Entity, 0, most)
	for _, n := range found[:min(len(found), most)] {
		e := Entity{Name: g.entities[n].name}
		for _, c := range chunks[n][:min(len(chunks[n]), passages)] {
			e.Passages = append(e.Passages, g.passages[c])
		}
		out = append(out, e)
	}
	return out
}
