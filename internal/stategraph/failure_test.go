package stategraph

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// alone builds a graph of two nodes, the second of which is f.
func alone(t testing.TB, f func(k *kit) node1, opts ...NodeOption) *kit {
	k := newKit(t)
	k.logs("before")
	k.Node("n", f(k), opts...)
	k.path(Start, "before", "n", End)
	return k
}

func TestANodeErrorSaysWhere(t *testing.T) {
	t.Parallel()
	k := alone(t, func(*kit) node1 { return func(*Context, board) (update, error) { return update{}, errBroken } })
	s, err := k.fails()
	var got *NodeError
	if !errors.As(err, &got) || !errors.Is(err, errBroken) {
		t.Fatalf("error is %v, want a NodeError around %v", err, errBroken)
	}
	if diff := cmp.Diff(NodeError{Path: []string{"g"}, Node: "n", Step: 2, Attempt: 1}, NodeError{got.Path, got.Node, got.Step, got.Attempt, nil}); diff != "" {
		t.Errorf("where (-want +got):\n%s", diff)
	}
	wantText(t, err, "g/n (step 2): broken")
	wantLog(t, s, "before")
}

func TestTheErrorOfAGraphThatANodeRunsItselfIsWrapped(t *testing.T) {
	t.Parallel()
	own := alone(t, func(*kit) node1 { return func(*Context, board) (update, error) { return update{}, errBroken } }).compile()
	k := newKit(t)
	k.Node("runs", func(ctx *Context, s board) (update, error) { _, err := own.Run(ctx, s); return update{}, err })
	k.path(Start, "runs", End)
	_, err := k.fails()
	wantText(t, err, "g/runs (step 1): g/n (step 2): broken")
}

func TestABranchErrorSaysWhere(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.logs("a")
	k.Edge(Start, "a")
	k.Branch("a", "d", func(*Context, board) (route, error) { return route{}, errBroken }, Case{"x", End})
	r := &recorder{}
	_, err := k.fails(r.observe())
	wantText(t, err, "g/d (step 1): broken")
	if got := r.lines(NodeFailed); len(got) != 1 {
		t.Errorf("failures reported: %v, want one", got)
	}
}

func TestPanicsAreErrorsWithAStack(t *testing.T) {
	t.Parallel()
	panics := func(*Context, board) (update, error) { panic(errBroken) }
	tests := map[string]*kit{"node": alone(t, func(*kit) node1 { return panics })}
	branching := newKit(t)
	branching.logs("a")
	branching.Edge(Start, "a")
	branching.Branch("a", "n", func(*Context, board) (route, error) { panic(errBroken) }, Case{"x", End})
	tests["branch"] = branching
	tests["mapping"] = newKit(t)
	Subgraph(tests["mapping"].Builder, "n", inner(t, nil), func(board) board { panic(errBroken) }, func(board, board) update { return update{} })
	tests["mapping"].path(Start, "n", End)
	for name, k := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := k.fails()
			var p *PanicError
			if !errors.As(err, &p) || !errors.Is(err, errBroken) {
				t.Fatalf("error is %v, want a PanicError around %v", err, errBroken)
			}
			if !strings.Contains(string(p.Stack), "failure_test.go") {
				t.Errorf("the stack does not show where it happened:\n%s", p.Stack)
			}
			wantText(t, err, "g/n (step", "panic: broken")
		})
	}
}

func TestPanicWithSomethingElse(t *testing.T) {
	t.Parallel()
	k := alone(t, func(*kit) node1 { return func(*Context, board) (update, error) { panic("at the disco") } })
	_, err := k.fails()
	wantText(t, err, "panic: at the disco")
}

func TestANodeThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, name := range []string{"a", "b"} {
		k.Node(name, func(*Context, board) (update, error) { runtime.Goexit(); return update{}, nil })
		k.path(Start, name, End)
	}
	_, err := k.fails()
	wantText(t, err, "g/a (step 1", errExited.Error())
}

// slowDown is an error that says when to come back.
type slowDown time.Duration

func (e slowDown) Error() string { return "slow down" }

func retryAfter(err error) time.Duration {
	e, _ := errors.AsType[slowDown](err)
	return time.Duration(e)
}

