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

// KeepSetting sets a workspace's setting unless it is set, and returns its value.
// Of several processes that do so at once, all return the same.
func (l *Ledger) KeepSetting(ctx context.Context, ws domain.WorkspaceID, name, value string) (string, error) {
	kept, set, err := l.Setting(ctx, ws, name)
	if set || err != nil {
		return kept, err
	}
	err = l.tx(ctx, "keep setting", func(tx *sql.Tx, _ time.Time) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO settings (workspace_id, name, value) VALUES (?, ?, ?)
			ON CONFLICT (workspace_id, name) DO NOTHING`, ws, name, value); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE workspace_id = ? AND name = ?`, ws, name).Scan(&kept)
	})
	return kept, err
}
