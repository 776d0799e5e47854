package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/sqlio"
)

// A Connection is a model that was connected in the page, as it is stored.
type Connection struct {
	Role, Server, Address, Model string

	PerMinute, TokensPerMinute int // 0 is any number

	Sealed string // the key, encrypted; "" without one
	Who    string
	At     time.Time // when it was saved
}

// Connections lists the connected models of the installation, by role.
func (l *Ledger) Connections(ctx context.Context) ([]Connection, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c Connection, err error) {
		var at int64
		err = rows.Scan(&c.Role, &c.Server, &c.Address, &c.Model, &c.PerMinute, &c.TokensPerMinute, &c.Sealed, &c.Who, &at)
		c.At = sqlio.Time(at)
		return c, err
	}, `SELECT role, server, address, model, per_minute, tokens_per_minute, sealed, who, at FROM connections ORDER BY role`)
	return all, l.wrap("list connections", err)
}

// SaveConnections stores connections in place of those of the same roles, all or
// none.
func (l *Ledger) SaveConnections(ctx context.Context, all ...Connection) error {
	return l.tx(ctx, "connect a model", func(tx *sql.Tx, now time.Time) error {
		for _, c := range all {
			_, err := tx.ExecContext(ctx, `INSERT INTO connections (role, server, address, model, per_minute, tokens_per_minute, sealed, who, at)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (role) DO UPDATE SET server = excluded.server, address = excluded.address,
				model = excluded.model, per_minute = excluded.per_minute, tokens_per_minute = excluded.tokens_per_minute, sealed = excluded.sealed, who = excluded.who, at = excluded.at`,
				c.Role, c.Server, c.Address, c.Model, c.PerMinute, c.TokensPerMinute, c.Sealed, c.Who, sqlio.Millis(now))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetConnection deletes the connection of a role, and reports whether there was
// one.
func (l *Ledger) ForgetConnection(ctx context.Context, role string) (found bool, err error) {
	err = l.tx(ctx, "forget a model", func(tx *sql.Tx, _ time.Time) error {
		gone, err := tx.ExecContext(ctx, `DELETE FROM connections WHERE role = ?`, role)
		if err != nil {
			return err
		}
		n, err := gone.RowsAffected()
		found = n > 0
		return err
	})
	return found, err
}