func TestRetry(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("asked too often: %w", slowDown(7*time.Second))
	transient := func(err error) bool { return !errors.Is(err, errBroken) }
	tests := []struct {
		name   string
		retry  Retry
		jitter float64
		errs   []error // of the attempts, in turn; nil succeeds
		pauses []time.Duration
		fails  bool
	}{
		{"no retry", Retry{}, 0, []error{errBroken}, nil, true},
		{"one attempt", Retry{Attempts: 1}, 0, []error{errBroken}, nil, true},
		{"success at first", Retry{Attempts: 3, Backoff: time.Second}, 0, []error{nil}, nil, false},
		{"the last attempt succeeds", Retry{Attempts: 3, Backoff: time.Second}, 0, []error{errBroken, errBroken, nil}, []time.Duration{time.Second, 2 * time.Second}, false},
		{"none succeeds", Retry{Attempts: 2, Backoff: time.Second}, 0, []error{errBroken, errBroken, nil}, []time.Duration{time.Second}, true},
		{"without pause", Retry{Attempts: 3}, 0.5, []error{errBroken, errBroken, nil}, []time.Duration{0, 0}, false},
		{"jitter takes up to half", Retry{Attempts: 3, Backoff: time.Second}, 0.5, []error{errBroken, errBroken, nil}, []time.Duration{750 * time.Millisecond, 1500 * time.Millisecond}, false},
		{"up to the longest pause", Retry{Attempts: 5, Backoff: time.Second, MaxBackoff: 3 * time.Second}, 0, []error{errBroken, errBroken, errBroken, errBroken, nil},
			[]time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}, false},
		{"a first pause beyond the longest", Retry{Attempts: 2, Backoff: time.Hour}, 0, []error{errBroken, nil}, []time.Duration{time.Minute}, false},
		{"not before it is told", Retry{Attempts: 3, Backoff: time.Second, After: retryAfter}, 0, []error{wrapped, errBroken, nil}, []time.Duration{7 * time.Second, 2 * time.Second}, false},
		{"told less than the pause", Retry{Attempts: 2, Backoff: time.Minute, After: retryAfter}, 0, []error{wrapped, nil}, []time.Duration{time.Minute}, false},
		{"errors that are worth it", Retry{Attempts: 5, On: transient, After: retryAfter}, 0, []error{wrapped, errBroken, nil}, []time.Duration{7 * time.Second}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := alone(t, func(k *kit) node1 {
				return func(ctx *Context, _ board) (update, error) {
					return k.total.Add(float64(ctx.Attempt())), tt.errs[ctx.Attempt()-1]
				}
			}, WithRetry(tt.retry))
			clock := &stillClock{}
			s, err := k.compile().Run(t.Context(), board{}, Time(clock), Jitter(func() float64 { return tt.jitter }))
			if (err != nil) != tt.fails {
				t.Fatalf("error is %v, want one: %v", err, tt.fails)
			}
			if diff := cmp.Diff(tt.pauses, clock.pauses); diff != "" {
				t.Errorf("pauses (-want +got):\n%s", diff)
			}
			attempts := len(tt.pauses) + 1
			if want := float64(attempts); err == nil && s.Total != want {
				t.Errorf("total is %v, want the last attempt's %v alone", s.Total, want)
			}
			var failure *NodeError
			if errors.As(err, &failure) && failure.Attempt != attempts {
				t.Errorf("the error names attempt %d, want %d", failure.Attempt, attempts)
			}
		})
	}
}

func TestPanicsAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	k := alone(t, func(*kit) node1 {
		return func(*Context, board) (update, error) { calls.Add(1); panic("no") }
	}, WithRetry(Retry{Attempts: 5}))
	k.fails()
	if calls.Load() != 1 {
		t.Errorf("the node was called %d times, want once", calls.Load())
	}
}

func TestTheSystemClockWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := alone(t, func(*kit) node1 {
			return func(ctx *Context, _ board) (update, error) {
				if ctx.Attempt() == 1 {
					return update{}, slowDown(time.Hour)
				}
				return update{}, nil
			}
		}, WithRetry(Retry{Attempts: 2, After: retryAfter}))
		began := time.Now()
		if _, err := k.compile().Run(t.Context(), board{}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != time.Hour {
			t.Errorf("the run took %v, want the hour it was told to wait", took)
		}
	})
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	waits := func(ctx *Context, _ board) (update, error) { <-ctx.Done(); return update{}, ctx.Err() }
	t.Run("is told", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			_, err := alone(t, func(*kit) node1 { return waits }, WithTimeout(5*time.Second)).fails()
			wantText(t, err, "g/n (step 2): took longer than 5s")
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error is %v, want one that is DeadlineExceeded", err)
			}
			var timeout interface{ Timeout() bool }
			if !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("error is %v, want one that is a timeout", err)
			}
		})
	})
	t.Run("is for each attempt", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			k := alone(t, func(k *kit) node1 {
				return func(ctx *Context, s board) (update, error) {
					if ctx.Attempt() < 3 {
						return waits(ctx, s)
					}
					return update{}, ctx.Err()
				}
			}, WithTimeout(time.Second), WithRetry(Retry{Attempts: 3}))
			k.run()
			if took := time.Since(began); took != 2*time.Second {
				t.Errorf("the run took %v, want two timeouts of a second", took)
			}
		})
	})
	t.Run("does not throw away what is done", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := alone(t, func(k *kit) node1 {
				return func(*Context, board) (update, error) { time.Sleep(time.Minute); return k.log.Add("late"), nil }
			}, WithTimeout(time.Second)).run()
			wantLog(t, s, "before", "late")
		})
	})
	t.Run("leaves other errors alone", func(t *testing.T) {
		t.Parallel()
		_, err := alone(t, func(*kit) node1 { return func(*Context, board) (update, error) { return update{}, errBroken } }, WithTimeout(time.Hour)).fails()
		if errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errBroken) {
			t.Errorf("error is %v, want %v alone", err, errBroken)
		}
	})
}

