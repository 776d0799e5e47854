package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// A Meaning is the embedding of a name in 256 bits: two embeddings
// differ in as many bits as the angle between them is large. A library of
// embeddings would not fit into memory, their meanings do.
type Meaning [4]uint64

// MeaningOf returns the meaning of an embedding: the signs of some of its
// coordinates after two random rotations, each of sign flips and a Hadamard
// transform.
func MeaningOf(embedding []float32) Meaning {
	size := 256
	for size < len(embedding) {
		size *= 2
	}
	v := make([]float64, size)
	for i, x := range embedding {
		v[i] = float64(x)
	}
	random := uint64(size)
	for range 2 {
		for i := range v {
			random += 0x9e3779b97f4a7c15 // SplitMix64
			z := (random ^ random>>30) * 0xbf58476d1ce4e5b9
			if (z^z>>27)&1 == 1 {
				v[i] = -v[i]
			}
		}
		hadamard(v)
	}
	var m Meaning
	for i := range 64 * len(m) {
		if v[i*(size/256)] > 0 {
			m[i/64] |= 1 << (i % 64)
		}
	}
	return m
}

// hadamard transforms v in place. Its length is a power of two.
func hadamard(v []float64) {
	for step := 1; step < len(v); step *= 2 {
		for i := 0; i < len(v); i += 2 * step {
			for j := i; j < i+step; j++ {
				v[j], v[j+step] = v[j]+v[j+step], v[j]-v[j+step]
			}
		}
	}
}

// alike estimates the cosine of the angle between two embeddings.
func (m Meaning) alike(n Meaning) float64 {
	different := 0
	for i := range m {
		different += bits.OnesCount64(m[i] ^ n[i])
	}
	return math.Cos(math.Pi * float64(different) / 256)
}

// Limits of the neighbours by meaning.
const (
	leastAlike   = 0.85 // cosine
	bandBits     = 14   // of a meaning that two neighbours share at one place
	mostInABand  = 150  // entities with the same bits that are compared
	mostOfEntity = 20   // neighbours of one entity
)

// neighbours returns the pairs of entities with nearly the same meaning. It
// compares those that have the same bits at some place.
func neighbours(entities []Entity) [][2]int32 {
	found := map[[2]int32]float64{}
	for at := 0; at+bandBits <= 256; at += bandBits {
		band := map[uint64][]int32{}
		for i, e := range entities {
			if e.Meaning != nil {
				band[e.Meaning.at(at)] = append(band[e.Meaning.at(at)], int32(i))
			}
		}
		for _, block := range band {
			if len(block) > mostInABand {
				continue
			}
			for i, y := range block {
				for _, x := range block[:i] {
					if a := entities[x].Meaning.alike(*entities[y].Meaning); a >= leastAlike {
						found[[2]int32{x, y}] = a
					}
				}
			}
		}
	}
	return nearest(entities, found)
}

// nearest returns the pairs that are most alike, a few of each entity.
func nearest(entities []Entity, alike map[[2]int32]float64) (pairs [][2]int32) {
	id := func(pair [2]int32, end int) domain.EntityID { return entities[pair[end]].ID }
	of := map[int32]int{}
	for _, pair := range slices.SortedFunc(maps.Keys(alike), func(p, q [2]int32) int {
		return cmp.Or(cmp.Compare(alike[q], alike[p]), cmp.Compare(id(p, 0), id(q, 0)), cmp.Compare(id(p, 1), id(q, 1)))
	}) {
		if of[pair[0]] < mostOfEntity && of[pair[1]] < mostOfEntity {
			of[pair[0]]++
			of[pair[1]]++
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// at returns the bits of a band.
func (m Meaning) at(from int) uint64 {
	word, shift := from/64, from%64
	low := m[word] >> shift
	if shift > 64-bandBits {
		low |= m[word+1] << (64 - shift)
	}
	return low & (1<<bandBits - 1)
}

// compareMeanings compares two entities whose names have nothing in common but
// perhaps their meaning, such as a translation. Names with a word in common are
// alike for that word. It is left to a person: an embedding does not tell a town
// from its neighbour.
func (m *matcher) compareMeanings(r *comparison, i, j int) bool {
	a, b := &m.entities[i], &m.entities[j]
	x, y := m.forms[i][0], m.forms[j][0]
	if a.Meaning == nil || b.Meaning == nil || slices.ContainsFunc(x.content(), func(w string) bool { return slices.Contains(y.words, w) }) {
		return false
	}
	alike := a.Meaning.alike(*b.Meaning)
	if alike < leastAlike {
		return false
	}
	r.pattern, r.vetoed = SameMeaning, true
	r.add("meaning", 30*(alike-0.9), fmt.Sprintf("The embeddings of the names have a similarity of %.2f.", alike))
	distinguish(r, x, y)
	return true
}
