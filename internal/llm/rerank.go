package llm

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A Reranker ranks texts by how well they answer a question.
type Reranker interface {
	Model() string

	// Rerank returns the places of texts, best first, and how many tokens were read; 0 if the server
	// does not say. Some places may be missing. Errors are *Error.
	Rerank(ctx context.Context, question string, texts []string) (order []int, tokens int, err error)
}

// rerankTimeout bounds all attempts of a call: a person is waiting, and there is an order without it.
const rerankTimeout = 30 * time.Second

// SteadyReranker returns r with calls repeated after temporary errors, bounded in time, and counted by m.
func SteadyReranker(r Reranker, b Backoff, m Meter) Reranker {
	return steadyReranker{r, b.withDefaults(), m}
}

type steadyReranker struct {
	Reranker

	backoff Backoff
	meter   Meter
}

// Rerank implements Reranker.
func (s steadyReranker) Rerank(ctx context.Context, question string, texts []string) (order []int, tokens int, err error) {
	call := Call{Owner: ownerOf(ctx, domain.CallOwner{}), Role: "rerank", Usage: domain.Usage{Model: s.Model(), Input: 1}}
	if err := s.meter.Allow(ctx, call); err != nil {
		return nil, 0, err
	}
	timed, cancel := context.WithTimeout(ctx, rerankTimeout)
	defer cancel()
	err = s.backoff.retry(timed, func() (bool, error) {
		order, tokens, err = s.Reranker.Rerank(timed, question, texts)
		return true, err
	})
	if err != nil || tokens == 0 {
		return order, 0, err
	}
	call.Usage.Input = tokens
	return order, tokens, s.meter.Spent(context.WithoutCancel(ctx), call)
}
