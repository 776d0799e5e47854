package qdrant

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// The constants of Okapi BM25, the same as in the embedded store.
const k1, slope = 1.2, 0.75

// lengths are the points of a collection that were written since the workspace was
// filled, and their words. Words are weighed by their mean at the time of writing:
// the true one would change the weights of all points with each new document, and
// after a few hundred points hardly moves.
type lengths struct{ points, words int64 }

// terms are the stems of a point's text.
type terms struct {
	times map[uint32]float32 // by the stem's hash
	words int                // including stop words, as counted by the embedded store
}

func termsOf(text string) terms {
	t := terms{times: map[uint32]float32{}, words: words.Length(text)}
	for _, s := range words.Stems(text) {
		t.times[hash(s)]++
	}
	return t
}

// count counts the stems of the points, and adds their lengths to those of the
// points before.
func (b *batch) count() {
	b.terms, b.lengths = map[vectorstore.Ref]terms{}, map[vectorstore.Collection]lengths{}
	if b.After != 0 {
		maps.Copy(b.lengths, b.began.lengths)
	}
	for _, p := range b.Upsert {
		t := termsOf(p.Title + "\n" + p.Text)
		b.terms[p.Ref] = t
		l := b.lengths[p.Collection]
		b.lengths[p.Collection] = lengths{l.points + 1, l.words + int64(t.words)}
	}
}

// weigh returns the sparse vector of a point: for each stem's hash, the factor of
// BM25 that depends on the text alone. The server multiplies it by the inverse
// document frequency.
func (b *batch) weigh(p vectorstore.Ref) ([]uint32, []float32) {
	t, l := b.terms[p], b.lengths[p.Collection]
	indices := slices.Sorted(maps.Keys(t.times))
	values := make([]float32, len(indices))
	length := float32(int64(t.words)*l.points) / float32(max(l.words, 1))
	for i, at := range indices {
		values[i] = t.times[at] * (k1 + 1) / (t.times[at] + k1*(1-slope+slope*length))
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
