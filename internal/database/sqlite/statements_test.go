package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

func openKept(t *testing.T) (*DB, *sql.Conn) {
	t.Helper()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "clew.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Writer.ExecContext(t.Context(), `CREATE TABLE t (n INTEGER)`); err != nil {
		t.Fatal(err)
	}
	c, err := db.Writer.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return db, c
}

// opening is how many statements are kept after the file was opened: those of a transaction.
const opening = 2

// idle returns how many statements a connection keeps.
func idle(t *testing.T, c *sql.Conn) (n int) {
	t.Helper()
	err := c.Raw(func(driver any) error {
		kept := driver.(*conn)
		n = len(kept.idle)
		if kept.order.Len() != n {
			t.Errorf("%d statements in order, %d by query", kept.order.Len(), n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	_, c := openKept(t)
	for n := range 10 {
		if _, err := c.ExecContext(t.Context(), `INSERT INTO t VALUES (?)`, n); err != nil {
			t.Fatal(err)
		}
		var sum int
		if err := c.QueryRowContext(t.Context(), `SELECT SUM(n) FROM t WHERE n <= ?`, n).Scan(&sum); err != nil || sum != n*(n+1)/2 {
			t.Fatalf("the sum up to %d is %d: %v", n, sum, err)
		}
	}
	if n := idle(t, c); n != 2+opening {
		t.Errorf("%d statements are kept, want 2 and those of opening", n)
	}
}

// TestAStatementInUseIsNotShared runs a query while the rows of the same query
// are read.
func TestAStatementInUseIsNotShared(t *testing.T) {
	t.Parallel()
	_, c := openKept(t)
	if _, err := c.ExecContext(t.Context(), `INSERT INTO t VALUES (1), (2), (3)`); err != nil {
		t.Fatal(err)
	}
	const query = `SELECT n FROM t ORDER BY n`
	outer, err := c.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	var all []string
	for outer.Next() {
		var a, b int
		if err := outer.Scan(&a); err != nil {
			t.Fatal(err)
		}
		if err := c.QueryRowContext(t.Context(), query).Scan(&b); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(a, b))
	}
	if err := outer.Err(); err != nil || fmt.Sprint(all) != "[1 1 2 1 3 1]" {
		t.Errorf("read %v: %v", all, err)
	}
}

func TestAFailedStatementIsNotKept(t *testing.T) {
	t.Parallel()
	_, c := openKept(t)
	if _, err := c.ExecContext(t.Context(), `CREATE UNIQUE INDEX i ON t (n)`); err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO t VALUES (?)`
	for n, want := range []bool{true, false, true} {
		_, err := c.ExecContext(t.Context(), insert, n/2*2) // 0, 0, 2
		if (err == nil) != want {
			t.Errorf("try %d: %v", n, err)
		}
	}
	if _, err := c.ExecContext(t.Context(), `INSERT INTO t VALUES (7) RETURNING broken`); err == nil {
		t.Error("a broken statement ran")
	}
	if n := idle(t, c); n != 1+opening {
		t.Errorf("%d statements are kept, want %d", n, 1+opening)
	}
}

// TestKeptStatementsSeeAnotherSchema changes a table under a statement that is
// kept.
func TestKeptStatementsSeeAnotherSchema(t *testing.T) {
	t.Parallel()
	db, c := openKept(t)
	read := func() (columns []string) {
		rows, err := c.QueryContext(t.Context(), `SELECT * FROM t`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		if columns, err = rows.Columns(); err != nil {
			t.Fatal(err)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return columns
	}
	if got := read(); len(got) != 1 {
		t.Fatalf("columns %v", got)
	}
	if _, err := c.ExecContext(t.Context(), `ALTER TABLE t ADD COLUMN m TEXT`); err != nil {
		t.Fatal(err)
	}
	if got := read(); len(got) != 2 {
		t.Errorf("columns %v after another was added", got)
	}
	if err := db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(m) FROM t`).Scan(new(int)); err != nil {
		t.Error(err)
	}
}

func TestFewStatementsAreKept(t *testing.T) {
	t.Parallel()
	db, c := openKept(t)
	for n := range 2 * maxStatements {
		if err := c.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT %d`, n)).Scan(new(int)); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{`PRAGMA user_version = 7`, `CREATE TABLE u (x); INSERT INTO u VALUES (1)`, ` select 1`} {
		if _, err := c.ExecContext(t.Context(), other); err != nil {
			t.Error(err)
		}
	}
	if n := idle(t, c); n != maxStatements {
		t.Errorf("%d statements are kept, want %d", n, maxStatements)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.ExecContext(ctx, `INSERT INTO t VALUES (1)`); err == nil {
		t.Error("it ran after its context ended")
	}
	c.Close()
	if err := db.Checkpoint(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAStatementOfTheWriterIsNotInterrupted ends the context of one at work in a
// transaction, which goes on with what it has.
func TestAStatementOfTheWriterIsNotInterrupted(t *testing.T) {
	t.Parallel()
	_, c := openKept(t)
	tx, err := c.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = tx.ExecContext(ctx, `WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 200000) INSERT INTO t SELECT n FROM n`)
	if err != nil {
		t.Errorf("the statement was interrupted: %v", err)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	var rows int
	if err := c.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t`).Scan(&rows); err != nil || rows != 200000 {
		t.Errorf("%d rows, %v", rows, err)
	}
}