func TestAFailureCancelsItsSiblings(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	started := make(chan struct{})
	k.Node("waits", func(ctx *Context, _ board) (update, error) {
		close(started)
		<-ctx.Done()
		return update{}, ctx.Err()
	}, WithRetry(Retry{Attempts: 3}))
	k.Node("fails", func(*Context, board) (update, error) { <-started; return update{}, errBroken })
	k.logs("done")
	for _, name := range []string{"waits", "fails", "done"} {
		k.path(Start, name, End)
	}
	r := &recorder{}
	s, err := k.fails(r.observe())
	wantText(t, err, "g/fails (step 1): broken")
	wantLog(t, s) // what a failed step changed is not merged
	if got := r.lines(NodeRetry); got != nil {
		t.Errorf("%v: a node that is cancelled is not tried again", got)
	}
}

// A node cancelled before its next attempt is not the one reported.
func TestTheCauseIsReportedAndNotWhatItCutOff(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	started := make(chan struct{})
	k.Node("cut", func(ctx *Context, _ board) (update, error) {
		close(started)
		<-ctx.Done()
		return update{}, errors.New("would have worked the second time")
	}, WithRetry(Retry{Attempts: 2}))
	k.Node("cause", func(*Context, board) (update, error) { <-started; return update{}, errBroken })
	k.path(Start, "cut", End)
	k.path(Start, "cause", End)
	_, err := k.fails()
	wantText(t, err, "g/cause (step 1): broken")
}

func TestNoTaskBeginsAfterAFailure(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	var calls atomic.Int64
	task := Task(k.Builder, "t", func(_ *Context, p int) (update, error) {
		calls.Add(1)
		if p == 2 {
			return update{}, errBroken
		}
		return update{}, nil
	})
	k.Branch(Start, "fan", func(*Context, board) (route, error) {
		return Fan(task.Send(0), task.Send(1), task.Send(2), task.Send(3), task.Send(4)), nil
	}, Case{"each", "t"})
	k.Edge("t", End)
	k.fails(MaxConcurrency(1))
	if calls.Load() != 3 {
		t.Errorf("%d tasks began, want the three up to the failure", calls.Load())
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	reason := errors.New("stopped by its owner")
	t.Run("before the run", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(reason)
		k := newKit(t)
		k.logs("a")
		k.path(Start, "a", End)
		s, err := k.compile().Run(ctx, board{})
		if !errors.Is(err, reason) {
			t.Errorf("error is %v, want %v", err, reason)
		}
		wantLog(t, s)
	})
	t.Run("between nodes", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		k := newKit(t)
		k.Node("a", func(*Context, board) (update, error) { cancel(); return k.log.Add("a"), nil })
		k.logs("b")
		k.path(Start, "a", "b", End)
		s, err := k.compile().Run(ctx, board{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want %v", err, context.Canceled)
		}
		wantText(t, err, "stopped after step 1")
		wantLog(t, s, "a")
	})
	t.Run("inside nodes", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		k := newKit(t)
		for _, name := range []string{"a", "b"} {
			k.Node(name, func(ctx *Context, _ board) (update, error) { cancel(); <-ctx.Done(); return update{}, ctx.Err() })
			k.path(Start, name, End)
		}
		_, err := k.compile().Run(ctx, board{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want %v", err, context.Canceled)
		}
	})
	t.Run("among many tasks", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		k := newKit(t)
		var calls atomic.Int64
		task := Task(k.Builder, "t", func(*Context, int) (update, error) { calls.Add(1); cancel(); return update{}, nil })
		k.Branch(Start, "fan", func(*Context, board) (route, error) {
			return Fan(slices.Repeat([]Send[board]{task.Send(1)}, 100)...), nil
		}, Case{"each", "t"})
		k.Edge("t", End)
		_, err := k.compile().Run(ctx, board{}, MaxConcurrency(2))
		if !errors.Is(err, context.Canceled) || calls.Load() > 2 {
			t.Errorf("error is %v after %d calls, want %v after at most 2", err, calls.Load(), context.Canceled)
		}
		wantText(t, err, "stopped in step 1")
	})
	t.Run("during a pause", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			k := alone(t, func(*kit) node1 { return func(*Context, board) (update, error) { return update{}, errBroken } },
				WithRetry(Retry{Attempts: 2, Backoff: 10 * time.Second}))
			began := time.Now()
			if _, err := k.compile().Run(ctx, board{}); !errors.Is(err, errBroken) {
				t.Errorf("error is %v, want %v", err, errBroken)
			}
			if took := time.Since(began); took != time.Second {
				t.Errorf("the run went on for %v, want the second until it was cancelled", took)
			}
		})
	})
}
