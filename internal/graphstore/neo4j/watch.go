package neo4j

import (
	"context"
	"sync"
	"time"
)

// closeTimeout is how long a connection may take to be released or closed.
const closeTimeout = 2 * time.Second

// watched is a context that ends when the server has been silent for too long.
// It also has a deadline, because without one the driver ignores the context
// while it waits for the server.
type watched struct {
	ctx     context.Context
	cancel  context.CancelFunc
	mu      sync.Mutex
	timer   *time.Timer
	silence time.Duration
}

func (s *Store) watch(ctx context.Context, limit time.Duration) *watched {
	w := &watched{silence: s.SilenceTimeout}
	w.ctx, w.cancel = context.WithTimeout(ctx, limit)
	w.timer = time.AfterFunc(w.silence, w.cancel)
	return w
}

// heard restarts the timer.
func (w *watched) heard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() == nil {
		w.timer.Reset(w.silence)
	}
}

func (w *watched) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.cancel()
}
