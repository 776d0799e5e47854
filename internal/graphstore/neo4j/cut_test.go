package neo4j_test

import (
	"io"
	"math"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// cutter passes on what a server and its clients say, and breaks a connection in the middle of the answer with which left comes down to 0.
type cutter struct {
	net.Listener
	to   string
	left atomic.Int64
}

func newCutter(t *testing.T, at *servers.Neo4jServer) *cutter {
	t.Helper()
	u, err := url.Parse(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := &cutter{Listener: l, to: u.Host}
	go func() {
		for client, err := l.Accept(); err == nil; client, err = l.Accept() {
			go c.pass(client)
		}
	}()
	return c
}

func (c *cutter) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer server.Close()
		_, _ = io.Copy(server, client)
	}()
	answer := make([]byte, 1<<16)
	for {
		n, err := server.Read(answer)
		if err != nil {
			return
		}
		if c.left.Add(-1) == 0 {
			_, _ = client.Write(answer[:n/2])
			return
		}
		if _, err := client.Write(answer[:n]); err != nil {
			return
		}
	}
}

// TestABrokenConnectionIsTemporary breaks the connection in the middle of every third answer of a write: it is done, or may be tried again.
func TestABrokenConnectionIsTemporary(t *testing.T) {
	t.Parallel()
	at := servers.Neo4j(t)
	ws := domain.WorkspaceID(t.Name())
	reset(t, open(t, at), ws)
	through := newCutter(t, at)
	through.left.Store(math.MaxInt64)
	s, err := neo4j.Open(t.Context(), neo4j.Options{URL: "bolt://" + through.Addr().String(), User: at.User, Password: at.Password, Database: at.Database, SilenceTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	broken := 0
	for answers, done := int64(1), false; !done; answers += 3 {
		through.left.Store(answers)
		b := library(2, 2)
		if b.After, err = s.Cursor(t.Context(), ws); err == nil {
			b.Cursor = b.After + 1
			err = s.Apply(t.Context(), ws, b)
		}
		done = through.left.Load() > 0
		if err != nil {
			broken++
		}
		if err != nil && domain.KindOf(err) != domain.Unavailable {
			t.Errorf("broken in answer %d: got %v, want kind Unavailable", answers, err)
		}
	}
	if broken == 0 {
		t.Error("no write failed")
	}
}
