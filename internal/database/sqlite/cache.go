package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// The least and the most that a writer's page cache holds, in KiB. Ids are hashes, so
// rows spread over the file: with SQLite's default of 2 MB a batch in a large file
// reads most pages again for every row. Of a larger cache every commit that splits a
// page goes through all, and small files would be held twice, here and by the system.
const leastCache, mostCache = 4 << 10, 8 << 10

// fileShare is which part of its file a cache may hold.
const fileShare = 4

// cacheFor returns the size of the page cache for a file of so many bytes, in KiB.
func cacheFor(size int64) int64 { return min(max(size>>10/fileShare, leastCache), mostCache) }

// lookEvery is after how many transactions the file's size is looked at.
const lookEvery = 64

// cache is the page cache of a connection.
type cache struct {
	path  string // of the file that determines the size; may be ""
	begun int    // number of transactions
	size  int64  // in KiB, once set
}

// fitCache fits the cache to the file before each lookEvery-th transaction.
func (c *conn) fitCache(ctx context.Context) error {
	c.cache.begun++
	if c.cache.begun%lookEvery != 1 {
		return nil
	}
	info, err := os.Stat(c.cache.path)
	if errors.Is(err, fs.ErrNotExist) { // it was moved away, which the transaction will report
		return nil
	}
	if err != nil {
		return err
	}
	size := cacheFor(info.Size())
	if size == c.cache.size {
		return nil
	}
	if _, err := c.ExecContext(ctx, fmt.Sprintf(`PRAGMA cache_size = -%d`, size), nil); err != nil {
		return err
	}
	c.cache.size = size
	return nil
}
