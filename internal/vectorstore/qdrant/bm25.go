package qdrant

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// The constants of Okapi BM25, the same as in the embedded store.
const k1, b = 1.2, 0.75

// average returns the assumed mean length of a collection's points, in words. It
// is fixed because with the true mean each new document would change the weights
// of all points before it.
func average(c vectorstore.Collection) float32 {
	if c == vectorstore.Chunks {
		return 150
	}
	return 14 // sentences
}

// weigh returns the sparse vector of a text: for each stem's hash, the factor of
// BM25 that depends on the text alone. The server multiplies it by the inverse
// document frequency.
func weigh(c vectorstore.Collection, text string) ([]uint32, []float32) {
	counts := map[uint32]float32{}
	stems := words.Stems(text)
	for _, s := range stems {
		counts[hash(s)]++
	}
	indices := slices.Sorted(maps.Keys(counts))
	values := make([]float32, len(indices))
	length := float32(len(stems)) / average(c)
	for i, at := range indices {
		values[i] = counts[at] * (k1 + 1) / (counts[at] + k1*(1-b+b*length))
	}
	return indices, values
}

// maxStems is the number of distinct stems of a query that count.
const maxStems = 4096

// weighQuery returns the sparse vector of a query: every stem counts once.
func weighQuery(text string) ([]uint32, []float32) {
	distinct := map[uint32]bool{}
	for _, s := range words.Stems(text) {
		if len(distinct) == maxStems {
			break
		}
		distinct[hash(s)] = true
	}
	indices := slices.Sorted(maps.Keys(distinct))
	values := make([]float32, len(indices))
	for i := range values {
		values[i] = 1
	}
	return indices, values
}
