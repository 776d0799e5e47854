// Package nearest tells how near the sentences of passages come to a question, by
// the vectors of both and by the words they share. It judges nothing: a near
// sentence may answer another question.
package nearest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Near is the score from which a sentence is near enough to be quoted. It is as low as
// it can be for nothing to be near six in ten questions that no file answers, of those
// about a newcomer's files (docs/benchmarks.md).
const Near = 0.42

// mostEmbedded is the number of passages, the first, whose sentences are embedded when
// a question is asked and they have no vectors yet. The others go by words.
const mostEmbedded = 50

// A Sentence is a sentence of a passage, with how near it comes to a question.
type Sentence struct {
	Passage  int         // its place among the passages
	Span     domain.Span // in the text of the document
	Under    domain.Span // the heading, the question or the announcement above it in the passage; empty if there is none
	Over     domain.Span // the sentence that a pronoun at its beginning refers to; empty if there is none
	Score    float64     // from 0 to 1
	Cosine   float64     // of the vectors; 0 without them
	Words    float64     // share of the question's weight that the sentence and what it goes with hold
	Embedded bool        // it has a vector of its own
}

// Ranker ranks sentences. Without an embedder it goes by words alone, and so it does
// if the embedder fails.
type Ranker struct {
	Embedder llm.Embedder       // may be nil
	Store    llm.EmbeddingStore // of vectors made before; required with Embedder
	Recent   *Recent            // keeps rankings; nil keeps none
}

// PassageText returns the text that is embedded for a passage.
func PassageText(title, text string) string { return title + "\n" + text }

// SentenceText returns the text that is embedded for a sentence.
func SentenceText(title, sentence string) string { return title + ": " + sentence }

// Sentences returns all sentences of passages, nearest first.
func (r Ranker) Sentences(ctx context.Context, question string, passages []domain.Passage) ([]Sentence, error) {
	rank := func() ([]Sentence, error) { return r.rank(ctx, question, passages) }
	if r.Recent == nil {
		return rank()
	}
	var key strings.Builder
	key.WriteString(question)
	for _, p := range passages {
		key.WriteString("\x00" + string(p.ID) + "\x00" + p.Title)
	}
	return r.Recent.get(key.String(), rank)
}

func (r Ranker) rank(ctx context.Context, question string, passages []domain.Passage) ([]Sentence, error) {
	c := newComparison(question, passages)
	vectors, err := r.vectors(ctx, c)
	if err != nil {
		return nil, err
	}
	all := c.sentences(vectors)
	slices.SortStableFunc(all, func(a, b Sentence) int { return cmp.Compare(b.Score, a.Score) })
	return all, nil
}

// vectors returns the vectors of the question and of the sentences, by the hash of
// what was embedded. It returns none if the question has none.
func (r Ranker) vectors(ctx context.Context, c *comparison) (map[string][]float32, error) {
	if r.Embedder == nil || len(c.all) == 0 {
		return nil, nil
	}
	vectors, err := llm.Vectors(ctx, r.Store, r.Embedder, c.toEmbed(), c.hashes()...)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case vectors == nil: // the store failed; if only the model did, stored vectors are used
		return nil, err
	case vectors[c.hash] == nil:
		return nil, nil
	}
	return vectors, nil
}
