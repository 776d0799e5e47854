package sqlite

import (
	"context"
	"database/sql/driver"
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

// The least and the most that a reader's page cache holds, in KiB: SQLite's default at the most. There are several
// readers, which hold the same pages.
const leastRead, mostRead = 512, 2 << 10

// fileShare is which part of its file a writer's cache may hold, readShare which part a reader's may.
const fileShare, readShare = 4, 32

// sizeFor returns the size of the cache for a file of so many bytes, in KiB.
func (c cache) sizeFor(bytes int64) int64 {
	if c.reads {
		return min(max(bytes>>10/readShare, leastRead), mostRead)
	}
	return min(max(bytes>>10/fileShare, leastCache), mostCache)
}

// lookEvery is after how many transactions of a writer the file's size is looked at, lookEveryRead after how many
// queries of a reader.
const lookEvery, lookEveryRead = 64, 1024

// cache is the page cache of a connection.
type cache struct {
	path  string // of the file with which it grows
	reads bool   // for a connection that only reads
	used  int    // transactions, or queries of a connection that only reads
	size  int64  // in KiB, once set
}

// BeginTx begins a transaction.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if !c.cache.reads {
		if err := c.useCache(ctx, lookEvery); err != nil {
			return nil, err
		}
	}
	return c.connection.BeginTx(ctx, o)
}

// useCache counts a use, and fits the cache to the file now and then.
func (c *conn) useCache(ctx context.Context, every int) error {
	c.cache.used++
	if c.cache.used%every != 1 {
		return nil
	}
	return c.fitCache(ctx)
}

// fitCache fits the cache to the file.
func (c *conn) fitCache(ctx context.Context) error {
	info, err := os.Stat(c.cache.path)
	if errors.Is(err, fs.ErrNotExist) { // it was moved away, and the transaction will tell
		return nil
	}
	if err != nil {
		return err
	}
	size := c.cache.sizeFor(info.Size())
	if size == c.cache.size {
		return nil
	}
	if _, err := c.ExecContext(ctx, fmt.Sprintf(`PRAGMA cache_size = -%d`, size), nil); err != nil {
		return err
	}
	c.cache.size = size
	return nil
}
