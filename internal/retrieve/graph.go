package retrieve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// walkFrom walks from the names in the question, the names in the best sentences
// and the best passages, and ranks passages by the mass they end up with.
func (s *search) walkFrom(snap *snapshot, words, vectors []vectorstore.Hit) error {
	return s.report(domain.MethodWalk, func(m *domain.Method) error {
		w := snap.walk()
		defer snap.pool.Put(w)
		allowed := snap.allowed(s.Documents)
		named := snap.linked(s.Text)
		for _, n := range snap.misspelt(s.Text) {
			if !slices.Contains(named, n) {
				named = append(named, n)
			}
		}
		s.seedNames(snap, w, named)
		sentences, err := s.rankSentences()
		if err != nil {
			return err
		}
		started, err := s.seedSentences(snap, w, sentences)
		if err != nil {
			return err
		}
		if len(vectors) > 0 {
			snap.seedPassages(w, vectors, s.tuning.passages)
		} else {
			snap.seedPassages(w, words, s.tuning.byWords)
		}
		w.run(&snap.matrix, s.tuning.damping, allowed)
		best, reached := s.rank(snap, w, allowed)
		best, why, err := s.rerank(snap, named, best, s.evidence(words, vectors, sentences), allowed)
		if err != nil {
			return err
		}
		for _, p := range best[:min(len(best), domain.MaxRanked)] {
			m.Ranked = append(m.Ranked, snap.chunks[p.chunk].ID)
		}
		t := tracer{snapshot: snap, walk: w, named: named, damping: s.tuning.damping}
		for _, p := range best[:min(len(best), s.limit())] {
			id := snap.chunks[p.chunk].ID
			s.result.Passages = append(s.result.Passages, domain.FoundPassage{Chunk: id, Score: float64(p.score), Methods: foundBy(id, words, vectors), Path: t.path(p.chunk)})
		}
		m.Candidates, m.Reason = reached, snap.reason(named, started)+why
		return nil
	})
}

// foundBy returns the methods that have the passage among their candidates.
func foundBy(id domain.ChunkID, words, vectors []vectorstore.Hit) []domain.MethodName {
	methods := make([]domain.MethodName, 0, 3)
	is := func(h vectorstore.Hit) bool { return h.ID == string(id) }
	if slices.ContainsFunc(words, is) {
		methods = append(methods, domain.MethodWords)
	}
	if slices.ContainsFunc(vectors, is) {
		methods = append(methods, domain.MethodVectors)
	}
	return append(methods, domain.MethodWalk)
}

// allowed returns which nodes a walk restricted to documents may enter, or nil
// if it may enter all.
func (s *snapshot) allowed(documents []domain.DocumentID) []bool {
	if len(documents) == 0 {
		return nil
	}
	among := make(map[domain.DocumentID]bool, len(documents))
	for _, d := range documents {
		among[d] = true
	}
	allowed := make([]bool, s.matrix.nodes())
	for i := range allowed {
		allowed[i] = i >= len(s.chunks) || among[s.chunks[i].Document]
	}
	return allowed
}

// What is added to the reason when the question is looked up.
const (
	lookup       = "; one passage holds nearly all that is found of the question, so it comes first"
	nothingToAdd = "; no other document adds to the nearest passage, so the nearest come first"
)

// reason explains to a person where the walk started.
func (s *snapshot) reason(named, started []int32) string {
	switch {
	case len(named) > 0:
		return "names in the question: " + s.list(named)
	case len(started) > 0:
		return "no known name in the question; names in the best sentences: " + s.list(started)
	}
	return "no known name in the question; started at the best passages"
}

// maxNamed bounds the names listed in a reason.
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

// scored is a passage with its score.
type scored struct {
	chunk int32
	score float32
}

// rank returns the passages with the most mass and how many have any.
func (s *search) rank(snap *snapshot, w *walk, allowed []bool) (best []scored, reached int) {
	score := s.stepTitles(snap, w)
	limit := max(s.limit(), fromWalk)
	best = make([]scored, 0, limit+1)
	for i, x := range score {
		if x <= 0 || allowed != nil && !allowed[i] {
			continue
		}
		reached++
		if len(best) == limit && best[limit-1].score >= x {
			continue
		}
		p := scored{int32(i), x}
		at, _ := slices.BinarySearchFunc(best, p, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.chunk, b.chunk))
		})
		best = slices.Insert(best, at, p)
		best = best[:min(len(best), limit)]
	}
	return best, reached
}

// stepTitles takes one more step, from passages to the passages whose titles
// they mention, and returns the scores. A passage passes on a share of its mass,
// less to a title that many mention. The result reuses the walk's memory.
func (s *search) stepTitles(snap *snapshot, w *walk) []float32 {
	score, passed := w.next[:len(snap.chunks)], w.next[len(snap.chunks):]
	copy(score, w.mass)
	clear(passed)
	for _, l := range snap.mentions {
		passed[l.name] += w.mass[l.chunk] / float32(snap.names[l.name].passages)
	}
	for _, l := range snap.titles {
		score[l.chunk] += s.tuning.step * passed[l.name]
	}
	return score
}
