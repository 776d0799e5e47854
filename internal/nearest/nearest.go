// Package nearest tells how near the sentences of passages come to a question, by
// the vectors of both and by the words they share. It judges nothing: a near
// sentence may answer another question.
package nearest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// Near is the score from which a sentence is near enough to be quoted.
const Near = 0.3

// A Sentence is a sentence of a passage, with how near it comes to a question.
type Sentence struct {
	Passage int         // its place among the passages
	Span    domain.Span // in the text of the document
	Score   float64     // from 0 to 1
	Cosine  float64     // of the vectors; 0 without them
	Words   float64     // share of the question's weight that the sentence and its title hold
}

// Ranker ranks sentences. Without an embedder it goes by words alone.
type Ranker struct {
	Embedder llm.Embedder       // may be nil
	Store    llm.EmbeddingStore // of vectors made before; required with Embedder
}

// Sentences returns all sentences of passages, nearest first.
func (r Ranker) Sentences(ctx context.Context, question string, passages []domain.Passage) ([]Sentence, error) {
	terms := prose.Terms(question)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	var all []Sentence
	var held [][]string
	in := map[string]int{} // term → sentences
	for i, p := range passages {
		for _, span := range prose.Sentences(p.Text) {
			words := prose.Terms(p.Title + " " + span.Slice(p.Text))
			slices.Sort(words)
			words = slices.Compact(words)
			for _, w := range words {
				in[w]++
			}
			all, held = append(all, Sentence{Passage: i, Span: span.Shift(p.Span.Start)}), append(held, words)
		}
	}
	weight := func(term string) float64 { return math.Log(1 + float64(len(all))/float64(1+in[term])) }
	var sum float64
	for _, t := range terms {
		sum += weight(t)
	}
	for i := range all {
		for _, t := range terms {
			if _, has := slices.BinarySearch(held[i], t); has {
				all[i].Words += weight(t) / sum
			}
		}
		all[i].Score = all[i].Words
	}
	slices.SortStableFunc(all, func(a, b Sentence) int { return cmp.Compare(b.Score, a.Score) })
	return all, nil
}
