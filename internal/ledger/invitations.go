package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// An Invitation admits somebody to a workspace, once. Only the hash of the secret in its link is stored.
type Invitation struct {
	ID        string
	Workspace domain.WorkspaceID
	Role      domain.Role
	Note      string // who it is for
	Hash      string
	MadeBy    string // an account; "" if a command made it
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero until used
	UsedBy    string
}

var invitationTable = sqlio.Table[Invitation]{Name: "invitations", Row: func(i *Invitation) sqlio.Row {
	return sqlio.Row{
		"id key", &i.ID, "workspace_id fixed", &i.Workspace, "role fixed", &i.Role, "note fixed", &i.Note, "secret_hash fixed", &i.Hash, "made_by fixed", &i.MadeBy,
		"created_at fixed", &i.CreatedAt, "expires_at fixed", &i.ExpiresAt, "used_at", &i.UsedAt, "used_by", &i.UsedBy,
	}
}}

// AddInvitation stores an invitation, and removes those of its workspace that ended more than a month ago.
func (l AccountStore) AddInvitation(ctx context.Context, i Invitation) error {
	return l.tx(ctx, "add invitation", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM invitations WHERE workspace_id = ? AND expires_at <= ?`, i.Workspace, sqlio.Millis(now.AddDate(0, -1, 0))); err != nil {
			return err
		}
		return invitationTable.InsertAll(ctx, tx, []Invitation{i}, "")
	})
}

// Invitations lists the invitations to a workspace, the newest first.
func (l AccountStore) Invitations(ctx context.Context, ws domain.WorkspaceID) ([]Invitation, error) {
	return list(ctx, l, "list invitations", invitationTable.Scan, invitationTable.Select()+`WHERE workspace_id = ? ORDER BY created_at DESC, id`, ws)
}

// RemoveInvitation removes an invitation, or returns an error of kind NotFound.
func (l AccountStore) RemoveInvitation(ctx context.Context, ws domain.WorkspaceID, id string) error {
	return l.tx(ctx, "remove invitation", func(tx *sql.Tx, _ time.Time) error {
		found, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM invitations WHERE workspace_id = ? AND id = ?`, ws, id))
		if err == nil && !found {
			return domain.Errorf(domain.NotFound, "There is no invitation %s to this workspace. clew invitation list lists them.", id)
		}
		return err
	})
}

// errDeadLink is the same for links that never were, and that are over.
func errDeadLink() error {
	return domain.Errorf(domain.NotFound, "This link does not work: it is incomplete, was used or taken back, or is too old. Ask whoever sent it for a new one.")
}

// open selects an invitation that can still be used, to a workspace that is not being deleted. It takes the hash and the time.
const open = `WHERE secret_hash = ? AND used_at = 0 AND expires_at > ? AND workspace_id IN (SELECT id FROM workspaces WHERE delete_at = 0)`

// OpenInvitation returns the invitation whose secret has a hash, or an error of kind NotFound unless it can be used.
func (l AccountStore) OpenInvitation(ctx context.Context, hash string) (Invitation, error) {
	i, err := read(ctx, l.reader, invitationTable, errDeadLink(), open, hash, sqlio.Millis(l.now()))
	return i, l.wrap("read invitation", err)
}

// AcceptInvitation uses an invitation up: for a new account with a password's hash, or if that is "" for an account that there
// is. The error is of kind NotFound if the invitation can't be used, and of kind Conflict if the account has its role already, or
// if there is another account of the name of a new one.
func (l AccountStore) AcceptInvitation(ctx context.Context, hash, name, passwordHash string) error {
	return l.tx(ctx, "accept invitation", func(tx *sql.Tx, now time.Time) error {
		stored, err := read(ctx, tx, invitationTable, errDeadLink(), open+l.lock.Changing, hash, sqlio.Millis(now))
		if err != nil {
			return err
		}
		used := stored
		used.UsedAt, used.UsedBy = now, name
		if err := invitationTable.Update(ctx, tx, &stored, &used); err != nil {
			return err
		}
		if passwordHash != "" {
			added, err := accountTable.Insert(ctx, tx, &Account{Name: name, Role: everywhere(stored.Role), PasswordHash: passwordHash, CreatedAt: now})
			if err == nil && !added {
				err = domain.Errorf(domain.Conflict, "There is already an account named %q. If it is yours, sign in first and open the link again. Otherwise choose another name.", name)
			}
			if err != nil {
				return err
			}
		}
		return raise(ctx, tx, stored.Workspace, name, stored.Role, now)
	})
}

// raise gives an account a role in a workspace, or makes it an owner. The error is of kind Conflict if it may do as much already
// by a membership, and of kind NotFound if there is no such account.
func raise(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, name string, role domain.Role, now time.Time) error {
	if role == domain.Owner {
		return changeAccount(ctx, tx, name, `UPDATE users SET role = ? WHERE name = ?`, role, name)
	}
	account, err := read(ctx, tx, accountTable, noAccount(name), `WHERE name = ?`, name)
	if err != nil {
		return err
	}
	has, found, err := memberTable.First(ctx, tx, `WHERE workspace_id = ? AND account = ?`, ws, name)
	if err != nil {
		return err
	}
	if account.Role == domain.Owner || found && has.Role.Includes(role) {
		return domain.Errorf(domain.Conflict, "You may do all that in this workspace already. The link still works for somebody else.")
	}
	return memberTable.Put(ctx, tx, &domain.Membership{Workspace: ws, Account: name, Role: role, AddedAt: now})
}

