package servers

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A Tap counts the messages between the clients of a Postgres or a Neo4j and the server, in all processes.
type Tap struct {
	mu    sync.Mutex
	trips int            // without checks whether the server is there
	runs  map[string]int // by statement
}

// TapPostgres returns the address of a Tap in front of the database at address.
func TapPostgres(t testing.TB, address string) (string, *Tap) {
	t.Helper()
	return newTap(t, address, (*Tap).follow)
}

// TapNeo4j returns the address of a Tap in front of the Neo4j at address, to which
// its clients speak without encryption.
func TapNeo4j(t testing.TB, address string) (string, *Tap) {
	t.Helper()
	return newTap(t, address, (*Tap).followBolt)
}

func newTap(t testing.TB, address string, follow func(p *Tap, client io.Reader, server io.Writer) error) (string, *Tap) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	tap := &Tap{runs: map[string]int{}}
	u.Host = relay(t, u.Host, func(client io.Reader, server io.Writer) error { return follow(tap, client, server) })
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
	_ = follow(client, server) // its errors concern only the two sides
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

func (p *Tap) went() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trips++
}

// follow passes on the messages of a client of Postgres, each once it is counted: see
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
			p.went()
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

// Kinds of messages of a client of Neo4j.
const (
	boltReset, boltRun, boltBegin, boltCommit, boltRollback = 0x0f, 0x10, 0x11, 0x12, 0x13
	boltDiscard, boltPull, boltStructure                    = 0x2f, 0x3f, 0xb0
)

// followBolt passes on and reads the messages of a client of Neo4j: see "Bolt Protocol" in its
// documentation. What begins and ends transactions counts as statements too.
func (p *Tap) followBolt(client io.Reader, server io.Writer) error {
	in := bufio.NewReader(io.TeeReader(client, server))
	if _, err := in.Discard(20); err != nil { // the versions offered by the client
		return err
	}
	if next, err := in.Peek(3); err != nil {
		return err
	} else if next[2]&0xf0 != boltStructure { // it chooses one of the server's
		if _, err := in.Discard(5); err != nil {
			return err
		}
	}
	for last := byte(0); ; {
		m, err := boltMessage(in)
		if err != nil {
			return err
		}
		kind := m[1]
		switch kind {
		case boltRun:
			p.ran(strings.Join(strings.Fields(packed(m[2:])), " "))
		case boltBegin:
			p.ran("BEGIN")
		case boltCommit:
			p.ran("COMMIT")
		}
		switch kind {
		case boltRun, boltBegin, boltCommit, boltRollback, boltReset:
			p.went()
		case boltPull, boltDiscard:
			if last != boltRun { // the first is sent with it
				p.went()
			}
		}
		last = kind
	}
}

// boltMessage reads a message, which comes in parts that an empty one ends.
func boltMessage(r io.Reader) (m []byte, err error) {
	for {
		var size [2]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return nil, err
		}
		part := make([]byte, binary.BigEndian.Uint16(size[:]))
		if len(part) == 0 && len(m) > 1 {
			return m, nil
		}
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, err
		}
		m = append(m, part...)
	}
}

// packed returns the text at the front of the rest of a message.
func packed(m []byte) string {
	size, head := int(m[0]&0xf), 1
	switch m[0] {
	case 0xd0:
		size, head = int(m[1]), 2
	case 0xd1:
		size, head = int(binary.BigEndian.Uint16(m[1:])), 3
	case 0xd2:
		size, head = int(binary.BigEndian.Uint32(m[1:])), 5
	}
	return string(m[head : head+size])
}
