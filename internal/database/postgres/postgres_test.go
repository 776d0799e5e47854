package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// changed is an address with one part changed.
func changed(t *testing.T, address string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}

// dying is the address of a server that refuses encryption, and ends before a connection without it.
func dying(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			if _, err := io.ReadFull(c, make([]byte, 8)); err == nil {
				_, _ = c.Write([]byte("N"))
			}
			_ = c.Close()
		}
	}()
	return "postgres://clew@" + listener.Addr().String() + "/clew"
}

func TestAddressesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	address := servers.PostgresURL(t)
	for name, tt := range map[string]struct {
		address string
		kind    domain.Kind
		says    string
	}{
		"no address":   {"postgres://h:not-a-port/x", domain.Invalid, "DATABASE_URL"},
		"no server":    {"postgres://clew@127.0.0.1:1/x", domain.Unavailable, "DATABASE_URL"},
		"password":     {changed(t, address, func(u *url.URL) { u.User = url.UserPassword("clew", "wr0ng") }), domain.Invalid, "account"},
		"encrypted":    {changed(t, address, func(u *url.URL) { u.RawQuery = "sslmode=require" }), domain.Invalid, "encrypted"},
		"no authority": {changed(t, address, func(u *url.URL) { u.RawQuery = "sslmode=verify-ca&sslrootcert=/nowhere/ca.pem" }), domain.Invalid, "/nowhere/ca.pem"},
		"goes away":    {dying(t), domain.Unavailable, "does not answer"},
		"no database":  {changed(t, address, func(u *url.URL) { u.Path = "/elsewhere" }), domain.Invalid, "does not exist"},
	} {
		db, err := postgres.Open(t.Context(), tt.address, postgres.Options{})
		if err == nil {
			t.Errorf("%s: opened", name)
			db.Close()
			continue
		}
		message, ok := domain.MessageOf(err)
		if domain.KindOf(err) != tt.kind || !ok || !strings.Contains(message, tt.says) || strings.Contains(err.Error(), "wr0ng") {
			t.Errorf("%s: got error %v (%q), want kind %d with %q", name, err, message, tt.kind, tt.says)
		}
	}
}

func TestEncoding(t *testing.T) {
	t.Parallel()
	address := servers.EmptyPostgresURL(t)
	db := servers.OpenPostgres(t, address)
	if _, err := db.Writer.ExecContext(t.Context(), `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`); err != nil {
		t.Fatal(err)
	}
	_, err := postgres.Open(t.Context(), changed(t, address, func(u *url.URL) { u.Path = "/latin" }), postgres.Options{})
	if message, _ := domain.MessageOf(err); domain.KindOf(err) != domain.Invalid || !strings.Contains(message, "LATIN1") {
		t.Errorf("got error %v (%q), want kind Invalid", err, message)
	}
}

func TestReaderMayNotWrite(t *testing.T) {
	t.Parallel()
	db := servers.Postgres(t)
	if _, err := db.Reader.ExecContext(t.Context(), `INSERT INTO workspaces (id, head) VALUES (?, ?)`, "w", 0); err == nil {
		t.Error("the reader wrote")
	}
}

func TestTextsThatPostgresRefuses(t *testing.T) {
	t.Parallel()
	db := servers.Postgres(t)
	type name string
	for _, given := range []any{"a\x00b\xffc", name("a\x00b\xffc")} {
		var got string
		if err := db.Reader.QueryRowContext(t.Context(), `SELECT CAST(? AS TEXT)`, given).Scan(&got); err != nil || got != "a\uFFFDb\uFFFDc" {
			t.Errorf("%T: got %q, %v", given, got, err)
		}
	}
	var bytes []byte
	if err := db.Reader.QueryRowContext(t.Context(), `SELECT CAST(? AS BYTEA)`, []byte("a\x00b\xff")).Scan(&bytes); err != nil || string(bytes) != "a\x00b\xff" {
		t.Errorf("bytes: got %q, %v", bytes, err)
	}
}

