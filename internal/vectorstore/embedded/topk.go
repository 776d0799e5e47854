package embedded

import (
	"container/heap"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/vectorstore"
)

// topK keeps the k best hits in a heap, the worst on top.
type topK struct {
	k    int
	hits worstFirst
}

func (t *topK) offer(id string, score float32) {
	h := vectorstore.Hit{ID: id, Score: float64(score)}
	switch {
	case len(t.hits) < t.k:
		heap.Push(&t.hits, h)
	case compareHits(h, t.hits[0]) < 0:
		t.hits[0] = h
		heap.Fix(&t.hits, 0)
	}
}

// floor returns the score that a hit must reach to be kept.
func (t *topK) floor() float32 {
	if len(t.hits) < t.k {
		return float32(math.Inf(-1))
	}
	return float32(t.hits[0].Score)
}

// merge returns the k best hits of several, best first.
func merge(k int, tops []topK) []vectorstore.Hit {
	all := lists.Flat(tops, func(t topK) []vectorstore.Hit { return t.hits })
	slices.SortFunc(all, compareHits)
	return all[:min(k, len(all))]
}

// floor keeps the k largest numbers.
type floor struct {
	k    int
	best smallestFirst
}

func newFloor(k int) *floor { return &floor{k: k} }

func (f *floor) offer(x float64) {
	switch {
	case len(f.best) < f.k:
		heap.Push(&f.best, x)
	case x > f.best[0]:
		f.best[0] = x
		heap.Fix(&f.best, 0)
	}
}

// value returns the k-th largest number, or -Inf if there are fewer.
func (f *floor) value() float64 {
	if len(f.best) < f.k {
		return math.Inf(-1)
	}
	return f.best[0]
}

// smallestFirst is a heap.Interface.
type smallestFirst []float64

func (h smallestFirst) Len() int           { return len(h) }
func (h smallestFirst) Less(i, j int) bool { return h[i] < h[j] }
func (h smallestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *smallestFirst) Push(x any)        { *h = append(*h, x.(float64)) }
func (h *smallestFirst) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// worstFirst is a heap.Interface.
type worstFirst []vectorstore.Hit

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return compareHits(h[i], h[j]) > 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(x any)        { *h = append(*h, x.(vectorstore.Hit)) }
func (h *worstFirst) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
