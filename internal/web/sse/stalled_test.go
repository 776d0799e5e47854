package sse

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"
)

// single is a listener with one connection.
type single chan net.Conn

func (l single) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (l single) Close() error   { close(l); return nil }
func (l single) Addr() net.Addr { return &net.TCPAddr{} }

// TestAStreamThatNobodyReadsEnds has a client that sends its request and reads
// nothing.
func TestAStreamThatNobodyReadsEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Duration, 1)
		e := echo.New()
		e.GET("/", func(c echo.Context) error {
			began := time.Now()
			defer func() { ended <- time.Since(began) }()
			_, err := Open(c)
			return err
		})
		l := make(single, 1)
		server := &http.Server{Handler: e}
		go server.Serve(l)
		defer server.Close()
		client, conn := net.Pipe()
		defer client.Close()
		l <- conn
		fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if took := <-ended; took > writeTimeout {
			t.Errorf("it ended after %v", took)
		}
	})
}
