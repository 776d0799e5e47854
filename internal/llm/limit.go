package llm

import (
	"context"

	"golang.org/x/time/rate"
)

// Limiter keeps the calls to one provider within what it allows. Everything
// that calls the provider shares one Limiter.
type Limiter struct {
	slots chan struct{}
	rate  *rate.Limiter
}

// NewLimiter allows at most concurrency calls in flight (at least 1) and
// perMinute calls a minute; 0 a minute means no limit.
func NewLimiter(concurrency, perMinute int) *Limiter {
	l := &Limiter{slots: make(chan struct{}, max(concurrency, 1)), rate: rate.NewLimiter(rate.Inf, 0)}
	if perMinute > 0 {
		l.rate = rate.NewLimiter(rate.Limit(float64(perMinute)/60), max(perMinute/60, 1))
	}
	return l
}

// Limit makes every call of c wait for its turn.
func Limit(c Chat, l *Limiter) Chat { return limited{c, l} }

// LimitEmbedder makes every call of e wait for its turn.
func LimitEmbedder(e Embedder, l *Limiter) Embedder { return limitedEmbedder{e, l} }

type limited struct {
	Chat
	limiter *Limiter
}

func (c limited) Complete(ctx context.Context, r Request) (Response, error) {
	if err := c.limiter.enter(ctx); err != nil {
		return Response{}, err
	}
	defer c.limiter.leave()
	return c.Chat.Complete(ctx, r)
}

type limitedEmbedder struct {
	Embedder
	limiter *Limiter
}

func (e limitedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := e.limiter.enter(ctx); err != nil {
		return nil, err
	}
	defer e.limiter.leave()
	return e.Embedder.Embed(ctx, texts)
}

// enter waits for a free slot and for the rate.
func (l *Limiter) enter(ctx context.Context) error {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return Stopped(ctx.Err())
	}
	if err := l.rate.Wait(ctx); err != nil {
		l.leave()
		if ctx.Err() == nil { // the rate would let it through after the deadline only
			err = context.DeadlineExceeded
		}
		return Stopped(err)
	}
	return nil
}

func (l *Limiter) leave() { <-l.slots }
