package retrieve

import (
	"context"
	"slices"
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
	case Hybrid, Walk, Default:
		return s.combined()
	}
	return domain.Errorf(domain.Invalid, "There is no way of searching called %q.", s.Method)
}

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
	if s.Method != Hybrid {
		snap, err := s.reachableSnapshot()
		if err != nil {
			return err
		}
		if snap != nil && (len(snap.chunks) > 0 || s.Method == Walk) {
			if err := s.walkFrom(snap, words, vectors); err != nil || len(s.result.Passages) > 0 {
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

// reachableSnapshot returns the graph to walk, or nil if it can't be reached
// and the query can do without.
func (s *search) reachableSnapshot() (*snapshot, error) {
	start := s.Now()
	snap, err := s.snapshots.Get(s.ctx, s.workspace)
	if unreachable := s.skippable(err); unreachable != nil && s.Method != Walk {
		s.result.Methods = append(s.result.Methods, skipped(Walk, unreachable, s.Now().Sub(start)))
		return nil, nil //nolint:nilnil // there is no graph, and the search goes on
	}
	return snap, err
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
func skipped(m Method, err error, took time.Duration) domain.Method {
	return domain.Method{Name: string(m), Took: took, Reason: "left out: " + err.Error(), Missing: domain.InWords(err)}
}

// report runs a method and records its outcome.
func (s *search) report(m Method, f func() (candidates int, reason string, err error)) error {
	start := s.Now()
	n, reason, err := f()
	took := s.Now().Sub(start)
	if unreachable := s.skippable(err); unreachable != nil {
		s.result.Methods = append(s.result.Methods, skipped(m, unreachable, took))
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

// dense ranks passages by vector if the question has or can get one.
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

// denseIfPossible is like dense but reports failures in Methods instead of
// returning them, for searches that have other methods.
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

// byVector searches with the question's vector, embedding the question first if
// necessary.
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
