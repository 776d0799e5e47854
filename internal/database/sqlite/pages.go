package sqlite

import (
	"fmt"
	"sync"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// sharedPages is how many pages the caches of all connections hold together.
const sharedPages = 2048

// pageSize is the size of a page, in bytes: SQLite's default.
const pageSize = 4 << 10

// sharePages gives the page caches of all connections slots of one size, before the first is opened. A page with its
// header is a little larger than a power of two, which is what the allocator rounds up to: by itself it would take twice
// its size. And a connection that is short of slots takes the one that was not used for the longest time, whosever it is,
// so that what many connections to many files hold has one bound.
var sharePages = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	const word, most = 8, 3 // bytes per argument, and maximum of arguments per call
	arguments, header := libc.Xcalloc(tls, most, word), libc.Xcalloc(tls, 1, word)
	defer libc.Xfree(tls, arguments)
	defer libc.Xfree(tls, header)
	if code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PCACHE_HDRSZ, libc.VaList(arguments, header)); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("ask SQLite for the size of a page's header: code %d", code)
	}
	slot := pageSize + libc.AtomicLoadPInt32(header)
	slots := libc.Xmalloc(tls, types.Size_t(slot)*sharedPages) // never freed
	if slots == 0 {
		return fmt.Errorf("there is no memory for %d pages", sharedPages)
	}
	if code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PAGECACHE, libc.VaList(arguments, slots, slot, int32(sharedPages))); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("share pages among the caches of SQLite: code %d", code)
	}
	return nil
})
