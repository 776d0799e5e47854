package servers_test

import (
	"testing"

	"github.com/clewhq/clew/internal/testkit/servers"
)

func TestPostgresIsEmptyForEachTest(t *testing.T) {
	t.Parallel()
	for range 2 {
		db := servers.Postgres(t)
		var n int
		if err := db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM workspaces WHERE id = 'w'`).Scan(&n); err != nil || n != 0 {
			t.Fatalf("%d workspaces, %v", n, err)
		}
		if _, err := db.Writer.ExecContext(t.Context(), `INSERT INTO workspaces (id, head) VALUES (?, ?)`, "w", 1); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPostgresStopsAndStarts(t *testing.T) {
	t.Parallel()
	s := servers.OwnPostgres(t)
	db := servers.OpenPostgres(t, s.Migrated(t))
	if _, err := db.Writer.ExecContext(t.Context(), `INSERT INTO workspaces (id, head) VALUES (?, ?)`, "w", 1); err != nil {
		t.Fatal(err)
	}
	count := func() (n int, err error) {
		return n, db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM workspaces WHERE id = 'w'`).Scan(&n)
	}
	for name, stop := range map[string]func(testing.TB){"stopped": s.Stop, "killed": s.Kill} {
		stop(t)
		if n, err := count(); err == nil {
			t.Errorf("it was %s and counts %d", name, n)
		}
		s.Start(t)
		if n, err := count(); err != nil || n != 1 {
			t.Errorf("it was %s and started again: %d rows, %v", name, n, err)
		}
	}
}
