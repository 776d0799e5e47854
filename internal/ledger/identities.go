package ledger

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// An Identity is a person as a provider of sign-on names them, and the account that they sign in to.
type Identity struct {
	Issuer    string // the provider
	Subject   string // identifies the person at the provider; never reused for another
	Account   string
	Called    string // the provider's name for the person
	CreatedAt time.Time
	UsedAt    time.Time
}

var identityTable = sqlio.Table[Identity]{Name: "identities", Row: func(i *Identity) sqlio.Row {
	return sqlio.Row{
		"issuer key", &i.Issuer, "subject key", &i.Subject, "account", &i.Account, "called", &i.Called, "created_at fixed", &i.CreatedAt, "used_at", &i.UsedAt,
	}
}}

// Granted is what the groups of a person give, replacing everything a provider gave before.
type Granted struct {
	Owner  bool
	Roles  map[domain.WorkspaceID]domain.Role
	Groups []string // nil keeps those of the account
}

func (g Granted) empty() bool { return !g.Owner && len(g.Roles) == 0 }

// A SignOn is a provider's description of a person who signs in.
type SignOn struct {
	Granted

	Issuer, Subject, Called string
	Name                    string // of the account made for a person without one, with a number appended if it is taken
}

// A SignedOn is the outcome of a sign-on.
type SignedOn struct {
	Account string
	Made    bool // the account is new
	Lost    bool // the account may do less than before, and its sessions have ended
	Enters  bool // the account may do something
}

// IdentitiesOf lists the identities of an account, or of all if it is "", by account and the time at which they were linked.
func (l AccountStore) IdentitiesOf(ctx context.Context, account string) ([]Identity, error) {
	return list(ctx, l, "list identities", identityTable.Scan, identityTable.Select()+`WHERE account = ? OR ? = '' ORDER BY account, created_at, issuer, subject`, account, account)
}

// SignOn finds the account of an identity, or makes one if the groups of the person give something, and brings what the
// provider gave to the account up to date. The first account has to be an owner's.
func (l AccountStore) SignOn(ctx context.Context, s SignOn) (done SignedOn, err error) {
	err = l.tx(ctx, "sign on", func(tx *sql.Tx, now time.Time) error {
		done = SignedOn{}
		known, found, err := identityTable.First(ctx, tx, `WHERE issuer = ? AND subject = ?`+l.lock.Changing, s.Issuer, s.Subject)
		switch {
		case err != nil:
			return err
		case !found && s.empty():
			return nil
		case !found:
			if known, err = makeFor(ctx, tx, s, now); err != nil {
				return err
			}
			done.Made = true
		}
		used := known
		used.Called, used.UsedAt = s.Called, now
		if err := identityTable.Update(ctx, tx, &known, &used); err != nil {
			return err
		}
		done.Account = known.Account
		if done.Lost, err = l.grant(ctx, tx, known.Account, s.Granted, now); err != nil {
			return err
		}
		done.Enters, err = enters(ctx, tx, known.Account)
		return err
	})
	return done, err
}

// maxNumbered is how many accounts may have one name with different numbers after it.
const maxNumbered = 1000

