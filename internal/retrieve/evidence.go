package retrieve

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// sentenceCandidates is the number of sentences that words and vectors rank.
const sentenceCandidates = 50

// scaled returns the scores of hits on a scale from 0, the worst of limit hits
// or no hit at all, to 1, the best.
func scaled(hits []vectorstore.Hit, limit int) []float64 {
	if len(hits) == 0 {
		return nil
	}
	best, worst := hits[0].Score, hits[len(hits)-1].Score
	if len(hits) < limit || best == worst {
		worst = 0 // hits holds every match
	}
	shares := make([]float64, len(hits))
	if best <= worst {
		return shares
	}
	for i, h := range hits {
		shares[i] = (h.Score - worst) / (best - worst)
	}
	return shares
}

// rankSentences ranks sentences by the sum of their scaled scores by words and by
// the question's vector. A store that can't be
// reached or does not fit was already reported by the search for passages.
func (s *search) rankSentences() ([]vectorstore.Hit, error) {
	words, err := s.Index.Lexical(s.ctx, s.workspace, vectorstore.LexicalQuery{
		Collection: vectorstore.Sentences, Text: s.Text, Limit: sentenceCandidates, Documents: s.Documents,
	})
	if err != nil && s.skippable(err) == nil {
		return nil, err
	}
	vectors, err := s.sentencesByVector()
	if err != nil && s.ctx.Err() != nil {
		return nil, err
	}
	sum := map[string]float64{}
	for _, hits := range [][]vectorstore.Hit{words, vectors} {
		for i, share := range scaled(hits, sentenceCandidates) {
			if share > 0 {
				sum[hits[i].ID] += share
			}
		}
	}
	ranked := make([]vectorstore.Hit, 0, len(sum))
	for id, score := range sum {
		ranked = append(ranked, vectorstore.Hit{ID: id, Score: score})
	}
	slices.SortFunc(ranked, func(a, b vectorstore.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return ranked, nil
}

// enoughEmbedded is the share of the sentences that must have vectors before
// they are compared by them: a few would beat better ones that have none.
const enoughEmbedded = 0.9

// sentencesByVector ranks sentences by the question's vector, if nearly all of
// them can be compared with it.
func (s *search) sentencesByVector() ([]vectorstore.Hit, error) {
	if s.vector == nil {
		return nil, nil
	}
	embedded, all, err := s.Index.Embedded(s.ctx, s.workspace, vectorstore.Sentences)
	if err != nil || float64(embedded) < enoughEmbedded*float64(all) {
		return nil, err
	}
	return s.Index.Dense(s.ctx, s.workspace, vectorstore.DenseQuery{
		Collection: vectorstore.Sentences, Vector: s.vector, Limit: sentenceCandidates, Documents: s.Documents,
	})
}

// evidence returns which share of the question each passage answers by itself,
// without the graph, as far as its words and its vector tell. Without vectors, words
// weigh their share too. What is left of the share is for its best sentence.
func (s *search) evidence(words, vectors []vectorstore.Hit) map[domain.ChunkID]float64 {
	own := make(map[domain.ChunkID]float64, len(words)+len(vectors))
	weigh := func(hits []vectorstore.Hit, weight float64) {
		for i, share := range scaled(hits, candidates) {
			own[domain.ChunkID(hits[i].ID)] += weight * share
		}
	}
	if t := s.tuning; len(vectors) == 0 {
		weigh(words, t.ownWords+t.ownVectors)
	} else {
		weigh(words, t.ownWords)
		weigh(vectors, t.ownVectors)
	}
	return own
}
