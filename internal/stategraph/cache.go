package stategraph

import (
	"reflect"
	"sync"
	"time"
)

// cacheSize is how many updates the cache of one node holds.
const cacheSize = 1024

// WithCache takes a node's update from memory when it was called with an input
// of the same key within the lifetime. The input is the state, or the payload
// of a task. Only updates are kept, not errors; the cache belongs to the node
// and is shared by all runs of its graph in this process.
func WithCache[In any](lifetime time.Duration, key func(In) string) NodeOption {
	c := &cache{lifetime: lifetime, input: reflect.TypeFor[In](), kept: map[string]kept{}}
	c.key = func(in any) string { return key(in.(In)) }
	return func(p *policy) { p.cache = c }
}

type cache struct {
	lifetime time.Duration
	input    reflect.Type
	key      func(any) string

	mu   sync.Mutex
	kept map[string]kept
}

type kept struct {
	update any
	until  time.Time
}

func (c *cache) get(key string, now time.Time) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.kept[key]
	return k.update, ok && now.Before(k.until)
}

// put keeps an update. When the cache is full, what is too old leaves it, or
// else everything.
func (c *cache) put(key string, update any, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= cacheSize {
		for k, old := range c.kept {
			if !now.Before(old.until) {
				delete(c.kept, k)
			}
		}
		if len(c.kept) >= cacheSize {
			clear(c.kept)
		}
	}
	c.kept[key] = kept{update, now.Add(c.lifetime)}
}

// cached calls a node unless its update is known.
func (r *run[S]) cached(ctx *Context, t *task[S]) (u Update[S], err error) {
	c := t.node.policy.cache
	if c == nil {
		return r.call(ctx, t)
	}
	key, err := r.key(c, t)
	if err != nil {
		return u, err
	}
	if known, ok := c.get(key, r.host.clock.Now()); ok {
		return known.(Update[S]), nil
	}
	if u, err = r.call(ctx, t); err == nil {
		c.put(key, u, r.host.clock.Now())
	}
	return u, err
}

func (r *run[S]) key(c *cache, t *task[S]) (key string, err error) {
	defer recovered(&err)
	if t.node.kind == KindTask {
		return c.key(t.payload), nil
	}
	return c.key(r.shown), nil
}
