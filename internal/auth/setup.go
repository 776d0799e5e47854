package auth

import (
	"context"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// alone is the setting that records the decision to have no accounts.
const alone = "alone"

// Undecided reports whether a library without accounts has no documents yet and nobody has decided that it needs none.
func (a *Auth) Undecided(ctx context.Context) (bool, error) {
	said, _, err := a.Ledger.Setting(ctx, domain.DefaultWorkspace, alone)
	if err != nil || said != "" {
		return false, err
	}
	documents, err := a.Ledger.CountDocuments(ctx, domain.DefaultWorkspace, "")
	return documents.All() == 0, err
}

// Alone records the decision to have no accounts: only this machine can reach the pages. An account can still be made.
func (a *Auth) Alone(ctx context.Context) error {
	err := a.Ledger.SetSetting(ctx, domain.DefaultWorkspace, alone, "true")
	a.Trail.Record(ctx, audit.Entry{Action: audit.Alone, Err: err, Installation: true})
	return err
}

// Begin creates the first account, an owner, and begins a session. The error is of kind Conflict if there is an account.
func (a *Auth) Begin(ctx context.Context, name, password string, c Client) (SignedIn, error) {
	name = normal(name)
	if err := checkName(name); err != nil {
		return SignedIn{}, err
	}
	hash, err := a.hash(ctx, password)
	if err != nil {
		return SignedIn{}, err
	}
	if err := a.Ledger.AddFirstAccount(ctx, name, hash); err != nil {
		return SignedIn{}, err
	}
	a.Log.InfoContext(ctx, "account added", "account", name, "by", "the first page")
	a.record(ctx, "user add", name, nil, "role="+string(domain.Owner))
	return a.begin(ctx, ledger.Account{Name: name, PasswordHash: hash}, "", c)
}
