package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// An Account is somebody who can sign in.
type Account struct {
	Name         string
	Role         domain.Role
	PasswordHash string
	CreatedAt    time.Time
	Sessions     int       // that have not expired; only in a list
	UsedAt       time.Time // when one of them was last used; only in a list
}

// Account returns an account, or an error of kind NotFound.
func (l *Ledger) Account(ctx context.Context, name string) (Account, error) {
	a := Account{Name: name}
	err := l.reader.QueryRowContext(ctx, `SELECT role, password_hash, created_at FROM users WHERE name = ?`, name).
		Scan(&a.Role, &a.PasswordHash, instant{&a.CreatedAt})
	if errors.Is(err, sql.ErrNoRows) {
		return Account{}, noAccount(name)
	}
	return a, l.wrap("read account", err)
}

func noAccount(name string) error {
	return domain.Errorf(domain.NotFound, "There is no account named %q.", name)
}

// Accounts lists the accounts by name.
func (l *Ledger) Accounts(ctx context.Context) ([]Account, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (a Account, err error) {
		return a, rows.Scan(&a.Name, &a.Role, instant{&a.CreatedAt}, &a.Sessions, instant{&a.UsedAt})
	}, `SELECT u.name, u.role, u.created_at, COUNT(s.token_hash), COALESCE(MAX(s.used_at), 0)
		FROM users u LEFT JOIN sessions s ON s.user_name = u.name AND s.password_hash = u.password_hash AND s.expires_at > ?
		GROUP BY u.name, u.role, u.created_at ORDER BY u.name`, sqlio.Millis(l.now()))
	return all, l.wrap("list accounts", err)
}

// CountAccounts returns the number of accounts.
func (l *Ledger) CountAccounts(ctx context.Context) (int, error) {
	var n int
	err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM users`).Scan(&n)
	return n, l.wrap("count accounts", err)
}

// AddAccount creates an account. The first one has to be an owner; without a
// role it becomes one, and a later one a member. The error is Conflict when
// there is an account of that name.
func (l *Ledger) AddAccount(ctx context.Context, name, hash string, role domain.Role) error {
	return l.tx(ctx, "add account", func(tx *sql.Tx, now time.Time) error {
		var accounts int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM users`).Scan(&accounts); err != nil {
			return err
		}
		switch {
		case accounts == 0 && role == domain.Member:
			return domain.Errorf(domain.Conflict, "The first account has to be an owner: nobody else could add accounts or make backups.")
		case accounts == 0:
			role = domain.Owner
		case role == "":
			role = domain.Member
		}
		added, err := changed(tx.ExecContext(ctx, `INSERT INTO users (name, workspace_id, role, password_hash, created_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (name) DO NOTHING`, name, domain.DefaultWorkspace, role, hash, sqlio.Millis(now)))
		if err == nil && !added {
			return domain.Errorf(domain.Conflict, "There is an account named %q already. Choose another name, or change that account's password.", name)
		}
		return err
	})
}

// SetPassword changes the password hash of an account and ends its sessions but
// the one whose id is keep.
func (l *Ledger) SetPassword(ctx context.Context, name, hash, keep string) error {
	return l.tx(ctx, "change password", func(tx *sql.Tx, _ time.Time) error {
		found, err := changed(tx.ExecContext(ctx, `UPDATE users SET password_hash = ? WHERE name = ?`, hash, name))
		if err != nil {
			return err
		}
		if !found {
			return noAccount(name)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_name = ? AND token_hash <> ?`, name, keep); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE sessions SET password_hash = ? WHERE user_name = ?`, hash, name)
		return err
	})
}

// SetRole changes an account's role. The error is Conflict when no owner would
// be left.
func (l *Ledger) SetRole(ctx context.Context, name string, role domain.Role) error {
	return l.tx(ctx, "change role", func(tx *sql.Tx, _ time.Time) error {
		if role != domain.Owner {
			if err := l.otherOwner(ctx, tx, name); err != nil {
				return err
			}
		}
		found, err := changed(tx.ExecContext(ctx, `UPDATE users SET role = ? WHERE name = ?`, role, name))
		if err == nil && !found {
			return noAccount(name)
		}
		return err
	})
}

// RemoveAccount removes an account with its sessions. The error is Conflict when
// no owner would be left.
func (l *Ledger) RemoveAccount(ctx context.Context, name string) error {
	return l.erase(ctx, "remove account", func(tx *sql.Tx, _ time.Time) error {
		if err := l.otherOwner(ctx, tx, name); err != nil {
			return err
		}
		found, err := changed(tx.ExecContext(ctx, `DELETE FROM users WHERE name = ?`, name))
		if err == nil && !found {
			return noAccount(name)
		}
		return err
	})
}

// otherOwner fails with kind Conflict if the account is the only owner. Until
// the transaction ends, nobody else removes an owner.
func (l *Ledger) otherOwner(ctx context.Context, tx *sql.Tx, name string) error {
	owners, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT name FROM users WHERE role = ? ORDER BY name`+l.lock.Changing, domain.Owner)
	if err == nil && len(owners) == 1 && owners[0] == name {
		return domain.Errorf(domain.Conflict, "%s is the only owner. Make another account an owner first: somebody has to look after the library.", name)
	}
	return err
}
