package sqlite

import "testing"

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
