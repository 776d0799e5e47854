package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// candidates is the number of passages that words and vectors contribute to
// fusion and to the walk.
const candidates = 200

// search is the state of one query.
type search struct {
	*Retriever
	Query
	ctx       context.Context
	workspace domain.WorkspaceID
	tuning    tuning
	vector    []float32 // of Text; nil without an embedder
	graph     *state    // nil before anything was read from it
	result    Result
}

func (s *search) run() error {
	switch s.Method {
	case domain.MethodWords:
		hits, err := s.lexical(s.depth())
		s.result.Passages = fuse(s.limit(), list{s.Method, hits})
		return err
	case domain.MethodVectors:
		hits, err := s.dense(s.depth())
		s.result.Passages = fuse(s.limit(), list{s.Method, hits})
		return err
	case domain.MethodHybrid, domain.MethodWalk, domain.MethodDefault:
		return s.combined()
	}
	_, err := domain.FindMethod(string(s.Method))
	return err
}

// depth returns how many passages a single method ranks.
func (s *search) depth() int { return max(s.limit(), domain.MaxRanked) }

// combined searches by words and vectors and walks from what they find. It
// skips a store that can't be reached, as long as the rest finds something.
func (s *search) combined() error {
	words, err := s.lexical(candidates)
	unreachable := s.skippable(err)
	if err != nil && unreachable == nil {
		return err
	}
	vectors, err := s.denseIfPossible()
	if err != nil {
		return err
	}
	if s.Method != domain.MethodHybrid {
		walked, err := s.walked(words, vectors)
		if err != nil {
			return err
		}
		if walked && len(s.result.Passages) == 0 {
			return s.unsearched(unreachable)
		}
		if walked {
			return nil
		}
	}
	s.fuseBoth(words, vectors)
	if len(s.result.Passages) == 0 {
		return s.unsearched(unreachable)
	}
	return nil
}

// unsearched returns an error that names all stores that could not be reached, or nil if err is.
func (s *search) unsearched(err error) error {
	if err == nil {
		return nil
	}
	var away []string
	for _, m := range s.result.Methods {
		if m.Missing != "" && !slices.Contains(away, m.Missing) {
			away = append(away, m.Missing)
		}
	}
	return domain.Because(domain.Unavailable, err, "%s", strings.Join(away, " "))
}

// fuseBoth ranks passages by their ranks among words and vectors.
func (s *search) fuseBoth(words, vectors []vectorstore.Hit) {
	_ = s.report(domain.MethodHybrid, func(m *domain.Method) error {
		all := fuse(len(words)+len(vectors), list{domain.MethodWords, words}, list{domain.MethodVectors, vectors})
		m.Candidates, m.Reason = len(all), "ranks by words and by vectors"
		for _, p := range all[:min(len(all), domain.MaxRanked)] {
			m.Ranked = append(m.Ranked, p.Chunk)
		}
		s.result.Passages = all[:min(len(all), s.limit())]
		return nil
	})
}

// walked searches by a walk. It returns false if words and vectors must suffice: the graph can't be reached, or lacks
// everything they found because it is being built.
func (s *search) walked(words, vectors []vectorstore.Hit) (bool, error) {
	start := s.Now()
	m := domain.Method{Name: domain.MethodWalk}
	found, err := s.walk(&m, words, vectors)
	m.Took = s.Now().Sub(start)
	alone := s.Method == domain.MethodWalk
	if unreachable := s.skippable(err); unreachable != nil {
		s.tell(skipped(m.Name, unreachable, m.Took))
		if alone {
			return true, err
		}
		return false, nil
	}
	if err == nil && !alone && m.Candidates == 0 && len(words)+len(vectors) > 0 {
		return false, nil
	}
	s.tell(m)
	s.result.Passages = found
	return true, err
}

// skippable returns err if it means that a store can't be reached and there is
// still time to search without it, and nil otherwise.
func (s *search) skippable(err error) error {
	if domain.KindOf(err) == domain.Unavailable && s.ctx.Err() == nil {
		return err
	}
	return nil
}

// skipped reports a method whose store can't be reached.
func skipped(name domain.MethodName, err error, took time.Duration) domain.Method {
	return domain.Method{Name: name, Took: took, Reason: "left out: " + err.Error(), Missing: domain.InWords(err)}
}

