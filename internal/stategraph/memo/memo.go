// Package memo spares the nodes of state graphs calls with an input that they
// were called with before.
package memo

import (
	"sync"
	"time"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// size is how many updates one function keeps.
const size = 1024

// Func is the function of a node over the state, or of a task over its payload.
type Func[S, In any] = func(ctx *stategraph.Context, in In) (state.Update[S], error)

// Node is f, or what f has returned for an input of the same key within the
// lifetime, by the clock of the run. Only updates are kept, not errors. All
// runs in this process of all graphs that are given the result share what it
// keeps: of 1,024 keys at most.
func Node[S, In any](lifetime time.Duration, key func(In) string, f Func[S, In]) Func[S, In] {
	m := &memory[S]{lifetime: lifetime, kept: map[string]kept[S]{}}
	return func(ctx *stategraph.Context, in In) (state.Update[S], error) {
		k := key(in)
		if known, ok := m.get(k, ctx.Now()); ok {
			return known, nil
		}
		u, err := f(ctx, in)
		if err == nil {
			m.put(k, u, ctx.Now())
		}
		return u, err
	}
}

type memory[S any] struct {
	lifetime time.Duration

	mu   sync.Mutex
	kept map[string]kept[S]
}

type kept[S any] struct {
	update state.Update[S]
	until  time.Time
}

func (m *memory[S]) get(key string, now time.Time) (state.Update[S], bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.kept[key]
	return k.update, ok && now.Before(k.until)
}

// put keeps an update. When there is no room, what is too old leaves, or else
// everything.
func (m *memory[S]) put(key string, u state.Update[S], now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) >= size {
		for k, old := range m.kept {
			if !now.Before(old.until) {
				delete(m.kept, k)
			}
		}
		if len(m.kept) >= size {
			clear(m.kept)
		}
	}
	m.kept[key] = kept[S]{u, now.Add(m.lifetime)}
}
