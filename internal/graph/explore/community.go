package explore

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// The limits of communities.
const (
	largest   = 400 // members; larger communities are divided again
	maxRounds = 20  // of moving entities between communities
	maxDivide = 4
)

// bond joins two items; both directions are in a web.
type bond struct {
	to     int32
	weight float64
}

// web is a weighted graph for finding communities. It has no edge from an item to itself; inside holds the weights of
// the edges inside merged items.
type web struct {
	bonds  [][]bond
	inside []float64
}

// communities divides the entities into groups that are better connected inside
// than with each other, by Louvain's method: items move to the neighbouring
// community that raises modularity most, then each community becomes an item.
// Items are visited in order and ties go to the first, so the result depends on
// nothing but the graph. Ties hold less than relations. Entities without either are
// left out.
func (g *Graph) communities(ties []tie) (groups [][]int32, loose []int32) {
	w := g.web(ties)
	var connected []int32
	for n := range g.entities {
		if len(w.bonds[n]) > 0 {
			connected = append(connected, int32(n))
		} else {
			loose = append(loose, int32(n))
		}
	}
	groups = w.divide(connected, 1, 0)
	for _, list := range append(groups, loose) {
		slices.SortFunc(list, g.byWeight)
	}
	slices.SortFunc(groups, func(a, b []int32) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0]))
	})
	return groups, loose
}

// web returns the graph with its evidence as weights.
func (g *Graph) web(ties []tie) web {
	w := web{bonds: make([][]bond, len(g.entities)), inside: make([]float64, len(g.entities))}
	for _, r := range g.relations {
		if r.source != r.target {
			weight := float64(max(1, r.evidence))
			w.bonds[r.source] = append(w.bonds[r.source], bond{r.target, weight})
			w.bonds[r.target] = append(w.bonds[r.target], bond{r.source, weight})
		}
	}
	for _, t := range ties {
		weight := t.strength / 2
		w.bonds[t.a] = append(w.bonds[t.a], bond{t.b, weight})
		w.bonds[t.b] = append(w.bonds[t.b], bond{t.a, weight})
	}
	return w
}

// divide returns the communities among items. Those that are too large are
// divided again, with twice the resolution.
func (w web) divide(items []int32, resolution float64, depth int) [][]int32 {
	part := w.part(items)
	of := part.settle(resolution)
	groups := make([][]int32, 0)
	at := map[int32]int{}
	for i, c := range of {
		k, known := at[c]
		if !known {
			k = len(groups)
			at[c] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], items[i])
	}
	if depth == maxDivide {
		return groups
	}
	var out [][]int32
	for _, list := range groups {
		if len(list) > largest {
			out = append(out, w.divide(list, 2*resolution, depth+1)...)
		} else {
			out = append(out, list)
		}
	}
	return out
}

// part returns the web among some items, renumbered.
func (w web) part(items []int32) web {
	at := make(map[int32]int32, len(items))
	for i, n := range items {
		at[n] = int32(i)
	}
	p := web{bonds: make([][]bond, len(items)), inside: make([]float64, len(items))}
	for i, n := range items {
		p.inside[i] = w.inside[n]
		for _, b := range w.bonds[n] {
			if to, in := at[b.to]; in {
				p.bonds[i] = append(p.bonds[i], bond{to, b.weight})
			}
		}
	}
	return p
}

// settle returns the community of each item.
func (w web) settle(resolution float64) []int32 {
	of := make([]int32, len(w.bonds))
	for i := range of {
		of[i] = int32(i)
	}
	for {
		moved, found := w.move(resolution)
		if !moved {
			return of
		}
		count := renumber(found)
		for i := range of {
			of[i] = found[of[i]]
		}
		w = w.merge(found, count)
	}
}

// move moves items between communities until nothing is gained.
func (w web) move(resolution float64) (moved bool, of []int32) {
	n := len(w.bonds)
	of = make([]int32, n)
	for i := range n {
		of[i] = int32(i)
	}
	degree, total := w.degrees()
	sum := slices.Clone(degree)
	to, touched := make([]float64, n), []int32(nil)
	for range maxRounds {
		again := false
		for i := range n {
			own := of[i]
			touched = append(touched[:0], own)
			for _, b := range w.bonds[i] {
				if to[of[b.to]] == 0 && of[b.to] != own {
					touched = append(touched, of[b.to])
				}
				to[of[b.to]] += b.weight
			}
			sum[own] -= degree[i]
			best, most := own, to[own]-resolution*sum[own]*degree[i]/total
			for _, c := range touched {
				if gain := to[c] - resolution*sum[c]*degree[i]/total; gain > most+1e-9 {
					best, most = c, gain
				}
				to[c] = 0
			}
			sum[best] += degree[i]
			if best != own {
				of[i], again, moved = best, true, true
			}
		}
		if !again {
			break
		}
	}
	return moved, of
}

// degrees returns the weight of each item's bonds, and of all.
func (w web) degrees() (degree []float64, total float64) {
	degree = slices.Clone(w.inside)
	for i, bonds := range w.bonds {
		for _, b := range bonds {
			degree[i] += b.weight
		}
		total += degree[i]
	}
	return degree, total
}

// renumber replaces the communities by 0, 1, …, in the order in which they
// occur, and returns how many there are.
func renumber(of []int32) int {
	at := map[int32]int32{}
	for i, c := range of {
		k, known := at[c]
		if !known {
			k = int32(len(at))
			at[c] = k
		}
		of[i] = k
	}
	return len(at)
}

// merge returns the web of communities.
func (w web) merge(of []int32, count int) web {
	out := web{bonds: make([][]bond, count), inside: make([]float64, count)}
	members := make([][]int32, count)
	for i, c := range of {
		members[c] = append(members[c], int32(i))
	}
	to := make([]float64, count)
	for c, list := range members {
		var touched []int32
		for _, i := range list {
			out.inside[c] += w.inside[i]
			for _, b := range w.bonds[i] {
				other := of[b.to]
				if int(other) == c {
					out.inside[c] += b.weight
					continue
				}
				if to[other] == 0 {
					touched = append(touched, other)
				}
				to[other] += b.weight
			}
		}
		for _, other := range touched {
			out.bonds[c] = append(out.bonds[c], bond{other, to[other]})
			to[other] = 0
		}
	}
	return out
}

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
	among := lists.Set(within)
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
		k.Names = lists.Map(c.members[:min(len(c.members), namesOf)], func(n int32) string { return g.entities[n].name })
		chunks, documents := make([]int32, 0, len(c.counts)), map[int32]bool{}
		for chunk := range c.counts {
			chunks = append(chunks, chunk)
			documents[g.of[chunk]] = true
		}
		slices.SortFunc(chunks, func(a, b int32) int { return cmp.Or(cmp.Compare(c.counts[b], c.counts[a]), cmp.Compare(a, b)) })
		k.Documents = len(documents)
		k.Passages = lists.Map(chunks[:min(len(chunks), passages)], func(chunk int32) domain.ChunkID { return g.passages[chunk] })
		out = append(out, k)
	}
	return out
}
