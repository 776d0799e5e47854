package llm

import (
	"cmp"
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/emit"
)

// Backoff configures the waits between attempts. A wait is twice the one before,
// from First to Max, shortened by up to a half at random. The server's
// Retry-After is waited for in full. Zero values take the defaults.
type Backoff struct {
	First time.Duration // 500 ms by default
	Max   time.Duration // 20 s by default

	Jitter func() float64                                   // returns a number in [0, 1); nil means no jitter
	Sleep  func(ctx context.Context, d time.Duration) error // returns the context's error if interrupted; nil means a timer
}

const (
	maxAttempts   = 4
	maxRetryAfter = 2 * time.Minute // if a call is asked to wait longer, it fails at once, with the time in its error
)

// Retry returns c with calls repeated after temporary errors, 4 attempts in all.
// A call that has already passed text to OnText is not repeated: the text would
// start over.
func Retry(c Chat, b Backoff) Chat {
	b = b.withDefaults()
	return around{c, func(ctx context.Context, r Request) (answer Response, err error) {
		shown := false
		if onText := r.OnText; onText != nil {
			r.OnText = func(text string) {
				shown = true
				onText(text)
			}
		}
		err = b.retry(ctx, func() (bool, error) {
			answer, err = c.Complete(ctx, r)
			return !shown, err
		})
		return answer, err
	}}
}

// RetryEmbedder returns e with calls repeated after temporary errors.
func RetryEmbedder(e Embedder, b Backoff) Embedder {
	b = b.withDefaults()
	return aroundEmbedder{e, func(ctx context.Context, texts []string) (vectors [][]float32, err error) {
		err = b.retry(ctx, func() (bool, error) {
			vectors, err = e.Embed(ctx, texts)
			return true, err
		})
		return vectors, err
	}}
}

func (b Backoff) withDefaults() Backoff {
	b.First = cmp.Or(b.First, 500*time.Millisecond)
	b.Max = cmp.Or(b.Max, 20*time.Second)
	if b.Jitter == nil {
		b.Jitter = func() float64 { return 0 }
	}
	if b.Sleep == nil {
		b.Sleep = domain.Sleep
	}
	return b
}

// retry calls f until it succeeds, fails for good, reports that it must not be
// repeated, or has had all attempts. It returns f's last error or the context's.
func (b Backoff) retry(ctx context.Context, f func() (repeatable bool, err error)) error {
	for attempt := 1; ; attempt++ {
		repeatable, err := f()
		after := domain.RetryAfter(err)
		if err == nil || !repeatable || attempt == maxAttempts || !domain.Temporary(err) || ctx.Err() != nil || after > maxRetryAfter {
			return err
		}
		if err := b.pause(ctx, b.wait(attempt, after), err); err != nil {
			return Stopped(err)
		}
	}
}

// pause sleeps after an attempt that failed with cause. A pause that a person would notice is reported at once.
func (b Backoff) pause(ctx context.Context, d time.Duration, cause error) error {
	if d >= waitTold {
		emit.Emit(ctx, domain.EventWait, domain.Wait{For: domain.WaitRetry, Pause: d, Why: domain.InWords(cause)})
		defer emit.Emit(ctx, domain.EventWait, domain.Wait{For: domain.WaitRetry, Over: true})
	}
	return b.Sleep(ctx, d)
}

// wait returns the time between an attempt and the next.
func (b Backoff) wait(attempt int, retryAfter time.Duration) time.Duration {
	d := b.First
	for i := 1; i < attempt && d < b.Max; i++ {
		d *= 2
	}
	d = min(d, b.Max)
	return max(retryAfter, d-time.Duration(b.Jitter()*float64(d)/2))
}

// told reports a wait to the trace of the calling node once it has lasted for after, and again at intervals that double
// up to most; if most is 0, it reports once. The returned function ends the wait.
func told(ctx context.Context, after, most time.Duration, what func() domain.Wait) (over func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		timer := time.NewTimer(after)
		defer timer.Stop()
		var last domain.Wait
		for {
			select {
			case <-timer.C:
				last = what()
				emit.Emit(ctx, domain.EventWait, last)
				if after = min(2*after, most); after > 0 {
					timer.Reset(after)
				}
			case <-done:
				if last.For != "" {
					emit.Emit(ctx, domain.EventWait, domain.Wait{For: last.For, Over: true})
				}
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// waitTold is how long a call waits before the trace shows it.
const waitTold = time.Second
