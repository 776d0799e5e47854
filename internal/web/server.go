package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/bearer"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/sse"
)

// A Server answers requests. Its Params may be replaced; a request keeps those it began with.
type Server struct {
	http    *http.Server
	pages   atomic.Pointer[echo.Echo]
	streams sse.Gate
	rates   *bearer.Rates
	open    context.Context // done when the server stops, to end the streams
	closing context.CancelFunc
}

// NewServer returns a Server that answers with p.
func NewServer(p Params) *Server {
	s := newServer(p)
	s.Use(p)
	return s
}

// NewWaiting returns a Server that serves probes and static files, and answers all other requests with the error of p.Probed.Ready,
// until Use is called. Of p it needs only the fields about requests.
func NewWaiting(p Params) *Server {
	s := newServer(p)
	s.wait(p)
	return s
}

func newServer(p Params) *Server {
	s := &Server{rates: bearer.NewRates(p.TokenRate, p.Now)}
	s.open, s.closing = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(p.Log.Handler(), slog.LevelDebug),
	}
	return s
}

// Use answers further requests with p.
func (s *Server) Use(p Params) {
	e := echo.New()
	pageFrame := frame.Frame{Graph: p.Graph, Documents: p.Documents, Model: p.Model, Spending: p.Settings, Shelf: p.Workspaces}
	e.HTTPErrorHandler = failures{pageFrame, p.Health, errorForms()}.handle
	s.routes(e, p, s.handlers(p, pageFrame))
	s.pages.Store(e)
}

// reload is the number of seconds after which a browser reloads a waiting page.
const reload = "3"

// wait answers further requests with why nothing else can be answered yet.
func (s *Server) wait(p Params) {
	e := echo.New()
	e.HTTPErrorHandler = failures{forms: errorForms()}.handle
	e.Pre(mounted(p.BasePath))
	probes(e, p)
	e.Any("/*", func(c echo.Context) error {
		if c.Request().Method == http.MethodGet {
			c.Response().Header().Set("Refresh", reload)
		}
		return p.Probed.Ready(c.Request().Context())
	})
	s.pages.Store(e)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.pages.Load().ServeHTTP(w, r) }

// Serve answers requests on l until Stop is called. It returns the listener's
// error, or nil after Stop.
func (s *Server) Serve(l net.Listener) error {
	if err := s.http.Serve(&bounded{Listener: l, free: make(chan struct{}, maxConnections)}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Stop ends the event streams and waits for open requests until ctx is done. It
// then closes the remaining connections, such as a slow upload: an unfinished
// upload leaves nothing behind.
func (s *Server) Stop(ctx context.Context) error {
	s.closing()
	err := s.http.Shutdown(ctx)
	if ctx.Err() != nil {
		return s.http.Close()
	}
	return err
}
