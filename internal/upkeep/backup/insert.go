package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
)

// An inserter inserts rows while the next ones are read, and creates the indexes
// while files are written: to decode rows takes as long as to write them, and files
// as long as indexes.
type inserter struct {
	inserts chan insert
	indexes []string      // statements that create the indexes, complete before closed
	closed  bool          // there are no more rows
	done    chan struct{} // closed when it has ended
	err     error         // its error, once done
}

// An insert is some rows of an entry.
type insert struct {
	into   Table
	values []any // of all rows, one after the other
	last   bool  // of the entry, whose rows are committed together
}

// newInserter returns an inserter into db. It ends with its first error, when ctx is
// done, or by close.
func newInserter(ctx context.Context, db *sql.DB) *inserter {
	i := &inserter{inserts: make(chan insert, 1), done: make(chan struct{})}
	go func() {
		defer close(i.done)
		if i.err = i.all(ctx, db); i.err == nil {
			i.err = i.index(ctx, db)
		}
	}()
	return i
}

// add sends rows to the inserter, or returns the error with which it has ended.
func (i *inserter) add(rows insert) error {
	select {
	case i.inserts <- rows:
		return nil
	case <-i.done:
		return i.err
	}
}

// close has the indexes created once all rows are inserted. There can be no more.
func (i *inserter) close() {
	if !i.closed {
		i.closed = true
		close(i.inserts)
	}
}

// wait waits until all rows are inserted and the indexes created. The rows of an
// entry that was cut off are not inserted.
func (i *inserter) wait() error {
	i.close()
	<-i.done
	return i.err
}

func (i *inserter) index(ctx context.Context, db *sql.DB) error {
	for _, create := range i.indexes {
		if _, err := db.ExecContext(ctx, create); err != nil {
			return fmt.Errorf("restore an index: %w", err)
		}
	}
	return nil
}

func (i *inserter) all(ctx context.Context, db *sql.DB) error {
	for more := true; more; {
		var err error
		if more, err = i.entry(ctx, db); err != nil {
			return err
		}
	}
	return nil
}

// entry inserts the rows of one entry, and reports whether there may be others.
func (i *inserter) entry(ctx context.Context, db *sql.DB) (more bool, err error) {
	rows, more := <-i.inserts
	if !more {
		return false, nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("begin: %w", err)
	}
	for ; more; rows, more = <-i.inserts {
		err := rows.insert(ctx, tx)
		if err == nil && rows.last {
			err = tx.Commit()
		}
		if err != nil {
			err = fmt.Errorf("insert into %s: %w", rows.into.Name, err)
		}
		if err != nil || rows.last {
			return true, errors.Join(err, sqlio.Rollback(tx))
		}
	}
	return false, sqlio.Rollback(tx)
}

func (r insert) insert(ctx context.Context, tx *sql.Tx) error {
	if len(r.values) == 0 {
		return nil
	}
	row := `(` + sqlio.Marks(len(r.into.Columns)) + `)`
	rows := strings.Repeat(row+`, `, len(r.values)/len(r.into.Columns)-1) + row
	_, err := tx.ExecContext(ctx, `INSERT INTO `+quoted(r.into.Name)+` (`+r.into.list()+`) VALUES `+rows, r.values...)
	return err
}
