package ledger

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// identity is the setting with the identity of a workspace's ledger.
const identity = "identity"

// Identity returns what tells the ledger of a workspace from others, for the stores
// that it is projected into. The first call draws it from random.
func (l *Ledger) Identity(ctx context.Context, ws domain.WorkspaceID, random io.Reader) (string, error) {
	return l.Secret(ctx, ws, identity, random)
}

// Identities returns the identities that were drawn, by workspace.
func (l *Ledger) Identities(ctx context.Context) (map[domain.WorkspaceID]string, error) {
	all := map[domain.WorkspaceID]string{}
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var ws domain.WorkspaceID
		var value string
		err := rows.Scan(&ws, &value)
		all[ws] = value
		return err
	}, `SELECT workspace_id, value FROM settings WHERE name = ?`, identity)
	return all, l.wrap("read identities", err)
}

// SetIdentities replaces all identities. One that isn't among them is drawn again.
func (l *Ledger) SetIdentities(ctx context.Context, all map[domain.WorkspaceID]string) error {
	return l.tx(ctx, "set identities", func(tx *sql.Tx, _ time.Time) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM settings WHERE name = ?`, identity); err != nil {
			return err
		}
		for _, ws := range slices.Sorted(maps.Keys(all)) {
			if _, err := tx.ExecContext(ctx, `INSERT INTO settings (workspace_id, name, value) VALUES (?, ?, ?)`, ws, identity, all[ws]); err != nil {
				return err
			}
		}
		return nil
	})
}

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

// ChangeSetting puts a value in place of another, "" for none, and reports whether that was still the value.
func (l *Ledger) ChangeSetting(ctx context.Context, ws domain.WorkspaceID, name, former, value string) (done bool, err error) {
	err = l.tx(ctx, "change setting", func(tx *sql.Tx, _ time.Time) (err error) {
		if former == "" {
			done, err = changed(tx.ExecContext(ctx, `INSERT INTO settings (workspace_id, name, value) VALUES (?, ?, ?)
				ON CONFLICT (workspace_id, name) DO NOTHING`, ws, name, value))
			return err
		}
		done, err = changed(tx.ExecContext(ctx, `UPDATE settings SET value = ? WHERE workspace_id = ? AND name = ? AND value = ?`, value, ws, name, former))
		return err
	})
	return done, err
}

// Secret returns a workspace's secret of a name, 256 bits as text, which the
// first call draws from random. Of several processes that ask at once, all get
// the same.
func (l *Ledger) Secret(ctx context.Context, ws domain.WorkspaceID, name string, random io.Reader) (string, error) {
	kept, set, err := l.Setting(ctx, ws, name)
	if set || err != nil {
		return kept, err
	}
	drawn := make([]byte, 32)
	if _, err := io.ReadFull(random, drawn); err != nil {
		return "", fmt.Errorf("draw a secret: %w", err)
	}
	value := base64.RawURLEncoding.EncodeToString(drawn)
	err = l.tx(ctx, "keep secret", func(tx *sql.Tx, _ time.Time) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO settings (workspace_id, name, value) VALUES (?, ?, ?)
			ON CONFLICT (workspace_id, name) DO NOTHING`, ws, name, value); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE workspace_id = ? AND name = ?`, ws, name).Scan(&kept)
	})
	return kept, err
}
