package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// MinPassword and MaxPassword limit the length of a password in bytes. Without
// an upper limit an attacker could have megabytes hashed.
const (
	MinPassword = 10
	MaxPassword = 1024
)

// Users stores accounts.
type Users interface {
	// User returns the stored hash of an account, or an error of kind NotFound.
	User(ctx context.Context, name string) (hash string, err error)
	// SaveUser creates an account or changes its hash.
	SaveUser(ctx context.Context, name, hash string) error
	// CountUsers returns the number of accounts.
	CountUsers(ctx context.Context) (int, error)
}

// Auth checks names and passwords.
type Auth struct {
	users  Users
	hasher *Hasher
	now    func() time.Time
	decoy  string

	mu     sync.Mutex
	misses map[string]miss
}

// miss counts the failed attempts on one name.
type miss struct {
	count int
	last  time.Time
}

// After freeAttempts failures, each further one locks the name for restAfterMiss.
// At most maxMisses names are remembered.
const (
	freeAttempts  = 5
	restAfterMiss = 30 * time.Second
	maxMisses     = 10_000
)

// New returns an Auth over users. It hashes a decoy password, so that refusing a
// name without an account takes as long as refusing a wrong password.
func New(users Users, hasher *Hasher, now func() time.Time) (*Auth, error) {
	decoy, err := hasher.Hash("no account has this password")
	if err != nil {
		return nil, err
	}
	return &Auth{users: users, hasher: hasher, now: now, decoy: decoy, misses: map[string]miss{}}, nil
}

// Required reports whether people have to sign in, because there is an account.
func (a *Auth) Required(ctx context.Context) (bool, error) {
	n, err := a.users.CountUsers(ctx)
	return n > 0, err
}

// SignIn checks a name and a password and returns the account's name. A wrong
// name and a wrong password give the same error, of kind Unauthorized.
func (a *Auth) SignIn(ctx context.Context, name, password string) (string, error) {
	name = normal(name)
	if wait := a.resting(name); wait > 0 {
		return "", domain.Errorf(domain.Unauthorized, "Too many attempts: try again in %d seconds.", int(wait.Seconds())+1)
	}
	stored, err := a.users.User(ctx, name)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		stored = a.decoy
	case err != nil:
		return "", err
	}
	known := err == nil
	if len(password) > MaxPassword || !a.hasher.Matches(password, stored) || !known {
		a.missed(name)
		return "", domain.Errorf(domain.Unauthorized, "Name or password is wrong.")
	}
	a.mu.Lock()
	delete(a.misses, name)
	a.mu.Unlock()
	return name, nil
}

// Stamp returns a value that sessions of an account carry: it changes with the
// password, which ends them. It is "" when there is no such account.
func (a *Auth) Stamp(ctx context.Context, name string) (string, error) {
	hash, err := a.users.User(ctx, name)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return "", nil
	case err != nil:
		return "", err
	}
	sum := sha256.Sum256([]byte("session of " + name + "\x00" + hash))
	return hex.EncodeToString(sum[:16]), nil
}

// SetPassword creates an account or changes its password, which ends its
// sessions.
func (a *Auth) SetPassword(ctx context.Context, name, password string) error {
	name = normal(name)
	switch {
	case name == "" || len(name) > 100 || strings.ContainsAny(name, "\x00\r\n\t"):
		return domain.Errorf(domain.Invalid, "An account needs a name of 1 to 100 characters on one line.")
	case len(password) < MinPassword:
		return domain.Errorf(domain.Invalid, "The password is too short: take at least %d characters.", MinPassword)
	case len(password) > MaxPassword:
		return domain.Errorf(domain.Invalid, "The password is too long: take at most %d characters.", MaxPassword)
	}
	hash, err := a.hasher.Hash(password)
	if err != nil {
		return err
	}
	return a.users.SaveUser(ctx, name, hash)
}

// First creates an account when there is none at all. Without a password it does
// nothing.
func (a *Auth) First(ctx context.Context, name, password string) error {
	n, err := a.users.CountUsers(ctx)
	if err != nil || n > 0 || password == "" {
		return err
	}
	return a.SetPassword(ctx, name, password)
}

// resting returns how long a name has to wait for its next attempt.
func (a *Auth) resting(name string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.misses[name]
	if m.count < freeAttempts {
		return 0
	}
	return m.last.Add(restAfterMiss).Sub(a.now())
}

func (a *Auth) missed(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.misses) >= maxMisses {
		clear(a.misses)
	}
	a.misses[name] = miss{a.misses[name].count + 1, a.now()}
}

func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
