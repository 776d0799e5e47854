package servers

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A Tap counts what passes between the clients of a Postgres and the server,
// in whatever process they are.
type Tap struct {
	mu    sync.Mutex
	trips int            // but for looks whether the server is there
	runs  map[string]int // by statement
}

// TapPostgres returns the address of a Tap in front of the database at address.
func TapPostgres(t testing.TB, address string) (string, *Tap) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	tap := &Tap{runs: map[string]int{}}
	u.Host = relay(t, u.Host, tap.follow)
	return u.String(), tap
}

// relay listens, and connects each client with the server at address. What a client
// says is passed on by follow.
func relay(t testing.TB, address string, follow func(client io.Reader, server io.Writer) error) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		open.Wait()
	})
	open.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { pass(client, address, follow) })
		}
	})
	return l.Addr().String()
}

// pass carries bytes both ways until either side ends.
func pass(client net.Conn, address string, follow func(client io.Reader, server io.Writer) error) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	_ = follow(client, server) // how it ends is for the two to see
}

// Take returns the round trips since the last call, and how often each statement
// ran. Statements that differ in the number of their values count as one.
func (p *Tap) Take() (trips int, runs map[string]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	trips, runs = p.trips, p.runs
	p.trips, p.runs = 0, map[string]int{}
	return trips, runs
}

func (p *Tap) ran(statement string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs[statement]++
}

// follow passes on the messages of a client, each once it is counted: see
// "Frontend/Backend Protocol" in the manual of Postgres.
func (p *Tap) follow(client io.Reader, server io.Writer) error {
	prepared, bound := map[string]string{}, ""
	var said bytes.Buffer
	for begun := false; ; begun = true {
		if _, err := said.WriteTo(server); err != nil {
			return err
		}
		kind, body, err := message(io.TeeReader(client, &said), begun)
		if err != nil {
			return err
		}
		name, rest, _ := bytes.Cut(body, []byte{0})
		text, _, _ := bytes.Cut(rest, []byte{0})
		switch kind {
		case 'P':
			prepared[string(name)] = shape(string(text))
		case 'B':
			bound = prepared[string(text)]
		case 'E':
			p.ran(bound)
		case 'Q':
			p.ran(shape(string(name)))
		}
		if ping := kind == 'Q' && string(name) == "-- ping"; !ping && (kind == 'S' || kind == 'Q') {
			p.mu.Lock()
			p.trips++
			p.mu.Unlock()
		}
	}
}

// message reads a message, of which the first has no kind.
func message(r io.Reader, begun bool) (kind byte, body []byte, err error) {
	var head [5]byte
	part := head[1:]
	if begun {
		part = head[:]
	}
	if _, err := io.ReadFull(r, part); err != nil {
		return 0, nil, err
	}
	body = make([]byte, binary.BigEndian.Uint32(head[1:])-4)
	_, err = io.ReadFull(r, body)
	return head[0], body, err
}

// shape is a statement without what follows from the number of its values.
func shape(statement string) string {
	words := strings.Fields(statement)
	for i, w := range words {
		if at := strings.Index(w, "$"); at >= 0 && strings.Contains(w, ",$") {
			words[i] = w[:at] + "$…" + w[strings.LastIndexAny(w, "0123456789")+1:]
		}
	}
	return strings.Join(words, " ")
}
