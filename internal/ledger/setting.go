package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Setting returns the value of a workspace's setting, and whether it is set.
func (l *Ledger) Setting(ctx context.Context, ws domain.WorkspaceID, name string) (value string, set bool, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT value FROM settings WHERE workspace_id = ? AND name = ?`, ws, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return value, err == nil, l.wrap("read setting", err)
}

// SetSetting changes a workspace's setting.
func (l *Ledger) SetSetting(ctx context.Context, ws domain.WorkspaceID, name, value string) error {
	return l.tx(ctx, "change setting", func(tx *sql.Tx, _ time.Time) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (workspace_id, name, value) VALUES (?, ?, ?)
			ON CONFLICT (workspace_id, name) DO UPDATE SET value = excluded.value`, ws, name, value)
		return err
	})
}
