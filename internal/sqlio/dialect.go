package sqlio

import (
	"context"
	"database/sql"
	"errors"
)

// Dialect is what databases disagree on. Its zero value is that of a database
// whose write transactions exclude each other from their beginning, as
// SQLite's do: nothing needs a lock there.
//
// The locks are clauses that follow a SELECT in a write transaction. They hold
// the rows found until the transaction ends, from the weakest to the strongest;
// each excludes the ones named.
type Dialect struct {
	Postgres bool // for what differs in more than a clause: the schema, for instance

	Staying   string // the rows are not deleted meanwhile: excludes Removing
	Unchanged string // nor are they changed: excludes Changing and Removing
	Changing  string // the caller changes them: excludes all but Staying
	Removing  string // the caller deletes them: excludes all

	Unclaimed string // Changing, of those rows alone that nobody else holds

	// Again reports whether a transaction failed only because another one was
	// in its way, so that it may be run again from its beginning. Nil means
	// never.
	Again func(error) bool
}

// DialectOf is what db speaks: a driver whose database is not SQLite says so by
// a method Dialect.
func DialectOf(db *sql.DB) Dialect {
	if d, ok := db.Driver().(interface{ Dialect() Dialect }); ok {
		return d.Dialect()
	}
	return Dialect{}
}

// tries is how often a transaction is begun that others are in the way of.
const tries = 10

// InTx runs f in a transaction of db, which it commits when f returns nil and
// rolls back otherwise. Where the dialect asks for it f is called again, so it
// must not keep anything from a call that failed.
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
		return errors.Join(err, rollback(tx))
	}
	return tx.Commit()
}

// rollback ends tx; that it has ended already, by a cancelled context or with
// its connection, is as good.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}
