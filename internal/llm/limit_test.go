package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// answers is a model that answers after a second.
func answers(u llm.Usage) chat {
	return func(context.Context, llm.Request) (llm.Response, error) {
		time.Sleep(time.Second)
		return llm.Response{Usage: u}, nil
	}
}

func boundOf(l *llm.Limiters) int { return l.Loads()[0].Bound }

func TestABusyServerGetsFewerCallsAndThenMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := llm.NewLimiters(8)
		to := all.To("h", llm.Rate{})
		var says error
		c := llm.Limit(chat(func(context.Context, llm.Request) (llm.Response, error) {
			time.Sleep(time.Second)
			return llm.Response{}, says
		}), to)
		round := func(calls int) {
			var group sync.WaitGroup
			for range calls {
				group.Go(func() { _, _ = c.Complete(t.Context(), llm.Request{}) })
			}
			group.Wait()
		}
		for _, step := range []struct {
			what  string
			says  error
			calls int
			bound int
		}{
			{"eight at once are refused: one sign", fault(llm.RateLimited, 0), 8, 4},
			{"a timeout", fault(llm.TimedOut, 0), 1, 2},
			{"an overloaded server", &llm.Error{Fault: llm.ServerFailed, Status: 503, Message: "Busy."}, 2, 1},
			{"one call is always made", fault(llm.RateLimited, 0), 3, 1},
			{"a refused key says nothing of the load", fault(llm.Refused, 0), 1, 1},
			{"an answer", nil, 1, 2},
			{"a round of two", nil, 2, 2},
			{"two more", nil, 2, 3},
			{"many", nil, 60, 8},
		} {
			says = step.says
			round(step.calls)
			if got := boundOf(all); got != step.bound {
				t.Errorf("%s: %d calls at once, want %d", step.what, got, step.bound)
			}
			time.Sleep(time.Second)
		}
	})
}

func TestNeverMoreCallsAreInFlightThanTheBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := llm.NewLimiters(16)
		var mu sync.Mutex
		inFlight, refused, answered := 0, 0, 0
		bound, before, at := 16, 16, time.Now() // the bound now and a moment ago, when calls may have begun that come here later
		c := llm.Retry(llm.Limit(chat(func(context.Context, llm.Request) (llm.Response, error) {
			mu.Lock()
			inFlight++
			if now := time.Now(); now != at {
				at, before = now, bound
			}
			if bound = all.Loads()[0].Most; inFlight > max(bound, before) {
				t.Errorf("%d calls in flight, of at most %d", inFlight, max(bound, before))
			}
			full := inFlight > 5
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			if inFlight--; full {
				refused++
				return llm.Response{}, fault(llm.RateLimited, 0)
			}
			answered++
			return llm.Response{}, nil
		}), all.To("h", llm.Rate{})), llm.Backoff{First: 10 * time.Second})
		var group sync.WaitGroup
		for range 300 {
			group.Go(func() { _, _ = c.Complete(t.Context(), llm.Request{}) })
		}
		group.Wait()
		if answered < 290 || refused > answered/3 {
			t.Errorf("%d calls answered, %d refused; a server that bears five should be found out", answered, refused)
		}
	})
}

func TestAllCallsWaitAsLongAsTheServerAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, calls := failing(fault(llm.RateLimited, 40*time.Second))
		limited := llm.Limit(c, llm.NewLimiter(4, llm.Rate{}))
		began := time.Now()
		if _, err := limited.Complete(t.Context(), llm.Request{}); err == nil {
			t.Fatal("the first call was not refused")
		}
		if _, err := limited.Complete(t.Context(), llm.Request{}); err != nil || time.Since(began) != 40*time.Second {
			t.Errorf("another call: %v after %s; want it after the 40 s that the server asked for", err, time.Since(began))
		}
		if *calls != 2 {
			t.Errorf("%d calls", *calls)
		}
	})
}

// A run comes back to a model in its own time, and a question says at once that it
// can't be answered.
func TestAnHourIsNotWaitedForWithinACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, calls := failing(fault(llm.RateLimited, time.Hour))
		limited := llm.Limit(c, llm.NewLimiter(4, llm.Rate{}))
		_, _ = limited.Complete(t.Context(), llm.Request{})
		time.Sleep(20 * time.Minute)
		began := time.Now()
		_, err := limited.Complete(t.Context(), llm.Request{})
		if *calls != 1 || time.Since(began) != 0 {
			t.Errorf("%d calls, after %s", *calls, time.Since(began))
		}
		if after := domain.RetryAfter(err); after != 40*time.Minute || !domain.Away(err) {
			t.Errorf("%v: come back after %s, away %t; want 40 minutes", err, after, domain.Away(err))
		}
		time.Sleep(40 * time.Minute)
		if _, err := limited.Complete(t.Context(), llm.Request{}); err != nil {
			t.Errorf("after the hour: %v", err)
		}
	})
}

func TestLimitKeepsTheTokensPerMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// 6,000 tokens a minute are a hundred a second. A call is sent with 100 and uses 500.
		c := llm.Limit(answers(llm.Usage{Input: 400, Output: 100}), llm.NewLimiter(4, llm.Rate{Tokens: 6000}))
		request := llm.Request{Messages: []llm.Message{{Text: strings.Repeat("word", 100)}}}
		began := time.Now()
		var group sync.WaitGroup
		for range 25 {
			group.Go(func() {
				if _, err := c.Complete(t.Context(), request); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		// What the last calls used is owed by nobody: 21 to 25 calls' worth were waited for.
		if took := time.Since(began); took < 100*time.Second || took > 126*time.Second {
			t.Errorf("25 calls of 500 tokens took %s, want about two minutes", took)
		}
	})
}

func TestACallThatGivesUpLeavesItsPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := llm.NewLimiters(1)
		c := llm.Limit(answers(llm.Usage{}), all.To("h", llm.Rate{Calls: 60}))
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				if _, err := c.Complete(ctx, llm.Request{}); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		cancel()
		group.Wait()
		if l := all.Loads()[0]; l.InFlight != 0 || l.Waiting != 0 {
			t.Errorf("%d calls in flight and %d waiting after all have ended", l.InFlight, l.Waiting)
		}
		if _, err := c.Complete(t.Context(), llm.Request{}); err != nil {
			t.Error(err)
		}
	})
}

func TestServersHaveLimitersOfTheirOwn(t *testing.T) {
	t.Parallel()
	all := llm.NewLimiters(2)
	a := all.To("a", llm.Rate{})
	if all.To("a", llm.Rate{}) != a || all.To("b", llm.Rate{}) == a || all.To("a", llm.Rate{Calls: 3}) == a {
		t.Error("models share a limiter by something else than server and rate")
	}
	if loads := all.Loads(); len(loads) != 3 || loads[0].Server != "a" || loads[1].Rate.Calls != 3 || loads[2].Server != "b" {
		t.Errorf("loads are %+v", loads)
	}
}
