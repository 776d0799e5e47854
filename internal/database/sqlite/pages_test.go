package sqlite

import (
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// status returns a figure of SQLite about the whole process.
func status(t *testing.T, which int32) int32 {
	t.Helper()
	tls := libc.NewTLS()
	defer tls.Close()
	now, most := libc.Xcalloc(tls, 1, 8), libc.Xcalloc(tls, 1, 8)
	defer libc.Xfree(tls, now)
	defer libc.Xfree(tls, most)
	if code := sqlite3.Xsqlite3_status(tls, which, now, most, 0); code != sqlite3.SQLITE_OK {
		t.Fatalf("SQLite's figures fail with code %d", code)
	}
	return libc.AtomicLoadPInt32(now)
}

// TestConnectionsShareTheirPages has each connection read a file that is larger than all pages that they share.
func TestConnectionsShareTheirPages(t *testing.T) {
	t.Parallel()
	db, c := openKept(t)
	const rows = 2 * sharedPages // a page each
	_, err := c.ExecContext(t.Context(), `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
		INSERT INTO t SELECT randomblob(3500) FROM counted`, rows)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		reader, err := db.Reader.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		var n int
		if err := reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t WHERE n > x'00'`).Scan(&n); err != nil || n < rows*9/10 {
			t.Fatalf("%d of %d rows are read: %v", n, rows, err)
		}
	}
	if used := status(t, sqlite3.SQLITE_STATUS_PAGECACHE_USED); used < sharedPages/2 || used > sharedPages {
		t.Errorf("%d of %d shared pages are used", used, sharedPages)
	}
	if beside := status(t, sqlite3.SQLITE_STATUS_PAGECACHE_OVERFLOW); beside > 1<<20 {
		t.Errorf("%d bytes of pages are not in slots", beside)
	}
}
