package web

import (
	"io"
	"net"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

func TestConnectionsBeyondTheMostAreClosed(t *testing.T) {
	race.Want(t)
	t.Parallel()
	inner, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	l := &bounded{Listener: inner, free: make(chan struct{}, 2)}
	defer l.Close()
	accepted := make(chan net.Conn, 3)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		t.Helper()
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", inner.Addr().String())
		testkit.Must(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	}
	dial()
	dial()
	first := <-accepted
	<-accepted
	if n, err := dial().Read(make([]byte, 1)); err == nil || n != 0 {
		t.Errorf("the third: read %d bytes, error %v, want it closed", n, err)
	}
	testkit.Must(t, first.Close())
	first.Close() // does not make room twice
	another := dial()
	served := <-accepted
	testkit.Must(t, served.Close())
	if _, err := another.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the one that got the room: %v", err)
	}
	if len(l.free) != 1 {
		t.Errorf("%d places are taken, want 1", len(l.free))
	}
}
