package llm

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A Rate is a server's limit per minute; 0 means none.
type Rate struct{ Calls, Tokens int }

// Limiters bound the calls to each server.
type Limiters struct {
	most int

	mu  sync.Mutex
	all map[limited]*Limiter
}

// limited identifies the scope of one Limiter: models of a server may have rates of their own.
type limited struct {
	server string
	rate   Rate
}

// NewLimiters allows most calls in flight to each server, at least 1.
func NewLimiters(most int) *Limiters {
	return &Limiters{most: most, all: map[limited]*Limiter{}}
}

// To returns the Limiter of a server, which all its models with the same rate share.
func (l *Limiters) To(server string, r Rate) *Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := limited{server, r}
	if l.all[of] == nil {
		l.all[of] = NewLimiter(l.most, r)
	}
	return l.all[of]
}

// Loads returns the load of each server, by its name.
func (l *Limiters) Loads() []Load {
	l.mu.Lock()
	defer l.mu.Unlock()
	var loads []Load
	for of, limiter := range l.all {
		load := limiter.load()
		load.Server = of.server
		loads = append(loads, load)
	}
	slices.SortFunc(loads, func(a, b Load) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Rate.Calls, b.Rate.Calls), cmp.Compare(a.Rate.Tokens, b.Rate.Tokens))
	})
	return loads
}

// Load is how busy this process keeps a server.
type Load struct {
	Server   string
	Most     int // maximum of calls in flight
	Bound    int // how many the server seems able to take, at most Most
	InFlight int
	Waiting  int // calls waiting for others to end
	Rate     Rate
	Until    time.Time // the server asked for no calls before then
}

// Limiter bounds the calls to a server. All models of the server share one.
//
// How many calls are in flight follows what the server bears. Each round of
// answers raises the bound by one, up to the most that is allowed. A server that
// refuses calls because it is busy, or does not answer in time, halves it. If it
// says how long to wait, all calls do.
type Limiter struct {
	most int
	rate Rate

	mu            sync.Mutex
	bound         float64
	inFlight      int
	queue         []chan struct{} // of calls waiting for others to end, closed when it is their turn
	calls, tokens bucket
	lowered       time.Time // when the bound was halved
	until         time.Time // the server asked for no calls before then
}

// NewLimiter allows most calls in flight, at least 1, at a rate.
func NewLimiter(most int, r Rate) *Limiter {
	most = max(most, 1)
	return &Limiter{
		most: most, rate: r, bound: float64(most),
		calls: bucket{perMinute: r.Calls, one: 1}, tokens: bucket{perMinute: r.Tokens},
	}
}

// Limit returns c with its calls bounded by l.
func Limit(c Chat, l *Limiter) Chat {
	return around{c, func(ctx context.Context, r Request) (answer Response, err error) {
		sent := texts(r)
		for _, t := range r.Tools {
			sent = append(sent, t.Description+string(t.Parameters))
		}
		err = l.call(ctx, estimate(sent), func() (used int, err error) {
			answer, err = c.Complete(ctx, r)
			return answer.Usage.Input + answer.Usage.Output, err
		})
		return answer, err
	}}
}

// LimitEmbedder returns e with its calls bounded by l.
func LimitEmbedder(e Embedder, l *Limiter) Embedder {
	return aroundEmbedder{e, func(ctx context.Context, texts []string) (vectors [][]float32, err error) {
		err = l.call(ctx, estimate(texts), func() (used int, err error) {
			vectors, err = e.Embed(ctx, texts)
			return 0, err
		})
		return vectors, err
	}}
}

// call runs f, which sends about a number of tokens and returns how many were used, or 0 if nobody counted.
func (l *Limiter) call(ctx context.Context, tokens int, f func() (used int, err error)) error {
	if err := l.acquire(ctx, tokens); err != nil {
		return err
	}
	began := time.Now()
	used, err := f()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.bound = min(l.bound+1/l.bound, float64(l.most))
	}
	if used > 0 {
		l.tokens.take(time.Now(), used-tokens)
	}
	if ctx.Err() == nil { // if not, the caller ran out of time
		l.heed(began, err)
	}
	l.leave()
	return err
}

