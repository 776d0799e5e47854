package neo4j

import (
	"context"
	"sync"
	"time"
)

// goodbye is how long a connection may take to be given back or closed.
const goodbye = 2 * time.Second

// watched is a context that ends when the server has been silent for too long.
// It has a deadline too: without one the driver does not look at a context
// while it waits for the server.
type watched struct {
	ctx     context.Context
	cancel  context.CancelFunc
	mu      sync.Mutex
	timer   *time.Timer
	silence time.Duration
}

func (s *Store) watch(ctx context.Context, limit time.Duration) *watched {
	w := &watched{silence: s.Patience}
	w.ctx, w.cancel = context.WithTimeout(ctx, limit)
	w.timer = time.AfterFunc(w.silence, w.cancel)
	return w
}

// heard starts the wait anew.
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
