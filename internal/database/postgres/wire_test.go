package postgres_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// listener is a wire that notes what it hears.
type listener struct {
	*postgres.Wire
	heard chan string
}

func listening(t *testing.T, address string) listener {
	t.Helper()
	l := listener{servers.OpenPostgres(t, address).Wire(slog.New(slog.DiscardHandler)), make(chan string, 1000)}
	l.Listen(func(topic, text string) { l.heard <- topic + "|" + text })
	t.Cleanup(func() { _ = l.Close() })
	l.hears(t, "|")
	return l
}

func (l listener) hears(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-l.heard:
		if got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("heard nothing, want %q", want)
	}
}

func TestWire(t *testing.T) {
	t.Parallel()
	address := servers.PostgresURL(t)
	a, b := listening(t, address), listening(t, address)
	for _, text := range []string{"one", "two words", "", "three\n'''\"", strings.Repeat("ü", 3900)} {
		if !a.Tell("topic", text) {
			t.Errorf("%.20q is not sent", text)
		}
		b.hears(t, "topic|"+text)
	}
	if a.Tell("topic", strings.Repeat("x", 8000)) {
		t.Error("what Postgres refuses was taken")
	}
	b.Tell("topic", "back")
	a.hears(t, "topic|back") // and nothing of its own
	silent := servers.OpenPostgres(t, address).Wire(slog.New(slog.DiscardHandler))
	silent.Tell("last", "words")
	if err := silent.Close(); err != nil || silent.Tell("later", "") || silent.Listening() {
		t.Error("a closed wire takes messages", err)
	}
	a.hears(t, "last|words")
}

// TestWireOfAServerThatGoesAway stops the server: the wire says that it does not listen, and that something may have been missed
// when it listens again.
func TestWireOfAServerThatGoesAway(t *testing.T) {
	t.Parallel()
	server := servers.OwnPostgres(t)
	address := server.Migrated(t)
	a, b := listening(t, address), listening(t, address)
	server.Stop(t)
	for until := time.Now().Add(20 * time.Second); a.Listening(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it listens to a server that is gone")
		}
	}
	server.Start(t)
	a.hears(t, "|")
	b.hears(t, "|")
	a.Tell("topic", "again")
	b.hears(t, "topic|again")
}

// TestSessionsThatEnd finds out which process is over.
func TestSessionsThatEnd(t *testing.T) {
	t.Parallel()
	address := servers.PostgresURL(t)
	a, b := listening(t, address), listening(t, address)
	names := func() (names []string) { return []string{a.Session(), b.Session(), ""} }
	if ended, err := a.Ended(t.Context(), []string{"anything"}); err != nil || len(ended) > 0 {
		t.Errorf("right after connecting, %q have ended, %v", ended, err)
	}
	for until := time.Now().Add(20 * time.Second); slices.Contains(names()[:2], ""); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the sessions have no names")
		}
	}
	before := names()
	if ended, err := a.Ended(t.Context(), before); err != nil || len(ended) > 0 {
		t.Errorf("ended: %q, %v, want none", ended, err)
	}
	_ = b.Close()
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) { // the server notices in its own time
		ended, err := a.Ended(t.Context(), before)
		if err == nil && slices.Equal(ended, before[1:2]) {
			return
		}
		if err != nil || time.Now().After(until) {
			t.Fatalf("ended: %q, %v, want %q", ended, err, before[1:2])
		}
	}
}