// heed adjusts the bound to the load that a server reports in the error of a call. Calls that began before the bound
// was halved are ignored.
func (l *Limiter) heed(began time.Time, err error) {
	var fault *Error
	if !errors.As(err, &fault) || !fault.busy() {
		return
	}
	now := time.Now()
	if began.After(l.lowered) {
		l.bound, l.lowered = max(l.bound/2, 1), now
	}
	if until := now.Add(fault.After); fault.After > 0 && until.After(l.until) {
		l.until = until
	}
}

// busy reports whether a server may have too much to do.
func (e *Error) busy() bool {
	switch e.Fault {
	case RateLimited, TimedOut:
		return true
	case ServerFailed:
		return e.Status == http.StatusServiceUnavailable || e.Status == statusOverloaded
	}
	return false
}

// statusOverloaded is Anthropic's status for an overloaded server.
const statusOverloaded = 529

// acquire waits for a free slot, for the rate, and for as long as the server asked.
// What would take longer than a call waits fails at once, with the time.
func (l *Limiter) acquire(ctx context.Context, tokens int) error {
	defer told(ctx, waitTold, 0, func() domain.Wait { return domain.Wait{For: domain.WaitSlot} })()
	if err := l.enter(ctx); err != nil {
		return err
	}
	for wait := l.reserve(tokens); wait > 0; wait = l.asked() {
		if err := l.pause(ctx, wait); err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.take(-1, -tokens)
			l.leave()
			return err
		}
	}
	return nil
}

// enter waits until a call may be in flight.
func (l *Limiter) enter(ctx context.Context) error {
	l.mu.Lock()
	turn := make(chan struct{})
	l.queue = append(l.queue, turn)
	l.admit()
	l.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.Index(l.queue, turn); at >= 0 {
		l.queue = slices.Delete(l.queue, at, at+1)
	} else { // its turn came at that moment
		l.leave()
	}
	return Stopped(ctx.Err())
}

// admit lets calls in, the first ones first.
func (l *Limiter) admit() {
	for len(l.queue) > 0 && l.inFlight < int(l.bound) {
		close(l.queue[0])
		l.queue = l.queue[1:]
		l.inFlight++
	}
}

func (l *Limiter) leave() {
	l.inFlight--
	l.admit()
}

// reserve takes a call from the rate and returns how long it has to wait.
func (l *Limiter) reserve(tokens int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.take(1, tokens), time.Until(l.until))
}

func (l *Limiter) take(calls, tokens int) time.Duration {
	now := time.Now()
	return max(l.calls.take(now, calls), l.tokens.take(now, tokens))
}

// asked returns how long the server asked to wait from now on.
func (l *Limiter) asked() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.until)
}

func (l *Limiter) pause(ctx context.Context, wait time.Duration) error {
	if asked := l.asked(); asked > maxRetryAfter {
		return &Error{Fault: RateLimited, After: asked, Message: "The model asked for no calls for another " + asked.Round(time.Second).String() + "."}
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		return Stopped(context.DeadlineExceeded)
	}
	if err := domain.Sleep(ctx, wait); err != nil {
		return Stopped(err)
	}
	return nil
}

func (l *Limiter) load() Load {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Load{Most: l.most, Bound: int(l.bound), InFlight: l.inFlight, Waiting: len(l.queue), Rate: l.rate, Until: l.until}
}

// bucket is a token bucket: it fills at a rate per minute and holds a second's worth. More may be taken than it holds;
// the next caller waits until that has been refilled.
type bucket struct {
	perMinute int     // 0 for no limit
	one       float64 // the minimum that is taken
	level     float64
	at        time.Time // when level was computed
}

// take takes n and returns how long to wait before using it.
func (b *bucket) take(now time.Time, n int) time.Duration {
	if b.perMinute == 0 {
		return 0
	}
	perSecond := float64(b.perMinute) / 60
	b.level = min(b.level+now.Sub(b.at).Seconds()*perSecond, max(perSecond-b.one, 0))
	b.at = now
	wait := max(-b.level, 0) / perSecond
	b.level -= float64(n)
	return time.Duration(wait * float64(time.Second))
}
