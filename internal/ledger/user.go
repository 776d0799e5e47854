package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// User returns the password hash of an account, or an error of kind NotFound.
func (l *Ledger) User(ctx context.Context, name string) (hash string, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT password_hash FROM users WHERE name = ?`, name).Scan(&hash)
	if errors.Is(err, sql.ErrNoRows) {
		return "", domain.Errorf(domain.NotFound, "There is no account named %q.", name)
	}
	return hash, l.wrap("read account", err)
}

// SaveUser creates an account or changes its password hash.
func (l *Ledger) SaveUser(ctx context.Context, name, hash string) error {
	return l.tx(ctx, "save account", func(tx *sql.Tx, now time.Time) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO users (name, workspace_id, password_hash, created_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash`, name, domain.DefaultWorkspace, hash, sqlio.Millis(now))
		return err
	})
}

// CountUsers returns the number of accounts.
func (l *Ledger) CountUsers(ctx context.Context) (int, error) {
	var n int
	err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM users`).Scan(&n)
	return n, l.wrap("count accounts", err)
}
