package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// TestWritesTravelTogether counts the round trips of transactions.
func TestWritesTravelTogether(t *testing.T) {
	t.Parallel()
	address, tap := servers.TapPostgres(t, servers.PostgresURL(t))
	db := servers.OpenPostgres(t, address)
	db.Writer.SetMaxOpenConns(1)
	ctx := t.Context()
	head := func(tx *sql.Tx) (int, error) {
		return sqlio.Value[int](ctx, tx, `SELECT head FROM workspaces WHERE id = ?`, "a")
	}
	add := func(tx *sql.Tx) error {
		return sqlio.Exec(ctx, tx, `UPDATE workspaces SET head = head + ? WHERE id = ?`, 1, "a")
	}
	if err := sqlio.Exec(ctx, db.Writer, `INSERT INTO workspaces (id, head) VALUES (?, 0)`, "a"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		trips int
		do    func(*sql.Tx) error
	}{
		"nothing":    {0, func(*sql.Tx) error { return nil }},
		"only reads": {2, func(tx *sql.Tx) error { _, err := head(tx); return err }},
		"only writes": {1, func(tx *sql.Tx) error {
			return errors.Join(add(tx), add(tx), add(tx))
		}},
		"reads what it wrote": {3, func(tx *sql.Tx) error {
			before, err := head(tx)
			if err = errors.Join(err, add(tx), add(tx)); err != nil {
				return err
			}
			if now, err := head(tx); err != nil || now != before+2 {
				return fmt.Errorf("%d after %d, %w", now, before, err)
			}
			return nil
		}},
		"asks what changed": {2, func(tx *sql.Tx) error {
			if changed, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE workspaces SET head = head WHERE id = ?`, "a")); err != nil || !changed {
				return fmt.Errorf("nothing changed, %w", err)
			}
			return add(tx)
		}},
		"without arguments": {3, func(tx *sql.Tx) error {
			return errors.Join(add(tx), sqlio.Exec(ctx, tx, `UPDATE workspaces SET head = head`))
		}},
	} {
		for range 2 { // at first the server prepares the statements
			tap.Take()
			if err := sqlio.InTx(ctx, db.Writer, c.do); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got, _ := tap.Take(); got != c.trips {
			t.Errorf("%s: %d round trips, want %d", name, got, c.trips)
		}
	}
}

// TestALateErrorUndoesAll has a statement fail after it has waited.
func TestALateErrorUndoesAll(t *testing.T) {
	t.Parallel()
	db := servers.Postgres(t)
	db.Writer.SetMaxOpenConns(1)
	ctx := t.Context()
	insert := func(tx *sql.Tx, id any) error {
		return sqlio.Exec(ctx, tx, `INSERT INTO workspaces (id, head) VALUES (?, ?)`, id, 1)
	}
	broken := func(tx *sql.Tx) error {
		return sqlio.Exec(ctx, tx, `INSERT INTO workspaces (id, head) VALUES (?, 1 / ?)`, "c", 0)
	}
	for name, do := range map[string]func(*sql.Tx) error{
		"at the commit": func(tx *sql.Tx) error { return errors.Join(insert(tx, "a"), broken(tx), insert(tx, "b")) },
		"at a query": func(tx *sql.Tx) error {
			_, err := sqlio.Value[int](ctx, tx, `SELECT head FROM workspaces WHERE id = ?`, "a")
			return errors.Join(insert(tx, "a"), broken(tx), err, func() error {
				_, err := sqlio.Value[int](ctx, tx, `SELECT head FROM workspaces WHERE id = ?`, "a")
				return err
			}())
		},
		"and the error is not looked at": func(tx *sql.Tx) error {
			if err := errors.Join(insert(tx, "a"), broken(tx)); err != nil {
				return err
			}
			_, _ = sqlio.Value[int](ctx, tx, `SELECT head FROM workspaces WHERE id = ?`, "a")
			return insert(tx, "b")
		},
		"of a query that is not looked at": func(tx *sql.Tx) error {
			err := insert(tx, "a")
			_, _ = sqlio.Value[int](ctx, tx, `SELECT 1 FROM workspaces WHERE id = ?`, "a")
			_, _ = sqlio.Value[int](ctx, tx, `SELECT 1 / head FROM (SELECT 0 AS head) AS z WHERE head = ?`, 0)
			return err
		},
	} {
		if err := sqlio.InTx(ctx, db.Writer, do); err == nil {
			t.Errorf("%s: it was committed", name)
		}
		n, err := sqlio.Value[int](ctx, db.Writer, `SELECT COUNT(*) FROM workspaces WHERE id IN ('a', 'b', 'c')`)
		if err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", name, n, err)
		}
	}
}

// TestWhatWaitsIsAsItWas changes an argument after its statement.
func TestWhatWaitsIsAsItWas(t *testing.T) {
	t.Parallel()
	db := servers.Postgres(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := sqlio.Exec(ctx, db.Writer, `CREATE TABLE held (data BYTEA, list TEXT)`); err != nil {
		t.Fatal(err)
	}
	data, list := []byte("before"), []string{"before"}
	err := sqlio.InTx(ctx, db.Writer, func(tx *sql.Tx) error {
		err := sqlio.Exec(ctx, tx, `INSERT INTO held VALUES (?, ?)`, data, sqlio.JSON(list))
		copy(data, "after!")
		list[0] = "after"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var is, of string
	if err := db.Reader.QueryRowContext(ctx, `SELECT convert_from(data, 'UTF8'), list FROM held`).Scan(&is, &of); err != nil || is != "before" || of != `["before"]` {
		t.Errorf("%q and %q are stored: %v", is, of, err)
	}
}