// AddFirstAccount creates an owner, or returns an error of kind Conflict if there is an account.
func (l AccountStore) AddFirstAccount(ctx context.Context, name, passwordHash string) error {
	return l.tx(ctx, "add first account", func(tx *sql.Tx, now time.Time) error {
		if err := l.lockWorkspace(ctx, tx, domain.DefaultWorkspace); err != nil { // of two, one waits for the other
			return err
		}
		accounts, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM users`)
		if err == nil && accounts > 0 {
			err = domain.Errorf(domain.Conflict, "There is an account already. Sign in with it, or ask its owner for an invitation.")
		}
		if err != nil {
			return err
		}
		_, err = accountTable.Insert(ctx, tx, &Account{Name: name, Role: domain.Owner, PasswordHash: passwordHash, CreatedAt: now})
		return err
	})
}

// A Pass lets an account continue signing in, once. It ends when the account's password changes.
type Pass struct {
	Hash         string // of its secret
	Purpose      string
	Account      string
	PasswordHash string // of the account
	CreatedAt    time.Time
	ExpiresAt    time.Time
}

// The purposes of passes.
const (
	ResetPassword = "reset"       // set a new password
	SecondStep    = "second step" // sign in with a code, after the password
)

var passTable = sqlio.Table[Pass]{Name: "passes", Row: func(p *Pass) sqlio.Row {
	return sqlio.Row{
		"secret_hash key", &p.Hash, "purpose", &p.Purpose, "account", &p.Account, "password_hash", &p.PasswordHash, "created_at", &p.CreatedAt, "expires_at", &p.ExpiresAt,
	}
}}

// AddPass stores a pass, and removes those that have expired. A link that resets a password replaces the one before.
func (l AccountStore) AddPass(ctx context.Context, p Pass) error {
	return l.tx(ctx, "add pass", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM passes WHERE expires_at <= ? OR purpose = ? AND purpose = ? AND account = ?`, sqlio.Millis(now), ResetPassword, p.Purpose, p.Account); err != nil {
			return err
		}
		return passTable.InsertAll(ctx, tx, []Pass{p}, "")
	})
}

// validPass selects a pass that can be used. It takes the hash, the purpose and the time.
const validPass = `WHERE secret_hash = ? AND purpose = ? AND expires_at > ? AND password_hash = (SELECT u.password_hash FROM users u WHERE u.name = account)`

// Pass returns the pass whose secret has a hash, or an error of kind NotFound unless it can be used.
func (l AccountStore) Pass(ctx context.Context, purpose, hash string) (Pass, error) {
	p, err := read(ctx, l.reader, passTable, errDeadLink(), validPass, hash, purpose, sqlio.Millis(l.now()))
	return p, l.wrap("read pass", err)
}

// TakePass returns a pass like Pass, and removes it.
func (l AccountStore) TakePass(ctx context.Context, purpose, hash string) (p Pass, err error) {
	err = l.tx(ctx, "take pass", func(tx *sql.Tx, now time.Time) error {
		if p, err = read(ctx, tx, passTable, errDeadLink(), validPass, hash, purpose, sqlio.Millis(now)); err != nil {
			return err
		}
		found, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM passes WHERE secret_hash = ?`, hash))
		if err == nil && !found {
			return errDeadLink()
		}
		return err
	})
	return p, err
}

// A StoredStep is the second step of signing in with an account, as it is stored.
type StoredStep struct {
	Account     string
	Sealed      string    // the secret of the codes, encrypted
	ConfirmedAt time.Time // zero until confirmed
	Used        int64     // number of the last code used
	Recovery    []string  // hashes of the codes that can replace one from the app
}

var stepTable = sqlio.Table[StoredStep]{Name: "second_steps", Row: func(s *StoredStep) sqlio.Row {
	return sqlio.Row{"account key", &s.Account, "sealed", &s.Sealed, "confirmed_at", &s.ConfirmedAt, "used", &s.Used, "recovery", &s.Recovery}
}}

func noStep() error {
	return domain.Errorf(domain.NotFound, "The account has no second step at sign-in.")
}

// SecondStep returns the second step of an account, or an error of kind NotFound.
func (l AccountStore) SecondStep(ctx context.Context, account string) (StoredStep, error) {
	s, err := read(ctx, l.reader, stepTable, noStep(), `WHERE account = ?`, account)
	return s, l.wrap("read second step", err)
}

// BeginSecondStep stores an unconfirmed second step, replacing an earlier one. The error is of kind Conflict if the
// account has a confirmed one.
func (l AccountStore) BeginSecondStep(ctx context.Context, s StoredStep) error {
	return l.tx(ctx, "begin second step", func(tx *sql.Tx, _ time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM second_steps WHERE account = ? AND confirmed_at = 0`, s.Account); err != nil {
			return err
		}
		added, err := stepTable.Insert(ctx, tx, &s)
		if err == nil && !added {
			return domain.Errorf(domain.Conflict, "Codes are asked for at sign-in already. Switch them off first, to set up another app.")
		}
		return err
	})
}

// ChangeSecondStep changes the second step of an account, or returns an error of kind NotFound, or the error of change.
func (l AccountStore) ChangeSecondStep(ctx context.Context, account string, change func(*StoredStep) error) error {
	return l.tx(ctx, "change second step", func(tx *sql.Tx, _ time.Time) error {
		stored, err := read(ctx, tx, stepTable, noStep(), `WHERE account = ?`+l.lock.Changing, account)
		if err != nil {
			return err
		}
		changed := stored
		if err := change(&changed); err != nil {
			return err
		}
		return stepTable.Update(ctx, tx, &stored, &changed)
	})
}

// RemoveSecondStep has an account sign in with its password alone. The error is of kind NotFound if it does already.
func (l AccountStore) RemoveSecondStep(ctx context.Context, account string) error {
	return l.tx(ctx, "remove second step", func(tx *sql.Tx, _ time.Time) error {
		found, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM second_steps WHERE account = ?`, account))
		if err == nil && !found {
			return noStep()
		}
		return err
	})
}
