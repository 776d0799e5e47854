package sqlio

import (
	"context"
	"database/sql"
	"errors"
)

// A Dialect holds the differences between databases. The zero value is for a
// database whose write transactions exclude each other from the beginning, as
// SQLite's do, so that nothing needs a lock.
//
// The locks, from weak to strong, are clauses to follow a SELECT in a write
// transaction. They lock the rows found until the transaction ends.
type Dialect struct {
	Postgres bool // for differences beyond a clause, such as the schema

	Staying   string // the rows must not be deleted: excludes Removing
	Unchanged string // nor changed: excludes Changing and Removing
	Changing  string // the caller changes them: excludes all but Staying
	Removing  string // the caller deletes them: excludes all

	Unclaimed string // Changing, but skips locked rows

	// Again reports whether a transaction failed only because of a concurrent one and can be run
	// again. If nil, none can.
	Again func(error) bool
}

// DialectOf returns the dialect of db: that of its driver's method Dialect, or
// SQLite's.
func DialectOf(db *sql.DB) Dialect {
	if d, ok := db.Driver().(interface{ Dialect() Dialect }); ok {
		return d.Dialect()
	}
	return Dialect{}
}

// tries limits how often a transaction is run that conflicts with others.
const tries = 10

// InTx runs f in a transaction of db, which it commits when f returns nil and
// rolls back otherwise. After a conflict f is called again (see Dialect.Again),
// so it must not keep anything from a failed call.
func InTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	again := DialectOf(db).Again
	for n := 1; ; n++ {
		err := once(ctx, db, f)
		if err == nil || again == nil || n == tries || ctx.Err() != nil || !again(err) {
			return err
		}
	}
}

func once(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, Rollback(tx))
	}
	return tx.Commit()
}

// Rollback ends tx, which may have ended with its context or connection.
func Rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}
