package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// An Account is somebody who can sign in.
type Account struct {
	Name         string
	Role         domain.Role
	PasswordHash string // "" if the account signs in without one
	Language     string // of its pages; "" for the browser's choice
	CreatedAt    time.Time
	Sessions     int       // that have not expired; only in lists
	UsedAt       time.Time // when one of them was last used; only in lists
}

// Account returns an account, or an error of kind NotFound.
func (l AccountStore) Account(ctx context.Context, name string) (Account, error) {
	a, err := read(ctx, l.reader, accountTable, noAccount(name), `WHERE name = ?`, name)
	return a, l.wrap("read account", err)
}

var accountTable = sqlio.Table[Account]{Name: "users", Row: func(a *Account) sqlio.Row {
	return sqlio.Row{
		"name key", &a.Name, "workspace_id written", domain.Installation, "role", &a.Role, "password_hash", &a.PasswordHash, "language", &a.Language, "created_at", &a.CreatedAt,
	}
}}

func noAccount(name string) error {
	return domain.Errorf(domain.NotFound, "There is no account named %q.", name)
}

// Accounts lists the accounts by name, with their roles in a workspace.
func (l AccountStore) Accounts(ctx context.Context, ws domain.WorkspaceID) ([]Account, error) {
	return list(ctx, l, "list accounts", into(func(a *Account) []any { return []any{&a.Name, &a.Role, &a.CreatedAt, &a.Sessions, &a.UsedAt} }), `SELECT u.name, `+roleOf+`, u.created_at, COUNT(s.token_hash), COALESCE(MAX(s.used_at), 0)
		FROM users u LEFT JOIN members m ON m.workspace_id = ? AND m.account = u.name
			LEFT JOIN sessions s ON s.user_name = u.name AND s.password_hash = u.password_hash AND s.expires_at > ?
		GROUP BY u.name, u.role, m.role, u.created_at ORDER BY u.name`, ws, sqlio.Millis(l.now()))
}

// CountAccounts returns the number of accounts.
func (l AccountStore) CountAccounts(ctx context.Context) (int, error) {
	return one[int](ctx, l, "count accounts", `SELECT COUNT(*) FROM users`)
}

