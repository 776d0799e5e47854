package web

import (
	"net"
	"sync"
)

// maxConnections is the most connections at a time. It leaves room beside the
// streams; what doesn't send or take anything is ended by its deadline.
const maxConnections = 4096

// bounded is a listener that closes excess connections at once, rather than let them wait for others.
type bounded struct {
	net.Listener
	free chan struct{} // one value per open connection
}

// Accept implements net.Listener.
func (l *bounded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.free <- struct{}{}:
			return &counted{Conn: c, release: sync.OnceFunc(func() { <-l.free })}, nil
		default:
			_ = c.Close() // the client sees it closed either way
		}
	}
}

// counted is a connection that makes room when it is closed.
type counted struct {
	net.Conn
	release func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	defer c.release()
	return c.Conn.Close()
}
