package llm

import (
	"context"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Backoff says how often and how patiently a failed call is tried again.
// The wait before try n is First doubled n-2 times, at most Max, shortened by
// up to a half at random; a server's Retry-After is waited for in full, unless
// it is longer than Longest: then the call fails at once, with the time in its
// error. Zero values take the defaults named beside the fields.
type Backoff struct {
	Attempts int           // tries in all: 4
	First    time.Duration // 500 ms
	Max      time.Duration // 20 s
	Longest  time.Duration // 2 min

	Jitter func() float64                                    // from [0, 1); none when nil
	Sleep  func(ctx context.Context, d time.Duration) error  // a timer when nil; gives the context's error when cut short
	Notify func(err *Error, attempt int, wait time.Duration) // called before each wait; may be nil
}

// Retry tries a failed call again when its fault is temporary. An answer of
// which the reader has already seen a part is not asked for again: the text
// would start over.
func Retry(c Chat, b Backoff) Chat { return retrying{c, b.withDefaults()} }

// RetryEmbedder is Retry for embeddings.
func RetryEmbedder(e Embedder, b Backoff) Embedder { return retryingEmbedder{e, b.withDefaults()} }

func (b Backoff) withDefaults() Backoff {
	if b.Attempts == 0 {
		b.Attempts = 4
	}
	if b.First == 0 {
		b.First = 500 * time.Millisecond
	}
	if b.Max == 0 {
		b.Max = 20 * time.Second
	}
	if b.Longest == 0 {
		b.Longest = 2 * time.Minute
	}
	if b.Jitter == nil {
		b.Jitter = func() float64 { return 0 }
	}
	if b.Sleep == nil {
		b.Sleep = sleep
	}
	return b
}

type retrying struct {
	Chat
	backoff Backoff
}

func (c retrying) Complete(ctx context.Context, r Request) (Response, error) {
	shown := false
	if onText := r.OnText; onText != nil {
		r.OnText = func(text string) {
			shown = true
			onText(text)
		}
	}
	var answer Response
	err := c.backoff.try(ctx, func() (bool, error) {
		var err error
		answer, err = c.Chat.Complete(ctx, r)
		return !shown, err
	})
	return answer, err
}

type retryingEmbedder struct {
	Embedder
	backoff Backoff
}

func (e retryingEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var vectors [][]float32
	err := e.backoff.try(ctx, func() (bool, error) {
		var err error
		vectors, err = e.Embedder.Embed(ctx, texts)
		return true, err
	})
	return vectors, err
}

// try calls f until it succeeds, its fault is not temporary, it says that it
// must not be repeated, or the attempts are used up. The error is the last
// one of f, or the context's.
func (b Backoff) try(ctx context.Context, f func() (again bool, err error)) error {
	for attempt := 1; ; attempt++ {
		again, err := f()
		var fault *Error
		if err == nil || !again || attempt >= b.Attempts || !errors.As(err, &fault) || !domain.Temporary(fault) {
			return err
		}
		if ctx.Err() != nil || fault.After > b.Longest {
			return err
		}
		wait := b.wait(attempt, fault.After)
		if b.Notify != nil {
			b.Notify(fault, attempt, wait)
		}
		if err := b.Sleep(ctx, wait); err != nil {
			return Stopped(err)
		}
	}
}

// wait is the time between an attempt and the next.
func (b Backoff) wait(attempt int, asked time.Duration) time.Duration {
	d := b.First
	for i := 1; i < attempt && d < b.Max; i++ {
		d *= 2
	}
	d = min(d, b.Max)
	return max(asked, d-time.Duration(b.Jitter()*float64(d)/2))
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