// AddAccount creates an account with a role in a workspace. The first one has to be an owner; without a role it becomes one,
// and a later one a contributor. The error is Conflict when there is an account of that name.
func (l AccountStore) AddAccount(ctx context.Context, ws domain.WorkspaceID, name, hash string, role domain.Role) error {
	return l.tx(ctx, "add account", func(tx *sql.Tx, now time.Time) error {
		accounts, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM users`)
		if err != nil {
			return err
		}
		switch {
		case accounts == 0 && role != "" && role != domain.Owner:
			return domain.Errorf(domain.Conflict, "The first account must be an owner: nobody else could add accounts or make backups.")
		case accounts == 0:
			role = domain.Owner
		case role == "":
			role = domain.Contributor
		}
		added, err := accountTable.Insert(ctx, tx, &Account{Name: name, Role: everywhere(role), PasswordHash: hash, CreatedAt: now})
		if err == nil && !added {
			return domain.Errorf(domain.Conflict, "There is already an account named %q. Choose another name, or change that account's password.", name)
		}
		if err != nil || role == domain.Owner {
			return err
		}
		return memberTable.Put(ctx, tx, &domain.Membership{Workspace: ws, Account: name, Role: role, AddedAt: now})
	})
}

// everywhere returns the role stored in the row of an account. The role in a workspace is stored with the membership.
func everywhere(r domain.Role) domain.Role {
	if r == domain.Owner {
		return domain.Owner
	}
	return domain.Member
}

// SetPassword changes the password hash of an account and ends its sessions except keep.
func (l AccountStore) SetPassword(ctx context.Context, name, hash, keep string) error {
	return l.tx(ctx, "change password", func(tx *sql.Tx, now time.Time) error {
		if err := changeAccount(ctx, tx, name, `UPDATE users SET password_hash = ? WHERE name = ?`, hash, name); err != nil {
			return err
		}
		if err := endSessions(ctx, tx, now, `user_name = ? AND token_hash <> ?`, name, keep); err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `UPDATE sessions SET password_hash = ? WHERE user_name = ?`, hash, name)
	})
}

// SetLanguage sets the language of the pages for an account.
func (l AccountStore) SetLanguage(ctx context.Context, name, language string) error {
	return l.tx(ctx, "set language", func(tx *sql.Tx, _ time.Time) error {
		return changeAccount(ctx, tx, name, `UPDATE users SET language = ? WHERE name = ?`, language, name)
	})
}

// SetRole makes an account an owner, or a member of a workspace with a role. The error is Conflict when no owner would be
// left.
func (l AccountStore) SetRole(ctx context.Context, ws domain.WorkspaceID, name string, role domain.Role) error {
	return l.tx(ctx, "change role", func(tx *sql.Tx, now time.Time) error {
		if role != domain.Owner {
			if err := l.otherOwner(ctx, tx, name); err != nil {
				return err
			}
		}
		if err := changeAccount(ctx, tx, name, `UPDATE users SET role = ?, owner_by_sign_on = 0 WHERE name = ?`, everywhere(role), name); err != nil || role == domain.Owner {
			return err
		}
		return memberTable.Put(ctx, tx, &domain.Membership{Workspace: ws, Account: name, Role: role, AddedAt: now})
	})
}

// RemoveAccount removes an account with its sessions, tokens and choices. What it has made or follows belongs to Nobody from then on.
// The error is Conflict when no owner would be left.
func (l AccountStore) RemoveAccount(ctx context.Context, name string) error {
	return l.erase(ctx, "remove account", func(tx *sql.Tx, now time.Time) error {
		if err := l.otherOwner(ctx, tx, name); err != nil {
			return err
		}
		if err := stopAsked(ctx, tx, now, `person = ?`, name); err != nil {
			return err
		}
		if err := sqlio.Exec(ctx, tx, `DELETE FROM tokens WHERE account = ?`, name); err != nil {
			return err
		}
		for _, of := range []string{
			`DELETE FROM members WHERE account = ?`, `DELETE FROM former_members WHERE account = ?`, `DELETE FROM account_groups WHERE account = ?`, `DELETE FROM identities WHERE account = ?`,
			`DELETE FROM passes WHERE account = ?`, `DELETE FROM second_steps WHERE account = ?`,
			`UPDATE documents SET added_by = '' WHERE added_by = ?`,
		} {
			if err := sqlio.Exec(ctx, tx, of, name); err != nil {
				return err
			}
		}
		if err := sqlio.Exec(ctx, tx, `DELETE FROM settings WHERE name = ?`, ColumnsOf(name)); err != nil {
			return err
		}
		if err := l.forgetReader(ctx, tx, name); err != nil {
			return err
		}
		if err := disown(ctx, tx, name); err != nil {
			return err
		}
		return changeAccount(ctx, tx, name, `DELETE FROM users WHERE name = ?`, name)
	})
}

// forgetReader takes an account from the readers of all documents. The projections read these once more: another account of the same
// name must not find them in what stores hold for the first.
func (l AccountStore) forgetReader(ctx context.Context, tx *sql.Tx, name string) error {
	named, err := sqlio.Collect(ctx, tx, into(func(d *domain.Document) []any { return []any{&d.Workspace, &d.ID} }),
		`DELETE FROM document_readers WHERE kind = 'account' AND name = ? RETURNING workspace_id, document_id`, name)
	for _, d := range named {
		if err == nil {
			err = ContributionStore(l).RepublishTx(ctx, tx, d.Workspace, d.ID)
		}
	}
	return err
}

// changeAccount runs a statement that must find the account.
func changeAccount(ctx context.Context, tx *sql.Tx, name, statement string, args ...any) error {
	found, err := sqlio.Changed(tx.ExecContext(ctx, statement, args...))
	if err == nil && !found {
		return noAccount(name)
	}
	return err
}

// otherOwner fails with kind Conflict if the account is the only owner. Until
// the transaction ends, nobody else removes an owner.
func (l *store) otherOwner(ctx context.Context, tx *sql.Tx, name string) error {
	owners, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT name FROM users WHERE role = ? ORDER BY name`+l.lock.Changing, domain.Owner)
	if err == nil && len(owners) == 1 && owners[0] == name {
		return domain.Errorf(domain.Conflict, "%s is the only owner. Make another account an owner first, so that somebody can manage the library.", name)
	}
	return err
}

// A Session is a browser that an account is signed in with. Its id is the hash
// of the token that the browser holds, so that nobody can sign in by reading
// the database.
type Session struct {
	ID           string
	Account      string
	Role         domain.Role // of the account in the workspace it was read for
	Language     string      // of the account
	PasswordHash string      // of the account, when it signed in; not read
	Issuer       string      // of the sign-on that started it; "" after a password
	Address      string      // where it was last used from
	Browser      string      // as it identifies itself
	CreatedAt    time.Time
	UsedAt       time.Time
	ExpiresAt    time.Time
}

// Stored reports whether the session is in the ledger. One that a proxy vouches for is made anew for each request.
func (s Session) Stored() bool { return !s.UsedAt.IsZero() }

var sessionTable = sqlio.Table[Session]{Name: "sessions", Row: func(s *Session) sqlio.Row {
	return sqlio.Row{
		"token_hash key", &s.ID, "user_name", &s.Account, "password_hash written", s.PasswordHash, "address", &s.Address, "browser", &s.Browser, "issuer fixed", &s.Issuer,
		"created_at", &s.CreatedAt, "used_at", &s.UsedAt, "expires_at", &s.ExpiresAt,
	}
}}

// AddSession stores a session and removes those that have expired.
func (l AccountStore) AddSession(ctx context.Context, s Session) error {
	return l.tx(ctx, "begin session", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM sessions WHERE expires_at <= ?`, sqlio.Millis(now)); err != nil {
			return err
		}
		s.CreatedAt, s.UsedAt = now, now
		return sessionTable.InsertAll(ctx, tx, []Session{s}, "")
	})
}

// valid selects the sessions that have not expired and whose account still has the password they began with, with the role
// of the account in a workspace. It takes the workspace and the time.
var valid = `SELECT ` + sessionTable.Columns("s") + `, u.language, ` + roleOf + `
	FROM sessions s JOIN users u ON u.name = s.user_name AND u.password_hash = s.password_hash LEFT JOIN members m ON m.workspace_id = ? AND m.account = u.name
	WHERE s.expires_at > ?`

func scanSession(rows *sql.Rows) (s Session, err error) {
	return s, rows.Scan(append(sessionTable.Fields(&s), &s.Language, &s.Role)...)
}

// Session returns a valid session with the role of its account in a workspace, and whether there is one.
func (l AccountStore) Session(ctx context.Context, ws domain.WorkspaceID, id string) (s Session, found bool, err error) {
	all, err := list(ctx, l, "read session", scanSession, valid+` AND s.token_hash = ?`, ws, sqlio.Millis(l.now()), id)
	if len(all) == 0 {
		return Session{}, false, err
	}
	return all[0], true, nil
}

// Sessions lists the valid sessions of an account, the last used first.
func (l AccountStore) Sessions(ctx context.Context, account string) ([]Session, error) {
	return list(ctx, l, "list sessions", scanSession, valid+` AND s.user_name = ? ORDER BY s.used_at DESC, s.token_hash`, "", sqlio.Millis(l.now()), account)
}

// UseSession records the use of a session, the address it came from, and until when the session is valid. It does
// nothing for an ended session.
func (l AccountStore) UseSession(ctx context.Context, id, address string, expires time.Time) error {
	return l.exec(ctx, "use session", `UPDATE sessions SET used_at = ?, address = ?, expires_at = ? WHERE token_hash = ?`,
		sqlio.Millis(l.now()), address, sqlio.Millis(expires), id)
}

// SignOut ends a session of an account if there is one with that id. Work that it has requested continues.
func (l AccountStore) SignOut(ctx context.Context, account, id string) error {
	return l.exec(ctx, "sign out", `DELETE FROM sessions WHERE user_name = ? AND token_hash = ?`, account, id)
}

// EndSession ends a session of an account if there is one of that id, and stops what it has asked for.
func (l AccountStore) EndSession(ctx context.Context, account, id string) error {
	return l.tx(ctx, "end session", func(tx *sql.Tx, now time.Time) error {
		return endSessions(ctx, tx, now, `user_name = ? AND token_hash = ?`, account, id)
	})
}

// EndSessions ends the sessions of an account except keep, and stops what they have asked for.
func (l AccountStore) EndSessions(ctx context.Context, account, keep string) error {
	return l.tx(ctx, "end sessions", func(tx *sql.Tx, now time.Time) error {
		return endSessions(ctx, tx, now, `user_name = ? AND token_hash <> ?`, account, keep)
	})
}

func endSessions(ctx context.Context, tx *sql.Tx, now time.Time, cond string, args ...any) error {
	if err := stopAsked(ctx, tx, now, fmt.Sprintf(`access IN (SELECT substr(token_hash, 1, %d) FROM sessions WHERE `, domain.AccessLength)+cond+`)`, args...); err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, `DELETE FROM sessions WHERE `+cond, args...)
}

// StopRuns asks the runs to stop that a condition after it selects: those that wait are stopped at once. Its argument is the time.
const StopRuns = `UPDATE runs SET stop_asked = 1,
	finished_at = CASE status WHEN 'running' THEN finished_at ELSE ? END,
	status = CASE status WHEN 'running' THEN status ELSE 'stopped' END
	WHERE status IN ('waiting', 'held', 'paused', 'asking', 'capped', 'running') AND `

// stopAsked asks the runs to stop that a condition selects, without those that read documents, which belong to the workspace.
func stopAsked(ctx context.Context, tx *sql.Tx, now time.Time, cond string, args ...any) error {
	return sqlio.Exec(ctx, tx, StopRuns+`status <> 'done' AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.workspace_id = runs.workspace_id AND d.id = runs.subject) AND `+cond,
		append([]any{sqlio.Millis(now)}, args...)...)
}
