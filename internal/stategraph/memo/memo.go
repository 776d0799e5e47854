// Package memo caches the updates of state graph nodes by their input.
package memo

import (
	"maps"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// size is how many updates a node keeps.
const size = 1024

// Func is the function of a node over the state, or of a task over its payload.
type Func[S, In any] = func(ctx *stategraph.Context, in In) (state.Update[S], error)

// Node wraps f with a cache: an input whose key was seen within the lifetime, by
// the clock of the run, returns the update kept for it. Errors are not kept. All
// runs in this process that use the returned function share its cache of up to
// 1,024 keys.
func Node[S, In any](lifetime time.Duration, key func(In) string, f Func[S, In]) Func[S, In] {
	c := &cache[S]{lifetime: lifetime, entries: map[string]entry[S]{}}
	return func(ctx *stategraph.Context, in In) (state.Update[S], error) {
		k := key(in)
		if kept, ok := c.get(k, ctx.Now()); ok {
			return kept, nil
		}
		u, err := f(ctx, in)
		if err == nil {
			c.put(k, u, ctx.Now())
		}
		return u, err
	}
}

type cache[S any] struct {
	lifetime time.Duration

	mu      sync.Mutex
	entries map[string]entry[S]
}

type entry[S any] struct {
	update  state.Update[S]
	expires time.Time
}

func (c *cache[S]) get(key string, now time.Time) (state.Update[S], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	return e.update, ok && now.Before(e.expires)
}

// put adds an update. A full cache drops its expired entries, or else all.
func (c *cache[S]) put(key string, u state.Update[S], now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= size {
		maps.DeleteFunc(c.entries, func(_ string, e entry[S]) bool { return !now.Before(e.expires) })
	}
	if len(c.entries) >= size {
		clear(c.entries)
	}
	c.entries[key] = entry[S]{u, now.Add(c.lifetime)}
}
