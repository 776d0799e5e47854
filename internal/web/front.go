package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// A Front serves one Site at a time on a listener. Another can take its place
// without a request being refused.
type Front struct {
	site   atomic.Pointer[Site]
	server *http.Server
}

// NewFront returns a Front that serves a Site.
func NewFront(s *Site, log *slog.Logger) *Front {
	f := &Front{}
	f.site.Store(s)
	f.server = &http.Server{
		Handler:           http.HandlerFunc(f.serve),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	return f
}

// serve answers a request by the Site of the moment. One that has ended meanwhile
// has a successor.
func (f *Front) serve(w http.ResponseWriter, r *http.Request) {
	for {
		if s := f.site.Load(); s.enter() {
			defer s.open.Done()
			s.echo.ServeHTTP(w, r)
			return
		}
	}
}

// Use serves all further requests by next. The former Site answers those it has
// begun; End it.
func (f *Front) Use(next *Site) { f.site.Store(next) }

// Serve answers requests on l until Stop is called. It returns the listener's
// error, or nil after Stop.
func (f *Front) Serve(l net.Listener) error {
	if err := f.server.Serve(&bounded{Listener: l, free: make(chan struct{}, maxConnections)}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Stop ends the event streams and waits for open requests until ctx is done. It
// then closes the remaining connections, such as a slow upload: an unfinished
// upload leaves nothing behind.
func (f *Front) Stop(ctx context.Context) error {
	close(f.site.Load().closing)
	err := f.server.Shutdown(ctx)
	if ctx.Err() != nil {
		return f.server.Close()
	}
	return err
}

// enter counts a request in, unless the Site has ended.
func (s *Site) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.open.Add(1)
	}
	return !s.ended
}

// End ends the event streams of a Site that no Front uses any more, whose pages
// follow the next one, and waits for its open requests until ctx is done.
func (s *Site) End(ctx context.Context) error {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	close(s.closing)
	idle := make(chan struct{})
	go func() {
		s.open.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
