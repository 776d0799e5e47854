package sqlite

import (
	"path/filepath"
	"testing"
)

// TestTheCacheGrowsWithTheFile fills a file beyond four times the least cache.
func TestTheCacheGrowsWithTheFile(t *testing.T) {
	t.Parallel()
	_, c := openKept(t)
	size := func() (kib int64) {
		t.Helper()
		if err := c.QueryRowContext(t.Context(), `PRAGMA cache_size`).Scan(&kib); err != nil {
			t.Fatal(err)
		}
		return -kib
	}
	begin := func(statement string) {
		t.Helper()
		tx, err := c.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	begin(`CREATE TABLE bytes (b BLOB)`)
	if got := size(); got != leastCache {
		t.Errorf("%d KiB for an empty file, want %d", got, leastCache)
	}
	begin(`INSERT INTO bytes VALUES (zeroblob(20 << 20))`)
	if _, err := c.ExecContext(t.Context(), `PRAGMA wal_checkpoint`); err != nil {
		t.Fatal(err)
	}
	for range lookEvery {
		begin(`INSERT INTO bytes VALUES (x'00')`)
	}
	if got := size(); got < 5<<10 || got > 6<<10 {
		t.Errorf("%d KiB for a file of 20 MiB", got)
	}
}

// TestAReadersCacheGrowsWithTheFile reads a file that grows: the cache begins small,
// and becomes no larger than SQLite's own.
func TestAReadersCacheGrowsWithTheFile(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "clew.db"), Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Writer.ExecContext(t.Context(), `CREATE TABLE bytes (b BLOB)`); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ add, least, most int64 }{{0, leastRead, leastRead}, {32, 1 << 10, 1100}, {64, mostRead, mostRead}} {
		if _, err := db.Writer.ExecContext(t.Context(), `INSERT INTO bytes VALUES (zeroblob(?))`, tt.add<<20); err != nil {
			t.Fatal(err)
		}
		if err := db.Checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		var size int64
		for range lookEveryRead + 1 {
			if err := db.Reader.QueryRowContext(t.Context(), `PRAGMA cache_size`).Scan(&size); err != nil {
				t.Fatal(err)
			}
		}
		if size = -size; size < tt.least || size > tt.most {
			t.Errorf("%d KiB after %d MiB more, want %d to %d", size, tt.add, tt.least, tt.most)
		}
	}
}
