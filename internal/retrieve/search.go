package retrieve

import (
	"context"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// candidates is how many passages words and vectors give to the others.
const candidates = 200

// search is one query being answered.
type search struct {
	*Retriever
	Query
	ctx       context.Context
	workspace domain.WorkspaceID
	tuning    tuning
	result    Result
}

func (s *search) run() error {
	switch s.Method {
	case Lexical:
		hits, err := s.lexical(s.limit())
		s.result.Passages = fuse(s.limit(), list{Lexical, hits})
		return err
	case Dense:
		hits, err := s.dense(s.limit())
		s.result.Passages = fuse(s.limit(), list{Dense, hits})
		return err
	case Hybrid, Graph, Default:
		return s.together()
	}
	return domain.Errorf(domain.Invalid, "There is no way of searching called %q.", s.Method)
}

// together searches by words and vectors, and lets the walk start there. A
// store that can't be reached is left out and noted, as long as what is left
// finds something.
func (s *search) together() error {
	words, err := s.lexical(candidates)
	unreachable := s.spare(err)
	if err != nil && unreachable == nil {
		return err
	}
	vectors, err := s.denseIfPossible()
	if err != nil {
		return err
	}
	if s.Method != Hybrid {
		snap, err := s.walkable()
		if err != nil {
			return err
		}
		if snap != nil && (len(snap.chunks) > 0 || s.Method == Graph) {
			if err := s.graph(snap, words, vectors); err != nil || len(s.result.Passages) > 0 {
				return err
			}
			return unreachable
		}
	}
	s.result.Passages = fuse(s.limit(), list{Lexical, words}, list{Dense, vectors})
	if len(s.result.Passages) == 0 {
		return unreachable
	}
	return nil
}

// walkable is the graph to walk over, nil when it can't be reached.
func (s *search) walkable() (*snapshot, error) {
	start := s.Now()
	snap, err := s.snapshot(s.ctx, s.workspace)
	if unreachable := s.spare(err); unreachable != nil && s.Method != Graph {
		s.result.Methods = append(s.result.Methods, leftOut(Graph, unreachable, s.Now().Sub(start)))
		return nil, nil //nolint:nilnil // there is no graph, and the search goes on
	}
	return snap, err
}

// spare is err when it says that a store can't be reached although there is
// time left to search without it, and nil otherwise.
func (s *search) spare(err error) error {
	if domain.KindOf(err) == domain.Unavailable && s.ctx.Err() == nil {
		return err
	}
	return nil
}

// leftOut is the note on a method whose store can't be reached.
func leftOut(m Method, err error, took time.Duration) domain.Method {
	return domain.Method{Name: string(m), Took: took, Reason: "left out: " + err.Error(), Missing: domain.InWords(err)}
}

// report notes what a method did.
func (s *search) report(m Method, f func() (candidates int, reason string, err error)) error {
	start := s.Now()
	n, reason, err := f()
	took := s.Now().Sub(start)
	if unreachable := s.spare(err); unreachable != nil {
		s.result.Methods = append(s.result.Methods, leftOut(m, unreachable, took))
		return err
	}
	s.result.Methods = append(s.result.Methods, domain.Method{Name: string(m), Candidates: n, Took: took, Reason: reason})
	return err
}

// lexical ranks passages by words.
func (s *search) lexical(limit int) (hits []vectorstore.Hit, err error) {
	err = s.report(Lexical, func() (int, string, error) {
		hits, err = s.Index.Lexical(s.ctx, s.workspace, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: s.Text, Limit: limit, Documents: s.Documents})
		return len(hits), "words of the question", err
	})
	return hits, err
}

// dense ranks passages by vector, when the question has one or can get one.
func (s *search) dense(limit int) (hits []vectorstore.Hit, err error) {
	err = s.report(Dense, func() (int, string, error) {
		hits, err = s.byVector(limit)
		if s.Vector == nil {
			return 0, "left out: no embedding model is set up", err
		}
		return len(hits), "vector of the question", err
	})
	return hits, err
}

// denseIfPossible is dense for a search that has other ways: what is in the
// way of vectors is reported instead of ending it.
func (s *search) denseIfPossible() (hits []vectorstore.Hit, err error) {
	err = s.report(Dense, func() (int, string, error) {
		var failed error
		hits, failed = s.byVector(candidates)
		switch {
		case failed != nil:
			hits = nil
			return 0, "left out: " + failed.Error(), s.ctx.Err()
		case s.Vector == nil:
			return 0, "left out: no embedding model is set up", s.ctx.Err()
		}
		return len(hits), "vector of the question", nil
	})
	return hits, err
}

// byVector asks for the question's vector if need be, and searches with it.
func (s *search) byVector(limit int) ([]vectorstore.Hit, error) {
	if s.Vector == nil && s.embedder != nil {
		vectors, err := s.embedder.Embed(s.ctx, []string{s.Text})
		if err != nil {
			return nil, err
		}
		s.Vector = slices.Clone(vectors[0])
	}
	if s.Vector == nil {
		return nil, nil
	}
	return s.Index.Dense(s.ctx, s.workspace, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: s.Vector, Limit: limit, Documents: s.Documents})
}
