package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

const (
	channel  = "clew" // on which the processes using a database listen to each other
	longest  = 7900   // bytes of a message; Postgres refuses 8,000
	unsent   = 1000   // messages that may be waiting to be sent
	together = 100    // messages sent at once

	sendTimeout = 5 * time.Second
	pingEvery   = 15 * time.Second
	pingTimeout = 5 * time.Second // after which a connection without any response is given up
	reconnect   = time.Second     // between two attempts to listen
	steadyAfter = 5 * time.Second // see Ended
)

// A Wire is a sqlio.Wire by NOTIFY and, from Listen on, LISTEN, on a connection of its own. That connection holds an advisory lock,
// which others find free as soon as the process has ended.
type Wire struct {
	config *pgx.ConnConfig
	writer *sql.DB
	log    *slog.Logger
	id     string // prefix of this process's messages

	out     chan string
	session atomic.Pointer[session] // nil while it does not listen
	work    sync.WaitGroup
	closing context.Context // done from Close on
	close   context.CancelFunc
	sending context.Context    // done a while later
	give    context.CancelFunc // gives up messages that could not be sent
}

// A session is the time during which a connection listens.
type session struct {
	name  string
	since time.Time
}

var _ sqlio.Wire = (*Wire)(nil)

// Wire returns the wire of a database. Close must follow, before that of the database.
func (db *DB) Wire(log *slog.Logger) *Wire {
	w := &Wire{config: db.config.Copy(), writer: db.Writer, log: log, id: rand.Text(), out: make(chan string, unsent)}
	w.config.RuntimeParams["application_name"] = "clew listening"
	w.closing, w.close = context.WithCancel(context.Background())
	w.sending, w.give = context.WithCancel(context.Background())
	w.work.Go(w.sendAll)
	return w
}

// Close sends what waits, for a moment at most, and disconnects.
func (w *Wire) Close() error {
	defer time.AfterFunc(sendTimeout, w.give).Stop()
	defer w.give()
	w.close()
	w.work.Wait()
	return nil
}

// Tell implements sqlio.Wire.
func (w *Wire) Tell(topic, text string) bool {
	message := w.id + " " + topic + " " + text
	if len(message) > longest || w.closing.Err() != nil {
		return false
	}
	select {
	case w.out <- message:
		return true
	default:
		return false
	}
}

// Listening implements sqlio.Wire.
func (w *Wire) Listening() bool { return w.session.Load() != nil }

// Session implements sqlio.Wire.
func (w *Wire) Session() string {
	if s := w.session.Load(); s != nil {
		return s.name
	}
	return ""
}

// sendAll sends messages until Close, several at once where they come faster than one can be sent.
func (w *Wire) sendAll() {
	failing := false
	for {
		var messages []string
		select {
		case m := <-w.out:
			messages = append(messages, m)
		case <-w.closing.Done():
			if len(w.out) == 0 || w.sending.Err() != nil {
				return
			}
		}
		for len(messages) < together && len(w.out) > 0 {
			messages = append(messages, <-w.out)
		}
		err := w.send(messages)
		if err != nil && !failing {
			w.log.WarnContext(w.sending, "other processes are told nothing", "err", err)
		}
		failing = err != nil
	}
}

// send sends messages in their order, those that are the same once.
func (w *Wire) send(messages []string) error {
	ctx, cancel := context.WithTimeout(w.sending, sendTimeout)
	defer cancel()
	_, err := w.writer.ExecContext(ctx, `SELECT pg_notify($1, m) FROM unnest($2::TEXT[]) m`, channel, messages)
	return err
}

// Listen has hear called with each message of another process until Close, and with no topic when messages may have been missed:
// as soon as it listens, and again after each interruption.
func (w *Wire) Listen(hear func(topic, text string)) {
	w.work.Go(func() {
		for failing := false; w.closing.Err() == nil; {
			err := w.listen(hear)
			if w.session.Swap(nil) != nil {
				failing = false
			}
			if !failing && w.closing.Err() == nil {
				w.log.WarnContext(w.closing, "other processes are not heard; looking for news at intervals", "err", err)
			}
			failing = true
			_ = domain.Sleep(w.closing, reconnect)
		}
	})
}

var errUnheard = errors.New("no message comes back; a pooler in front of Postgres that shares connections does not carry them")

// listen listens on one connection until it breaks.
func (w *Wire) listen(hear func(topic, text string)) error {
	conn, err := pgx.ConnectConfig(w.closing, w.config)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.closing), sendTimeout)
		defer cancel()
		_ = conn.Close(ctx) // it is useless now
	}()
	name := rand.Text()
	if _, err := conn.Exec(w.closing, `SELECT pg_advisory_lock(`+lockOf("$1")+`)`, name); err != nil {
		return err
	}
	if _, err := conn.Exec(w.closing, `LISTEN `+channel); err != nil {
		return err
	}
	for asked, pause := false, time.Duration(0); ; {
		n, quiet, err := w.next(conn, pause)
		switch {
		case quiet && asked:
			return errUnheard
		case quiet:
			w.Tell("ping", "")
			asked, pause = true, pingTimeout
			continue
		case err != nil:
			return err
		}
		from, message, _ := strings.Cut(n.Payload, " ")
		topic, text, _ := strings.Cut(message, " ")
		switch {
		case from != w.id && topic != "ping":
			hear(topic, text)
		case from == w.id:
			asked, pause = false, pingEvery
			if w.session.CompareAndSwap(nil, &session{name, time.Now()}) {
				hear("", "")
			}
		}
	}
}

// next waits for a notification, and reports whether none came within a time.
func (w *Wire) next(conn *pgx.Conn, within time.Duration) (n *pgconn.Notification, quiet bool, err error) {
	ctx, cancel := context.WithTimeout(w.closing, within)
	defer cancel()
	n, err = conn.WaitForNotification(ctx)
	return n, err != nil && ctx.Err() != nil && w.closing.Err() == nil, err
}

// lockOf returns the key of the advisory lock of a session, in SQL.
func lockOf(session string) string { return `hashtextextended(` + session + `, 0)` }

// Ended implements sqlio.Wire. It returns none until this connection has lasted a while: after an outage all processes
// reconnect, and none must take another for ended.
func (w *Wire) Ended(ctx context.Context, sessions []string) ([]string, error) {
	own := w.session.Load()
	if own == nil || time.Since(own.since) < steadyAfter {
		return nil, nil
	}
	sessions = slices.DeleteFunc(slices.Clone(sessions), func(s string) bool { return s == "" || s == own.name })
	if len(sessions) == 0 {
		return nil, nil
	}
	return sqlio.Collect(ctx, w.writer, sqlio.Column[string],
		`SELECT s FROM unnest($1::TEXT[]) s WHERE pg_try_advisory_xact_lock(`+lockOf("s")+`)`, sessions)
}
