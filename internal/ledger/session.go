package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A Session is a browser that an account is signed in with. Its id is the hash
// of the token that the browser holds, so that nobody can sign in by reading
// the database.
type Session struct {
	ID           string
	Account      string
	Role         domain.Role // of the account, when read
	PasswordHash string      // of the account, when it signed in
	Address      string      // it was last used from
	Browser      string      // as it names itself
	CreatedAt    time.Time
	UsedAt       time.Time
	ExpiresAt    time.Time
}

// AddSession stores a session and removes those that have expired.
func (l *Ledger) AddSession(ctx context.Context, s Session) error {
	return l.tx(ctx, "begin session", func(tx *sql.Tx, now time.Time) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE expires_at <= ?`, sqlio.Millis(now)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (token_hash, user_name, password_hash, address, browser, created_at, used_at, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, s.ID, s.Account, s.PasswordHash, s.Address, s.Browser, sqlio.Millis(now), sqlio.Millis(now), sqlio.Millis(s.ExpiresAt))
		return err
	})
}

// valid selects the sessions that have not expired and whose account still has
// the password they began with. It takes the time.
const valid = `SELECT s.token_hash, s.user_name, u.role, s.address, s.browser, s.created_at, s.used_at, s.expires_at
	FROM sessions s JOIN users u ON u.name = s.user_name AND u.password_hash = s.password_hash WHERE s.expires_at > ?`

func session(row interface{ Scan(into ...any) error }) (s Session, err error) {
	return s, row.Scan(&s.ID, &s.Account, &s.Role, &s.Address, &s.Browser, instant{&s.CreatedAt}, instant{&s.UsedAt}, instant{&s.ExpiresAt})
}

// Session returns a valid session, and whether there is one.
func (l *Ledger) Session(ctx context.Context, id string) (s Session, found bool, err error) {
	s, err = session(l.reader.QueryRowContext(ctx, valid+` AND s.token_hash = ?`, sqlio.Millis(l.now()), id))
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, false, nil
	}
	return s, err == nil, l.wrap("read session", err)
}

// Sessions lists the valid sessions of an account, the last used first.
func (l *Ledger) Sessions(ctx context.Context, account string) ([]Session, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (Session, error) { return session(rows) },
		valid+` AND s.user_name = ? ORDER BY s.used_at DESC, s.token_hash`, sqlio.Millis(l.now()), account)
	return all, l.wrap("list sessions", err)
}

// UseSession notes that a session was used, from which address, and until when
// it is valid. It does nothing for a session that has ended.
func (l *Ledger) UseSession(ctx context.Context, id, address string, expires time.Time) error {
	return l.tx(ctx, "use session", func(tx *sql.Tx, now time.Time) error {
		_, err := tx.ExecContext(ctx, `UPDATE sessions SET used_at = ?, address = ?, expires_at = ? WHERE token_hash = ?`,
			sqlio.Millis(now), address, sqlio.Millis(expires), id)
		return err
	})
}

// EndSession ends a session of an account if there is one of that id.
func (l *Ledger) EndSession(ctx context.Context, account, id string) error {
	return l.tx(ctx, "end session", func(tx *sql.Tx, _ time.Time) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_name = ? AND token_hash = ?`, account, id)
		return err
	})
}

// EndSessions ends the sessions of an account but the one whose id is keep.
func (l *Ledger) EndSessions(ctx context.Context, account, keep string) error {
	return l.tx(ctx, "end sessions", func(tx *sql.Tx, _ time.Time) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_name = ? AND token_hash <> ?`, account, keep)
		return err
	})
}
