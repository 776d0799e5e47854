package retrieve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// graph walks from the names of the question, the names of the best sentences
// and the best passages, and ranks passages by where the walk ends.
func (s *search) graph(snap *snapshot, words, vectors []vectorstore.Hit) error {
	return s.report(Graph, func() (int, string, error) {
		w := snap.walk()
		defer snap.pool.Put(w)
		allowed := snap.allowed(s.Documents)
		named := snap.linked(s.Text)
		s.seedNames(snap, w, named)
		started, err := s.seedSentences(snap, w)
		if err != nil {
			return 0, "", err
		}
		if len(vectors) > 0 {
			s.seedPassages(snap, w, vectors)
		} else {
			s.seedPassages(snap, w, words)
		}
		w.run(&snap.matrix, s.tuning.damping, allowed)
		best, reached := s.rank(snap, w, allowed)
		t := tracer{snapshot: snap, walk: w, named: named, damping: s.tuning.damping}
		for _, p := range best {
			id := snap.chunks[p.chunk].ID
			s.result.Passages = append(s.result.Passages, Found{Chunk: id, Score: float64(p.score), Methods: foundBy(id, words, vectors), Path: t.path(p.chunk)})
		}
		return reached, snap.reason(named, started), nil
	})
}

// foundBy lists the methods that have a passage among their candidates.
func foundBy(id domain.ChunkID, words, vectors []vectorstore.Hit) []Method {
	methods := make([]Method, 0, 3)
	is := func(h vectorstore.Hit) bool { return h.ID == string(id) }
	if slices.ContainsFunc(words, is) {
		methods = append(methods, Lexical)
	}
	if slices.ContainsFunc(vectors, is) {
		methods = append(methods, Dense)
	}
	return append(methods, Graph)
}

// allowed says which nodes a walk over documents may enter; nil when all.
func (s *snapshot) allowed(documents []domain.DocumentID) []bool {
	if len(documents) == 0 {
		return nil
	}
	allowed := make([]bool, s.matrix.nodes())
	for i := range allowed {
		allowed[i] = i >= len(s.chunks) || slices.Contains(documents, s.chunks[i].Document)
	}
	return allowed
}

// reason says in words where a walk started.
func (s *snapshot) reason(named, started []int32) string {
	switch {
	case len(named) > 0:
		return "names in the question: " + s.list(named)
	case len(started) > 0:
		return "no known name in the question; names in the best sentences: " + s.list(started)
	}
	return "no known name in the question; started at the best passages"
}

// maxNamed bounds the names that a reason lists.
const maxNamed = 6

func (s *snapshot) list(names []int32) string {
	var b strings.Builder
	for i, n := range names {
		if i == maxNamed {
			fmt.Fprintf(&b, " and %d more", len(names)-maxNamed)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.names[n].name)
	}
	return b.String()
}

// placed is a passage with its score.
type placed struct {
	chunk int32
	score float32
}

// rank are the passages with most mass, and how many have any.
func (s *search) rank(snap *snapshot, w *walk, allowed []bool) (best []placed, reached int) {
	score := s.stepTitles(snap, w)
	limit := s.limit()
	best = make([]placed, 0, limit+1)
	for i, x := range score {
		if x <= 0 || allowed != nil && !allowed[i] {
			continue
		}
		reached++
		if len(best) == limit && best[limit-1].score >= x {
			continue
		}
		p := placed{int32(i), x}
		at, _ := slices.BinarySearchFunc(best, p, func(a, b placed) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.chunk, b.chunk))
		})
		best = slices.Insert(best, at, p)
		best = best[:min(len(best), limit)]
	}
	return best, reached
}

// stepTitles goes one step further from passages to those whose titles they
// mention: a share of a passage's mass, less for a title that many mention.
// The scores lie in the walk's own memory.
func (s *search) stepTitles(snap *snapshot, w *walk) []float32 {
	score, given := w.next[:len(snap.chunks)], w.next[len(snap.chunks):]
	copy(score, w.mass)
	clear(given)
	for _, l := range snap.links {
		if !l.isTitle() {
			given[l.name] += w.mass[l.chunk] / float32(snap.names[l.name].held)
		}
	}
	for _, l := range snap.links {
		if l.isTitle() {
			score[l.chunk] += s.tuning.step * given[l.name]
		}
	}
	return score
}
