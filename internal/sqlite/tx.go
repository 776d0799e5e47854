package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// Tx runs f in a transaction that holds the write lock from its beginning. It
// commits when f returns nil and rolls back otherwise. Errors of SQLite that
// mean something to a person have a kind (see Explain).
func (db *DB) Tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return Explain(fmt.Errorf("begin: %w", err))
	}
	if err := f(tx); err != nil {
		return errors.Join(Explain(err), rollback(tx))
	}
	if err := tx.Commit(); err != nil {
		return Explain(fmt.Errorf("commit: %w", err))
	}
	return nil
}

// rollback ends tx; that it has ended already, by a cancelled context, is as
// good.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

// Checkpoint moves the write-ahead log into the database file and truncates
// it. Since deleted rows are overwritten in the file, their words are gone
// from disk once it returns nil. It waits for readers as long as the busy
// timeout; an error of kind Unavailable means that somebody was still reading
// an older state, and that the words go with the next checkpoint.
func (db *DB) Checkpoint(ctx context.Context) error {
	var blocked, pages, moved int
	err := db.Writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&blocked, &pages, &moved)
	if err != nil {
		return Explain(fmt.Errorf("checkpoint: %w", err))
	}
	if blocked != 0 {
		return domain.Errorf(domain.Unavailable, "Somebody is still reading the database; what was deleted leaves the disk once they are done.")
	}
	return nil
}
