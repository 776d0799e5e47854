package llm_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// chat is a model that calls a function.
type chat func(ctx context.Context, r llm.Request) (llm.Response, error)

func (chat) Model() string { return "test" }

func (c chat) Complete(ctx context.Context, r llm.Request) (llm.Response, error) { return c(ctx, r) }

// failing returns a model that fails with each of the errors and then answers
// "done", and the number of its calls.
func failing(faults ...error) (chat, *int) {
	calls := 0
	return func(context.Context, llm.Request) (llm.Response, error) {
		calls++
		if calls <= len(faults) {
			return llm.Response{}, faults[calls-1]
		}
		return llm.Response{Text: "done", Usage: llm.Usage{Input: 3, Output: 1}}, nil
	}, &calls
}

func fault(f llm.Fault, wait time.Duration) error {
	return &llm.Error{Fault: f, Message: "It failed.", After: wait}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	busy := fault(llm.ServerFailed, 0)
	for name, tt := range map[string]struct {
		faults []error
		calls  int
		waits  []time.Duration
		ok     bool
	}{
		"at once":             {nil, 1, nil, true},
		"doubles":             {[]error{busy, busy, busy}, 4, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, true},
		"gives up":            {[]error{busy, busy, busy, busy}, 4, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, false},
		"honours Retry-After": {[]error{fault(llm.RateLimited, 9*time.Second)}, 2, []time.Duration{9 * time.Second}, true},
		"a day is too long":   {[]error{fault(llm.RateLimited, 24*time.Hour)}, 1, nil, false},
		"not a refusal":       {[]error{fault(llm.Refused, 0)}, 1, nil, false},
		"not a bad answer":    {[]error{fault(llm.BadAnswer, 0)}, 1, nil, false},
		"not another error":   {[]error{errors.New("strange")}, 1, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, calls := failing(tt.faults...)
			var waits []time.Duration
			b := llm.Backoff{First: time.Second, Max: 3 * time.Second, Sleep: func(_ context.Context, d time.Duration) error {
				waits = append(waits, d)
				return nil
			}}
			_, err := llm.Retry(c, b).Complete(t.Context(), llm.Request{})
			if (err == nil) != tt.ok || *calls != tt.calls {
				t.Errorf("%d calls, %v", *calls, err)
			}
			if diff := cmp.Diff(tt.waits, waits); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRetryJitterShortensByAtMostHalf(t *testing.T) {
	t.Parallel()
	c, _ := failing(fault(llm.ServerFailed, 0))
	var wait time.Duration
	b := llm.Backoff{First: time.Second, Jitter: func() float64 { return 0.5 }, Sleep: func(_ context.Context, d time.Duration) error { wait = d; return nil }}
	if _, err := llm.Retry(c, b).Complete(t.Context(), llm.Request{}); err != nil || wait != 750*time.Millisecond {
		t.Errorf("waited %s, %v", wait, err)
	}
}

func TestRetryStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, calls := failing(fault(llm.ServerFailed, 0))
	b := llm.Backoff{First: time.Hour, Jitter: func() float64 { cancel(); return 0 }} // called just before the wait
	_, err := llm.Retry(c, b).Complete(ctx, llm.Request{})
	if !errors.Is(err, context.Canceled) || *calls != 1 {
		t.Errorf("%d calls, %v", *calls, err)
	}
}

func TestRetryDoesNotRepeatShownText(t *testing.T) {
	t.Parallel()
	calls := 0
	c := chat(func(_ context.Context, r llm.Request) (llm.Response, error) {
		calls++
		r.OnText("half an ")
		return llm.Response{}, fault(llm.Unreachable, 0)
	})
	seen := ""
	_, err := llm.Retry(c, llm.Backoff{}).Complete(t.Context(), llm.Request{OnText: func(s string) { seen += s }})
	if err == nil || calls != 1 || seen != "half an " {
		t.Errorf("%d calls, seen %q, %v", calls, seen, err)
	}
}

func TestLimitBoundsConcurrency(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	c := llm.Limit(chat(func(context.Context, llm.Request) (llm.Response, error) {
		entered <- struct{}{}
		<-leave
		return llm.Response{}, nil
	}), llm.NewLimiter(2, llm.Rate{}))
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if _, err := c.Complete(t.Context(), llm.Request{}); err != nil {
				t.Error(err)
			}
		})
	}
	<-entered
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Complete(ctx, llm.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call beyond the limit: %v", err)
	}
	select {
	case <-entered:
		t.Error("three calls are in flight")
	default:
	}
	leave <- struct{}{}
	<-entered
	close(leave)
	all.Wait()
}

func TestLimitKeepsTheRate(t *testing.T) {
	t.Parallel()
	c, calls := failing()
	limited := llm.Limit(c, llm.NewLimiter(1, llm.Rate{Calls: 1}))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := limited.Complete(ctx, llm.Request{}); err != nil {
		t.Fatal(err)
	}
	// The next call may start a minute later, after the deadline.
	_, err := limited.Complete(ctx, llm.Request{})
	var e *llm.Error
	if !errors.As(err, &e) || e.Fault != llm.TimedOut || *calls != 1 {
		t.Errorf("%d calls, %v", *calls, err)
	}
}

func TestErrorIsADomainError(t *testing.T) {
	t.Parallel()
	for fault, kind := range map[llm.Fault]domain.Kind{
		llm.ServerFailed: domain.Unavailable, llm.RateLimited: domain.Unavailable, llm.Unreachable: domain.Unavailable,
		llm.Refused: domain.Forbidden, llm.BadRequest: domain.Invalid, llm.BadAnswer: domain.Invalid,
	} {
		err := fmt.Errorf("wrapped: %w", &llm.Error{Fault: fault, Message: "It failed."})
		message, ok := domain.MessageOf(err)
		if message != "It failed." || !ok || domain.KindOf(err) != kind {
			t.Errorf("%s: %q, %t, kind %d; want the message and kind %d", fault, message, ok, domain.KindOf(err), kind)
		}
	}
}
