package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// scrubbedAtOnce is how many pages a transaction of Scrub looks at. It keeps other
// writers waiting for about 20 ms.
const scrubbedAtOnce = 512

// maxScrubbed is the number of pages, 128 GB, from which the first byte of an overflow page,
// which is that of a page's number, may look like the kind of a page with rows.
const maxScrubbed = 1 << 25

// The application id in a file's header records the progress of Scrub, so that any process can
// continue after a restart: 0 if there is nothing to do, or the next page. It is negative if words
// were deleted since the pass began, so another pass must follow.

// NoteDeletion records in a transaction of the writer that it deletes words, so that Scrub removes them from the disk.
func NoteDeletion(ctx context.Context, tx *sql.Tx) error {
	next, err := pragma(ctx, tx, "application_id")
	switch {
	case err != nil || next == 1 || next < 0:
		return err
	case next == 0:
		return scrubNext(ctx, tx, 1)
	}
	return scrubNext(ctx, tx, -next)
}

func pragma(ctx context.Context, q sqlio.Querier, name string) (int, error) {
	n, err := sqlio.Collect(ctx, q, sqlio.Column[int], `PRAGMA `+name)
	if err != nil || len(n) != 1 {
		return 0, errors.Join(err, fmt.Errorf("read the pragma %s: %d values", name, len(n)))
	}
	return n[0], nil
}

func scrubNext(ctx context.Context, tx *sql.Tx, page int) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, page))
	return err
}

// Scrub removes deleted words from up to a number of pages, and returns how many pages are left: 0 if it is done or
// nothing was deleted.
//
// secure_delete overwrites deleted rows where they are. But a balanced tree moves rows to other
// pages, and copies of them stay between the pointers of a page and its first row. Scrub overwrites
// those, a part of the file in each transaction, and then empties the write-ahead log. The error is
// Unavailable if somebody reads an older state for long; the next call goes on.
func (db *DB) Scrub(ctx context.Context, pages int) (left int, err error) {
	if next, err := pragma(ctx, db.Reader, "application_id"); err != nil || next == 0 {
		return 0, Explain(err)
	}
	for done := 0; done < pages; done += scrubbedAtOnce {
		var next, count int
		err := sqlio.InTx(ctx, db.Writer, func(tx *sql.Tx) (err error) {
			next, count, err = scrubSome(ctx, tx)
			return err
		})
		if err != nil {
			return 0, Explain(fmt.Errorf("remove deleted words: %w", err))
		}
		switch {
		case next == 0:
			return 0, nil
		case next > count:
			return db.endScrub(ctx, next)
		case next < 0:
			left = 2*count + next
		default:
			left = count - next + 1
		}
	}
	return left, nil
}

// scrubSome overwrites deleted words in the next pages, and returns the page to continue with, which is beyond the last
// one of count pages if all are done.
func scrubSome(ctx context.Context, tx *sql.Tx) (next, count int, err error) {
	if next, err = pragma(ctx, tx, "application_id"); err != nil || next == 0 {
		return 0, 0, err
	}
	if count, err = pragma(ctx, tx, "page_count"); err != nil {
		return 0, 0, err
	}
	if count >= maxScrubbed {
		return 0, 0, domain.Errorf(domain.Exhausted, "The database file is larger than 128 GB, so deleted words are not overwritten everywhere. Back it up and restore the backup to get rid of them.")
	}
	from, again := next, next < 0
	if again {
		from = -next
	}
	to := min(from+scrubbedAtOnce, count+1)
	free, err := freePages(ctx, tx, from, to)
	if err != nil {
		return 0, 0, err
	}
	for n := from; n < to; n++ {
		if err := scrubPage(ctx, tx, n, free); err != nil {
			return 0, 0, err
		}
	}
	switch next = max(from, to); {
	case again && next > count:
		next = 1
	case again:
		next = -next
	}
	return next, count, scrubNext(ctx, tx, next)
}