// TestDeadlock lets two transactions wait for each other: the one that Postgres
// aborts is run again, here once the other has ended.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	db := servers.Postgres(t)
	for _, id := range []string{"a", "b"} {
		if _, err := db.Writer.ExecContext(t.Context(), `INSERT INTO workspaces (id, head) VALUES (?, 0)`, id); err != nil {
			t.Fatal(err)
		}
	}
	met := make(chan struct{}, 2)
	both := make(chan struct{})
	go func() { <-met; <-met; close(both) }()
	ended := make(chan struct{}, 2)
	failed := make(chan error, 2)
	runs := make(chan struct{}, 10)
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		go func() {
			first := true
			err := sqlio.InTx(t.Context(), db.Writer, func(tx *sql.Tx) error {
				runs <- struct{}{}
				if !first {
					<-ended
				}
				for i, id := range order {
					// Asking what changed has it sent at once.
					if _, err := sqlio.Changed(tx.ExecContext(t.Context(), `UPDATE workspaces SET head = head + 1 WHERE id = ?`, id)); err != nil {
						return err
					}
					if i == 0 && first {
						first = false
						met <- struct{}{}
						<-both
					}
				}
				return nil
			})
			ended <- struct{}{}
			failed <- err
		}()
	}
	for range 2 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	var sum int
	if err := db.Reader.QueryRowContext(t.Context(), `SELECT SUM(head)::BIGINT FROM workspaces`).Scan(&sum); err != nil || sum != 4 || len(runs) != 3 {
		t.Errorf("sum %d after %d runs, %v; want 4 after 3", sum, len(runs), err)
	}
}

func TestServerThatGoesAway(t *testing.T) {
	t.Parallel()
	server := servers.OwnPostgres(t)
	db := servers.OpenPostgres(t, server.Migrated(t))
	read := func() error {
		var n int
		return postgres.Explain(db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM workspaces`).Scan(&n))
	}
	midway := sqlio.InTx(t.Context(), db.Writer, func(tx *sql.Tx) error {
		server.Stop(t)
		_, err := tx.ExecContext(t.Context(), `INSERT INTO workspaces (id, head) VALUES ('w', 0)`)
		return err
	})
	for name, err := range map[string]error{"in a transaction": postgres.Explain(midway), "before one": read()} {
		if message, ok := domain.MessageOf(err); domain.KindOf(err) != domain.Unavailable || !ok {
			t.Errorf("%s: got error %v (%q), want kind Unavailable with a sentence", name, err, message)
		}
	}
	server.Start(t)
	if err := read(); err != nil {
		t.Errorf("the server is back: %v", err)
	}
}

// TestAConnectionThatPostgresListsNowhere has a server that takes encrypted connections alone.
func TestAConnectionThatPostgresListsNowhere(t *testing.T) {
	t.Parallel()
	message, _ := domain.MessageOf(postgres.Explain(&pgconn.PgError{Code: "28000", Message: `no pg_hba.conf entry for host "10.1.2.3", no encryption`}))
	if !strings.Contains(message, "pg_hba.conf") || !strings.Contains(message, "sslmode=require") || strings.Contains(message, "10.1.2.3") {
		t.Errorf("says %q", message)
	}
}

func TestExplainLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	own := domain.Errorf(domain.NotFound, "It is not there.")
	for _, err := range []error{nil, errors.New("other"), own, context.DeadlineExceeded, fmt.Errorf("read: %w", context.Canceled)} {
		if got := postgres.Explain(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// TestWhatWritesIsPlannedOnce runs a statement twice on a connection that writes.
func TestWhatWritesIsPlannedOnce(t *testing.T) {
	t.Parallel()
	conn, err := servers.Postgres(t).Writer.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 2 {
		if _, err := conn.ExecContext(t.Context(), `UPDATE settings SET value = ? WHERE name = ?`, "one", "none"); err != nil {
			t.Fatal(err)
		}
	}
	var once, anew int
	err = conn.QueryRowContext(t.Context(), `SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE 'UPDATE settings%'`).Scan(&once, &anew)
	if err != nil || once != 2 || anew != 0 {
		t.Errorf("%d runs by a plan that was kept and %d by one of their own, %v", once, anew, err)
	}
}
