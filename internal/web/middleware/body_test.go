package middleware

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/respond"
)

// pipes is a listener whose connections are made in memory, so that deadlines
// follow the bubble's clock.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipes) Close() error   { close(l.done); return nil }
func (l *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestBodiesArriveInTime sends bodies at various paces. A handler that goes on
// after the body is not disturbed.
func TestBodiesArriveInTime(t *testing.T) {
	t.Parallel()
	pace := Pace{Pause: 30 * time.Second, Rate: 8 << 10}
	steady := func(piece int) func(io.Writer, int) {
		return func(w io.Writer, size int) {
			for sent := 0; sent < size; sent += piece {
				if _, err := io.WriteString(w, strings.Repeat("x", min(piece, size-sent))); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}
	}
	for name, tt := range map[string]struct {
		size   int
		send   func(io.Writer, int)
		status int
		within time.Duration
	}{
		"at once":          {1 << 20, steady(1 << 20), 200, 2 * time.Minute},
		"slow but steady":  {2 << 20, steady(9 << 10), 200, 6 * time.Minute},
		"silent":           {100, func(io.Writer, int) {}, 408, 31 * time.Second},
		"byte by byte":     {1000, steady(1), 408, 32 * time.Second},
		"fast, then never": {2 << 20, func(w io.Writer, _ int) { _, _ = io.WriteString(w, strings.Repeat("x", 1<<20)) }, 408, 32 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := echo.New()
				e.HTTPErrorHandler = func(err error, c echo.Context) {
					p := respond.ProblemOf(err)
					_ = c.String(p.Status, p.Message)
				}
				e.POST("/", func(c echo.Context) error {
					n, err := io.Copy(io.Discard, c.Request().Body)
					if err != nil {
						return err
					}
					select {
					case <-time.After(time.Minute):
					case <-c.Request().Context().Done():
						return context.Cause(c.Request().Context())
					}
					return c.String(http.StatusOK, fmt.Sprint(n))
				}, Body(pace))
				l := &pipes{make(chan net.Conn), make(chan struct{})}
				server := &http.Server{Handler: e, IdleTimeout: time.Second}
				go server.Serve(l)
				defer server.Close()
				client, conn := net.Pipe()
				l.conns <- conn
				began := time.Now()
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					fmt.Fprintf(client, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", tt.size)
					tt.send(client, tt.size)
				}()
				response, err := http.ReadResponse(bufio.NewReader(client), nil)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); response.StatusCode != tt.status || took > tt.within {
					t.Errorf("status %d after %v, want %d within %v", response.StatusCode, took, tt.status, tt.within)
				}
				client.Close()
				<-sent
			})
		})
	}
}