// makeFor adds an account without a password for an identity, and the identity.
func makeFor(ctx context.Context, tx *sql.Tx, s SignOn, now time.Time) (Identity, error) {
	accounts, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM users`)
	if err != nil {
		return Identity{}, err
	}
	if accounts == 0 && !s.Owner {
		return Identity{}, domain.Errorf(domain.Forbidden, "Nobody has signed in here yet, and the first has to be an owner. Ask somebody whose group OIDC_ROLES makes owners to sign in before you.")
	}
	i := Identity{Issuer: s.Issuer, Subject: s.Subject, Called: s.Called, CreatedAt: now, UsedAt: now}
	for n := 1; n <= maxNumbered; n++ {
		i.Account = s.Name
		if n > 1 {
			i.Account += "-" + strconv.Itoa(n)
		}
		added, err := accountTable.Insert(ctx, tx, &Account{Name: i.Account, Role: domain.Member, CreatedAt: now})
		if err != nil {
			return Identity{}, err
		}
		if added {
			return i, identityTable.InsertAll(ctx, tx, []Identity{i}, "")
		}
	}
	return Identity{}, domain.Errorf(domain.Conflict, "Too many accounts are named %s. Ask an owner to link yours.", s.Name)
}

// grant gives an account what its groups give, and takes what they gave before. It reports whether the account has lost
// something, and then ends its sessions. What a person gave stays as it is.
func (l *store) grant(ctx context.Context, tx *sql.Tx, account string, g Granted, now time.Time) (lost bool, err error) {
	owner, err := sqlio.Collect(ctx, tx, sqlio.Column[int], `SELECT CASE WHEN role <> ? THEN 0 WHEN owner_by_sign_on = 0 THEN 1 ELSE 2 END FROM users WHERE name = ?`+l.lock.Changing, domain.Owner, account)
	switch {
	case err != nil:
		return false, err
	case len(owner) == 0:
		return false, noAccount(account)
	case g.Owner && owner[0] == 0:
		err = changeAccount(ctx, tx, account, `UPDATE users SET role = ?, owner_by_sign_on = 1 WHERE name = ?`, domain.Owner, account)
	case !g.Owner && owner[0] == 2:
		lost, err = true, changeAccount(ctx, tx, account, `UPDATE users SET role = ?, owner_by_sign_on = 0 WHERE name = ?`, domain.Member, account)
	}
	if err != nil {
		return lost, err
	}
	members, err := memberTable.List(ctx, tx, `WHERE account = ?`, account)
	if err != nil {
		return lost, err
	}
	byHand := map[domain.WorkspaceID]bool{}
	for _, m := range members {
		role, keeps := g.Roles[m.Workspace]
		byHand[m.Workspace] = !m.BySignOn
		if !m.BySignOn || role == m.Role {
			continue
		}
		lost = lost || !keeps || !role.Includes(m.Role)
		if !keeps {
			if err := leave(ctx, tx, m.Workspace, account); err != nil {
				return lost, err
			}
		}
	}
	for ws, role := range g.Roles {
		if !byHand[ws] {
			if err := memberTable.Put(ctx, tx, &domain.Membership{Workspace: ws, Account: account, Role: role, BySignOn: true, AddedAt: now}); err != nil {
				return lost, err
			}
		}
	}
	if g.Groups != nil {
		if err := setGroups(ctx, tx, account, g.Groups, now); err != nil {
			return lost, err
		}
	}
	if lost {
		err = endSessions(ctx, tx, now, `user_name = ?`, account)
	}
	return lost, err
}

// enters reports whether an account may do something anywhere.
func enters(ctx context.Context, tx *sql.Tx, account string) (bool, error) {
	n, err := sqlio.Value[int](ctx, tx, `SELECT (SELECT COUNT(*) FROM users WHERE name = ? AND role = ?) + (SELECT COUNT(*) FROM members WHERE account = ?)`, account, domain.Owner, account)
	return n > 0, err
}

// Link has an identity sign in to an account. The error is of kind Conflict if the identity belongs to another account, and
// NotFound for an unknown account.
func (l AccountStore) Link(ctx context.Context, issuer, subject, called, account string) error {
	return l.tx(ctx, "link identity", func(tx *sql.Tx, now time.Time) error {
		accounts, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM users WHERE name = ?`, account)
		if err != nil {
			return err
		}
		if accounts == 0 {
			return noAccount(account)
		}
		added, err := identityTable.Insert(ctx, tx, &Identity{Issuer: issuer, Subject: subject, Account: account, Called: called, CreatedAt: now, UsedAt: now})
		if err != nil || added {
			return err
		}
		of, err := sqlio.Value[string](ctx, tx, `SELECT account FROM identities WHERE issuer = ? AND subject = ?`, issuer, subject)
		if err == nil && of != account {
			return domain.Errorf(domain.Conflict, "That sign-on belongs to another account here. An owner can unlink it from there.")
		}
		return err
	})
}

// Unlink has no identity of a provider sign in to an account any more, or none at all if issuer is "". What the provider gave
// to the account is taken away, and the sessions end that began with it. The error is of kind NotFound if there is none.
func (l AccountStore) Unlink(ctx context.Context, account, issuer string) error {
	return l.tx(ctx, "unlink identity", func(tx *sql.Tx, now time.Time) error {
		found, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM identities WHERE account = ? AND (issuer = ? OR ? = '')`, account, issuer, issuer))
		if err != nil {
			return err
		}
		if !found {
			return domain.Errorf(domain.NotFound, "%s is not linked to a sign-on.", account)
		}
		left, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM identities WHERE account = ?`, account)
		if err != nil {
			return err
		}
		if left == 0 {
			if _, err := l.grant(ctx, tx, account, Granted{}, now); err != nil {
				return err
			}
		}
		return endSessions(ctx, tx, now, `user_name = ? AND issuer <> '' AND (issuer = ? OR ? = '')`, account, issuer, issuer)
	})
}

// FinishSignOn records that a sign-on is finished, and reports whether it was not before.
func (l AccountStore) FinishSignOn(ctx context.Context, state string, expires time.Time) (first bool, err error) {
	err = l.tx(ctx, "finish sign-on", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM finished_sign_ons WHERE expires_at <= ?`, sqlio.Millis(now)); err != nil {
			return err
		}
		first, err = sqlio.Changed(tx.ExecContext(ctx, `INSERT INTO finished_sign_ons (state, expires_at) VALUES (?, ?) ON CONFLICT (state) DO NOTHING`, state, sqlio.Millis(expires)))
		return err
	})
	return first, err
}