// endScrub empties the write-ahead log and notes that all is done, unless more was deleted.
func (db *DB) endScrub(ctx context.Context, at int) (left int, err error) {
	if err := db.Checkpoint(ctx); err != nil {
		return 1, err
	}
	err = sqlio.InTx(ctx, db.Writer, func(tx *sql.Tx) error {
		next, err := pragma(ctx, tx, "application_id")
		if err != nil || next != at {
			left = 1
			return err
		}
		return scrubNext(ctx, tx, 0)
	})
	return left, Explain(err)
}

// scrubPage overwrites what is not used of a page.
func scrubPage(ctx context.Context, tx *sql.Tx, number int, free map[int]int) error {
	page, err := readPage(ctx, tx, number)
	if err != nil {
		return err
	}
	changed := false
	if used, ok := free[number]; ok {
		changed = clearBytes(page[used:])
	} else {
		changed = clearGaps(page, number)
	}
	if !changed {
		return nil
	}
	_, err = tx.ExecContext(ctx, `UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?`, page, number)
	return err
}

func readPage(ctx context.Context, tx *sql.Tx, number int) (page []byte, err error) {
	err = tx.QueryRowContext(ctx, `SELECT data FROM sqlite_dbpage WHERE pgno = ?`, number).Scan(&page)
	return page, err
}

// The parts of a file's first page and of a page of rows that are read here.
const (
	fileHeader  = 100 // bytes before the first page's own header
	freeTrunk   = 32  // offset in the file header of the first page in the list of free pages
	leafHeader  = 8
	innerHeader = 12
	firstFree   = 1 // offset in a page's header of its first free block
	cells       = 3 // offset of the number of its rows
	content     = 5 // offset of the place where they begin
)

// clearGaps overwrites what no row of a page uses: the gap between its pointers and its first
// row, and the free blocks among the rows. Other pages, and damaged ones, stay as they are.
func clearGaps(page []byte, number int) (changed bool) {
	at := 0
	if number == 1 {
		at = fileHeader
	}
	header := leafHeader
	switch page[at] {
	case 0x0d, 0x0a: // leaves of tables and of indexes
	case 0x05, 0x02: // pages above them
		header = innerHeader
	default:
		return false
	}
	word := func(i int) int { return int(binary.BigEndian.Uint16(page[i:])) }
	begin, end := at+header+2*word(at+cells), word(at+content)
	if begin > end || end > len(page) {
		return false
	}
	changed = clearBytes(page[begin:end])
	for block, before := word(at+firstFree), end-1; block > before && block+4 <= len(page); block, before = word(block), block {
		if size := word(block + 2); size >= 4 && block+size <= len(page) {
			changed = clearBytes(page[block+4:block+size]) || changed
		}
	}
	return changed
}

// clearBytes zeroes b, and reports whether that changed it.
func clearBytes(b []byte) (changed bool) {
	for i, c := range b {
		if c != 0 {
			clear(b[i:])
			return true
		}
	}
	return false
}

// freePages returns the free pages from one page to before another, with how many bytes of each
// are in use. secure_delete overwrites a page that is freed, but it was not always on.
func freePages(ctx context.Context, tx *sql.Tx, from, to int) (map[int]int, error) {
	page, err := readPage(ctx, tx, 1)
	if err != nil {
		return nil, err
	}
	free, seen := map[int]int{}, map[uint32]bool{}
	add := func(n uint32, used int) {
		if int(n) >= from && int(n) < to {
			free[int(n)] = used
		}
	}
	for trunk := binary.BigEndian.Uint32(page[freeTrunk:]); trunk > 1 && !seen[trunk]; trunk = binary.BigEndian.Uint32(page) {
		seen[trunk] = true
		page, err = readPage(ctx, tx, int(trunk))
		if errors.Is(err, sql.ErrNoRows) { // the list is damaged
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		leaves := min(int(binary.BigEndian.Uint32(page[4:])), len(page)/4-2)
		for i := range leaves {
			add(binary.BigEndian.Uint32(page[8+4*i:]), 0)
		}
		add(trunk, 8+4*leaves)
	}
	return free, nil
}
