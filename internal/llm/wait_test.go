package llm_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/stategraph/emit"
)

// told is an emitter that notes waits.
type told struct {
	mu    sync.Mutex
	waits []domain.Wait
}

func (t *told) Emit(kind string, payload any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w, ok := payload.(domain.Wait); ok && kind == domain.EventWait {
		t.waits = append(t.waits, w)
	}
}

func (t *told) soFar() []domain.Wait {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.waits)
}

func (t *told) to(ctx context.Context) context.Context {
	return context.WithValue(ctx, emit.Key{}, t)
}

func TestWaitingForASlotIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := llm.Limit(chat(func(context.Context, llm.Request) (llm.Response, error) {
			time.Sleep(5 * time.Second)
			return llm.Response{}, nil
		}), llm.NewLimiter(1, llm.Rate{}))
		first, second := &told{}, &told{}
		var both sync.WaitGroup
		ask := func(to *told) {
			if _, err := limited.Complete(to.to(t.Context()), llm.Request{}); err != nil {
				t.Error(err)
			}
		}
		both.Go(func() { ask(first) })
		synctest.Wait()
		both.Go(func() { ask(second) })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		waits := []domain.Wait{{For: domain.WaitSlot}}
		if diff := cmp.Diff(waits, second.soFar()); diff != "" {
			t.Errorf("while it waits (-want +got)\n%s", diff)
		}
		both.Wait()
		if diff := cmp.Diff(append(waits, domain.Wait{For: domain.WaitSlot, Over: true}), second.soFar()); diff != "" {
			t.Errorf("in all (-want +got)\n%s", diff)
		}
		if waits := first.soFar(); len(waits) != 0 {
			t.Errorf("the call that had a slot at once told %v", waits)
		}
	})
}

func TestAPauseIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := llm.Retry(chat(func(context.Context, llm.Request) (llm.Response, error) {
			if calls++; calls > 2 {
				return llm.Response{}, nil
			}
			return llm.Response{}, fault(llm.RateLimited, time.Duration(calls-1)*20*time.Second)
		}), llm.Backoff{})
		to := &told{}
		if _, err := c.Complete(to.to(t.Context()), llm.Request{}); err != nil {
			t.Fatal(err)
		}
		// The first pause is half a second, too short to be told.
		want := []domain.Wait{
			{For: domain.WaitRetry, Pause: 20 * time.Second, Why: domain.InWords(fault(llm.RateLimited, 20*time.Second))}, {For: domain.WaitRetry, Over: true},
		}
		if diff := cmp.Diff(want, to.waits); diff != "" {
			t.Errorf("told (-want +got)\n%s", diff)
		}
	})
}