// report runs a method and reports its outcome.
func (s *search) report(name domain.MethodName, f func(*domain.Method) error) error {
	start := s.Now()
	m := domain.Method{Name: name}
	err := f(&m)
	m.Took = s.Now().Sub(start)
	if unreachable := s.skippable(err); unreachable != nil {
		m = skipped(name, unreachable, m.Took)
	}
	s.tell(m)
	return err
}

func (s *search) tell(m domain.Method) {
	s.result.Methods = append(s.result.Methods, m)
	if s.Report != nil {
		s.Report(m)
	}
}

// lexical ranks passages by words.
func (s *search) lexical(limit int) (hits []vectorstore.Hit, err error) {
	err = s.report(domain.MethodWords, func(m *domain.Method) error {
		hits, err = s.Index.Lexical(s.ctx, s.workspace, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: s.Text, Limit: limit, Documents: s.Documents})
		m.Candidates, m.Reason, m.Ranked = len(hits), "words of the question", ranked(hits)
		return err
	})
	return hits, err
}

// ErrNoVectors is the error of a search by vectors alone that is impossible.
var ErrNoVectors = domain.Errorf(domain.Invalid, "Search by vectors needs an embedding model. Set EMBED_MODEL, or search by words, hybrid or walk.")

// noEmbedder is the reason that leaves vectors out of a search by several methods.
const noEmbedder = "left out: no embedding model is set up"

// dense ranks passages by vector, for a search by nothing else.
func (s *search) dense(limit int) (hits []vectorstore.Hit, err error) {
	err = s.report(domain.MethodVectors, func(m *domain.Method) error {
		hits, err = s.byVector(limit)
		if s.vector == nil && err == nil {
			m.Reason = noEmbedder
			return ErrNoVectors
		}
		m.Candidates, m.Reason, m.Ranked = len(hits), "vector of the question", ranked(hits)
		return err
	})
	return hits, err
}

// denseIfPossible is like dense but reports failures in Methods instead of
// returning them, for searches that have other methods.
func (s *search) denseIfPossible() (hits []vectorstore.Hit, err error) {
	err = s.report(domain.MethodVectors, func(m *domain.Method) error {
		var failed error
		hits, failed = s.byVector(candidates)
		switch {
		case failed != nil:
			hits, m.Reason = nil, "left out: "+failed.Error()
		case s.vector == nil:
			m.Reason = noEmbedder
		default:
			m.Candidates, m.Reason, m.Ranked = len(hits), "vector of the question", ranked(hits)
		}
		return s.ctx.Err()
	})
	return hits, err
}

// ranked returns the passages of the first hits.
func ranked(hits []vectorstore.Hit) []domain.ChunkID {
	ids := make([]domain.ChunkID, min(len(hits), domain.MaxRanked))
	for i := range ids {
		ids[i] = domain.ChunkID(hits[i].ID)
	}
	return ids
}

// byVector searches with the question's vector, embedding the question first if
// necessary.
func (s *search) byVector(limit int) ([]vectorstore.Hit, error) {
	if s.vector == nil && s.nearest.Embedder != nil {
		vectors, err := s.nearest.Embedder.Embed(s.ctx, []string{s.Text})
		if err != nil {
			return nil, err
		}
		s.vector = slices.Clone(vectors[0])
	}
	if s.vector == nil {
		return nil, nil
	}
	return s.Index.Dense(s.ctx, s.workspace, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: s.vector, Limit: limit, Documents: s.Documents})
}

// rankConstant dampens the lead of first ranks in reciprocal rank fusion
// (Cormack, Clarke and Büttcher 2009, section 2).
const rankConstant = 60

// list holds the hits of one method, best first.
type list struct {
	method domain.MethodName
	hits   []vectorstore.Hit
}

// fuse ranks passages by the sum of 1/(rankConstant+rank) over the lists that
// contain them. A single list keeps its order and scores.
func fuse(limit int, lists ...list) []domain.FoundPassage {
	at := map[string]int{}
	var all []domain.FoundPassage
	for _, l := range lists {
		for rank, h := range l.hits {
			i, ok := at[h.ID]
			if !ok {
				i = len(all)
				at[h.ID] = i
				all = append(all, domain.FoundPassage{Chunk: domain.ChunkID(h.ID)})
			}
			score := 1 / float64(rankConstant+rank+1)
			if len(lists) == 1 {
				score = h.Score
			}
			all[i].Score += score
			all[i].Methods = append(all[i].Methods, l.method)
		}
	}
	slices.SortStableFunc(all, func(a, b domain.FoundPassage) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return all[:min(limit, len(all))]
}
