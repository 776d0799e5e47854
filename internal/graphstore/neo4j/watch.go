package neo4j

import (
	"context"
	"sync"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// closeTimeout is how long a connection may take to be released or closed.
const closeTimeout = 2 * time.Second

// watched is a context that ends when the server has been silent for too long:
// when it then does not answer another question, or at the timeout. It also has
// a deadline, because without one the driver ignores the context while it waits
// for the server.
type watched struct {
	ctx     context.Context
	cancel  context.CancelFunc
	store   *Store
	mu      sync.Mutex
	timer   *time.Timer
	last    time.Time // when it was last heard from
	stopped bool
	late    bool // it was silent until the timeout, although it answers
}

func (s *Store) watch(ctx context.Context, limit time.Duration) *watched {
	w := &watched{store: s, last: time.Now()}
	w.ctx, w.cancel = context.WithTimeout(ctx, limit)
	w.timer = time.AfterFunc(s.SilenceTimeout, w.silent)
	return w
}

// silent asks the server whether it is still there.
func (w *watched) silent() {
	w.mu.Lock()
	stopped := w.stopped
	w.mu.Unlock()
	if stopped {
		return
	}
	err := w.store.ping(w.ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = err == nil && time.Since(w.last) >= w.store.Timeout
	switch {
	case w.stopped:
	case err == nil && !w.late:
		w.timer.Reset(w.store.SilenceTimeout)
	default:
		w.cancel()
	}
}

// ping reports whether the server answers on another connection.
func (s *Store) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.SilenceTimeout)
	defer cancel()
	session := s.driver.NewSession(ctx, driver.SessionConfig{AccessMode: driver.AccessModeRead, DatabaseName: s.Database})
	defer s.release(ctx, session)
	result, err := session.Run(ctx, `RETURN 1`, nil)
	if err == nil {
		_, err = result.Consume(ctx)
	}
	return err
}

// heard restarts the timer.
func (w *watched) heard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last = time.Now(); w.ctx.Err() == nil {
		w.timer.Reset(w.store.SilenceTimeout)
	}
}

// busy reports whether the server was silent too long, though it answers.
func (w *watched) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.late
}

func (w *watched) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
	w.cancel()
}
