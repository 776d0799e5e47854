package stategraph

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestACachedNodeIsCalledOncePerKeyAndLifetime(t *testing.T) {
	t.Parallel()
	var calls, broken atomic.Int32
	k := newKit(t)
	work := Task(k.Builder, "work", func(_ *Context, word string) (update, error) {
		calls.Add(1)
		if word == "broken" && broken.Add(1) == 1 {
			return update{}, errBroken
		}
		return k.log.Add(word), nil
	}, WithCache(time.Minute, strings.ToLower))
	k.Branch(Start, "each", func(_ *Context, s board) (route, error) { return Fan(work.Send(s.Word)), nil }, Case{"each", "work"})
	k.Edge("work", End)
	g := k.compile()
	clock := &stillClock{now: time.Unix(0, 0)}
	for _, tt := range []struct {
		word  string
		later time.Duration
		calls int32
		log   string
	}{
		{"One", 0, 1, "One"}, {"one", 59 * time.Second, 1, "One"}, {"two", 0, 2, "two"}, {"one", time.Second, 3, "one"},
		{"broken", 0, 4, ""}, {"broken", 0, 5, "broken"}, {"broken", 0, 5, "broken"},
	} {
		clock.Sleep(t.Context(), tt.later)
		s, err := g.Run(context.Background(), board{Word: tt.word}, Time(clock))
		if got := strings.Join(s.Log, ","); got != tt.log || (err == nil) != (tt.log != "") || calls.Load() != tt.calls {
			t.Errorf("%s: %q after %d calls, want %q after %d (%v)", tt.word, got, calls.Load(), tt.log, tt.calls, err)
		}
	}
}

func TestACacheStaysSmall(t *testing.T) {
	t.Parallel()
	var o policy
	WithCache(time.Minute, func(s string) string { return s })(&o)
	now := time.Unix(0, 0)
	for i := range 3 * cacheSize {
		o.cache.put(strings.Repeat("x", i), i, now)
		now = now.Add(time.Second)
		if len(o.cache.kept) > cacheSize {
			t.Fatalf("%d entries", len(o.cache.kept))
		}
	}
	if _, ok := o.cache.get(strings.Repeat("x", 3*cacheSize-1), now); !ok {
		t.Error("the newest is gone")
	}
}

func TestACacheOverAnotherInputDoesNotCompile(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("a", func(*Context, board) (update, error) { return update{}, nil }, WithCache(time.Minute, func(s string) string { return s }))
	k.path(Start, "a", End)
	_, err := k.Compile()
	wantText(t, err, `"a"`, "caches by string", "board")
}

func TestAPanicInAKeyIsTheNodesError(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Node("a", func(*Context, board) (update, error) { return update{}, nil }, WithCache(time.Minute, func(board) string { panic("no key") }))
	k.path(Start, "a", End)
	_, err := k.fails()
	wantText(t, err, "g/a", "no key")
}
