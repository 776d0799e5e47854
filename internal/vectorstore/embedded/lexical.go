package embedded

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Lexical implements vectorstore.Reader. The score is Okapi BM25 with k1 1.2
// and b 0.75 over title and text together.
func (x *index) Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	if err := q.Collection.Check(); err != nil {
		return nil, err
	}
	if q.Limit <= 0 {
		return nil, nil
	}
	k, err := x.lexicon(w, q.Collection).ranking(ctx, x.file, x.room(w), q)
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	return k.best(), nil
}

// quote returns a word as a string of the full-text query language. Words contain
// no quotation marks.
func quote(word string) string { return `"` + word + `"` }

// word is a word of a query.
type word struct {
	at  []occurrence
	idf float64
}

// The parameters of BM25.
const k1, b float64 = 1.2, 0.75

const (
	maxWords = 32 // words of a query that count, the rarest ones

	// Points that contain only the most common words are not scored: beyond this number of occurrences
	// of rarer words, or a larger one within documents, because few points with rare words are in the
	// documents.
	maxPostings, maxPostingsWithin = 50_000, 120_000
)

// ranking scores points by words, rarest first.
type ranking struct {
	query   vectorstore.LexicalQuery
	points  []lexiconPoint
	average float64 // length of a point
	words   []word
	scores  *sync.Pool
}

// leading returns how many of the rarest words have no more than the given
// number of postings together, but at least 1.
func (k *ranking) leading(postings int) int {
	for i, w := range k.words {
		if postings -= len(w.at); postings < 0 {
			return max(i, 1)
		}
	}
	return len(k.words)
}

// idf returns the inverse document frequency of a word that count of the points
// have. A word in more than half of them counts for next to nothing.
func idf(count, points int) float64 {
	n := float64(count)
	return max(math.Log((float64(points)-n+0.5)/(n+0.5)), 1e-6)
}

// share returns the contribution to a point's score of a word that occurs that many times in it, as a share of the
// word's inverse document frequency.
func share(times, tokens uint32, average float64) float64 {
	return float64(times) * (k1 + 1) / (float64(times) + dampening(tokens, average))
}

func dampening(tokens uint32, average float64) float64 {
	return k1 * (1 - b + b*float64(tokens)/average)
}

// times returns how often a word with a share occurs.
func times(share float64, tokens uint32, average float64) uint32 {
	return uint32(math.Round(share * dampening(tokens, average) / (k1 + 1 - share)))
}

// best returns the hits, best first, ties by id.
func (k *ranking) best() []vectorstore.Hit {
	if len(k.words) == 0 {
		return nil
	}
	postings := maxPostings
	if len(k.query.Documents) > 0 {
		postings = maxPostingsWithin
	}
	lead := k.leading(postings)
	score := k.zeros()
	var scored []int32
	for i, w := range k.words {
		for _, o := range w.at {
			if score[o.point] == 0 {
				if i >= lead {
					continue
				}
				scored = append(scored, o.point)
			}
			score[o.point] += w.idf * share(o.times, k.points[o.point].tokens, k.average)
		}
	}
	hits := k.first(scored, score)
	for _, p := range scored {
		score[p] = 0
	}
	k.scores.Put(&score)
	return hits
}

// zeros returns a zero for each point.
func (k *ranking) zeros() []float64 {
	if s, ok := k.scores.Get().(*[]float64); ok && len(*s) >= len(k.points) {
		return *s
	}
	return make([]float64, len(k.points))
}

// first returns the best of the scored points.
func (k *ranking) first(scored []int32, score []float64) []vectorstore.Hit {
	there := scored
	if len(k.query.Documents) > 0 {
		among := lists.Set(k.query.Documents)
		there = slices.DeleteFunc(slices.Clone(scored), func(p int32) bool { return !among[k.points[p].document] })
	}
	least := newFloor(k.query.Limit)
	for _, p := range there {
		least.offer(score[p])
	}
	var hits []vectorstore.Hit
	for _, p := range there {
		if score[p] >= least.value() {
			hits = append(hits, vectorstore.Hit{ID: k.points[p].id, Score: score[p]})
		}
	}
	slices.SortFunc(hits, compareHits)
	return hits[:min(len(hits), k.query.Limit)]
}

func compareHits(a, b vectorstore.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
}
