package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Sessions stores browser sessions as a scs.CtxStore. Tokens are stored hashed,
// so that nobody can sign in by reading the database.
type Sessions struct{ ledger *Ledger }

// Sessions returns the ledger's store of sessions.
func (l *Ledger) Sessions() *Sessions { return &Sessions{l} }

// FindCtx returns the data of a session that has not expired, and whether there
// is one.
func (s *Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	l := s.ledger
	err = l.reader.QueryRowContext(ctx, `SELECT data FROM sessions WHERE token_hash = ? AND expires_at > ?`,
		hashed(token), sqlio.Millis(l.now())).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, l.wrap("read session", err)
}

// CommitCtx replaces a session's data, valid until expiry, and removes expired
// sessions.
func (s *Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	return s.ledger.tx(ctx, "save session", func(tx *sql.Tx, now time.Time) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE expires_at <= ?`, sqlio.Millis(now)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (token_hash, data, expires_at) VALUES (?, ?, ?)
			ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`,
			hashed(token), data, sqlio.Millis(expiry))
		return err
	})
}

// DeleteCtx removes a session if there is one.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.ledger.tx(ctx, "end session", func(tx *sql.Tx, _ time.Time) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE token_hash = ?`, hashed(token))
		return err
	})
}

// Find calls FindCtx with a background context.
func (s *Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit calls CommitCtx with a background context.
func (s *Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete calls DeleteCtx with a background context.
func (s *Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

func hashed(token string) string { return domain.Hash([]byte(token)) }
