package qdrant

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// The constants of Okapi BM25, those of the embedded store.
const k1, b = 1.2, 0.75

// average is the length in words that a point of a collection is taken to have
// on average. It is fixed: were it the true one, each document would change
// the weights of all points before.
func average(c vectorstore.Collection) float32 {
	if c == vectorstore.Chunks {
		return 150
	}
	return 14 // sentences
}

// weigh is the sparse vector of a text: for each stem, under its hash, the part
// of BM25 that depends on the text alone. The server multiplies it by the
// inverse document frequency.
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

// maxStems bounds the words of a question; of a longer one the first count.
const maxStems = 4096

// ask is the sparse vector of a question: every word counts once.
func ask(text string) ([]uint32, []float32) {
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
