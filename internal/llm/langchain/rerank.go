package langchain

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/clewhq/clew/internal/llm"
)

// A reranker is a cross-encoder behind /rerank. Cohere, Jina and vLLM have one form of it, Text Embeddings Inference
// another, which is found out by the first call.
type reranker struct {
	server

	texts atomic.Bool // the server expects texts, not documents
}

// NewReranker returns the cross-encoder of a configuration without connecting to it.
func NewReranker(c Config) (llm.Reranker, error) {
	c.Model, c.BaseURL = cmp.Or(c.Model, unnamed), strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(c.BaseURL), "/"), "/rerank")
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	return &reranker{server: s}, nil
}

// unnamed stands for the model of a server that has only one.
const unnamed = "reranker"

// Rerank implements llm.Reranker.
func (r *reranker) Rerank(ctx context.Context, question string, texts []string) ([]int, int, error) {
	if !r.texts.Load() {
		order, tokens, err := r.ask(ctx, map[string]any{"query": question, "documents": texts, "top_n": len(texts), "model": r.Model()}, len(texts))
		failed, ok := errors.AsType[*llm.Error](err)
		if !ok || failed.Status != http.StatusBadRequest && failed.Status != http.StatusUnprocessableEntity {
			return order, tokens, err
		}
		if order, tokens, other := r.ask(ctx, byTexts(question, texts), len(texts)); other == nil {
			r.texts.Store(true)
			return order, tokens, nil
		}
		return nil, 0, err
	}
	return r.ask(ctx, byTexts(question, texts), len(texts))
}

func byTexts(question string, texts []string) map[string]any {
	return map[string]any{"query": question, "texts": texts, "truncate": true}
}

// scored is the score of a text, under one of its two names.
type scored struct {
	Index     *int     `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

func (s scored) score() float64 {
	if s.Relevance != nil {
		return *s.Relevance
	}
	return *s.Score
}

// ask sends one request. The order is made from the scores: not every server sorts them.
func (r *reranker) ask(ctx context.Context, body map[string]any, texts int) (places []int, tokens int, err error) {
	err = r.call(ctx, "/rerank", body, func(raw []byte) error {
		var whole struct {
			Results []scored `json:"results"`
			Usage   struct {
				Total int `json:"total_tokens"`
			} `json:"usage"`
		}
		var into any = &whole
		if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
			into = &whole.Results
		}
		if err := decode(raw, into); err != nil {
			return err
		}
		order, err := orderOf(whole.Results, texts)
		if err != nil {
			return err
		}
		places, tokens = order, max(0, whole.Usage.Total)
		return nil
	}, nil)
	return places, tokens, err
}

func orderOf(results []scored, texts int) ([]int, error) {
	if len(results) == 0 {
		return nil, errors.New("it has no results")
	}
	for _, s := range results {
		if s.Index == nil || *s.Index < 0 || *s.Index >= texts || s.Relevance == nil && s.Score == nil {
			return nil, fmt.Errorf("a result has no score, or no place among the %d texts", texts)
		}
	}
	slices.SortStableFunc(results, func(a, b scored) int { return cmp.Compare(b.score(), a.score()) })
	order := make([]int, len(results))
	for i, s := range results {
		order[i] = *s.Index
	}
	return order, nil
}
