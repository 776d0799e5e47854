package llm

import (
	"context"

	"golang.org/x/time/rate"

	"github.com/clewhq/clew/internal/domain"
)

// Limiter bounds the calls to a provider. All models of the provider share one.
type Limiter struct {
	slots chan struct{}
	rate  *rate.Limiter
}

// NewLimiter allows concurrency calls in flight, at least 1, and perMinute calls
// a minute; 0 means any number.
func NewLimiter(concurrency, perMinute int) *Limiter {
	l := &Limiter{slots: make(chan struct{}, max(concurrency, 1)), rate: rate.NewLimiter(rate.Inf, 0)}
	if perMinute > 0 {
		l.rate = rate.NewLimiter(rate.Limit(float64(perMinute)/60), max(perMinute/60, 1))
	}
	return l
}

// Limit returns c with its calls bounded by l.
func Limit(c Chat, l *Limiter) Chat { return limited{c, l} }

// LimitEmbedder returns e with its calls bounded by l.
func LimitEmbedder(e Embedder, l *Limiter) Embedder { return limitedEmbedder{e, l} }

type limited struct {
	Chat
	limiter *Limiter
}

func (c limited) Complete(ctx context.Context, r Request) (Response, error) {
	if err := c.limiter.acquire(ctx); err != nil {
		return Response{}, err
	}
	defer c.limiter.release()
	return c.Chat.Complete(ctx, r)
}

type limitedEmbedder struct {
	Embedder
	limiter *Limiter
}

func (e limitedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := e.limiter.acquire(ctx); err != nil {
		return nil, err
	}
	defer e.limiter.release()
	return e.Embedder.Embed(ctx, texts)
}

// acquire waits for a free slot and for the rate.
func (l *Limiter) acquire(ctx context.Context) error {
	defer waiting(ctx, domain.Wait{For: domain.WaitSlot})()
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return Stopped(ctx.Err())
	}
	if err := l.rate.Wait(ctx); err != nil {
		l.release()
		if ctx.Err() == nil { // the rate would allow it only after the deadline
			err = context.DeadlineExceeded
		}
		return Stopped(err)
	}
	return nil
}

func (l *Limiter) release() { <-l.slots }
