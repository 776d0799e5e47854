package auth

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// accounts keeps accounts in memory.
type accounts map[string]string

func (a accounts) User(_ context.Context, name string) (string, error) {
	hash, ok := a[name]
	if !ok {
		return "", domain.Errorf(domain.NotFound, "There is no account %q.", name)
	}
	return hash, nil
}

func (a accounts) SaveUser(_ context.Context, name, hash string) error {
	a[name] = hash
	return nil
}

func (a accounts) CountUsers(context.Context) (int, error) { return len(a), nil }

// clock is a time that only the test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func setup(t *testing.T) (*Auth, accounts, *clock) {
	t.Helper()
	users, clk := accounts{}, &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	a, err := New(users, NewHasher(nil, 2), clk.now)
	if err != nil {
		t.Fatal(err)
	}
	return a, users, clk
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	a, users, _ := setup(t)
	ctx := t.Context()
	if required, _ := a.Required(ctx); required {
		t.Error("sign-in is required without an account")
	}
	if err := a.SetPassword(ctx, " Ada ", "correct horse"); err != nil {
		t.Fatal(err)
	}
	if required, _ := a.Required(ctx); !required {
		t.Error("sign-in is not required although there is an account")
	}
	if strings.Contains(users["ada"], "correct horse") {
		t.Error("the password is stored in clear text")
	}
	if name, err := a.SignIn(ctx, "ADA", "correct horse"); err != nil || name != "ada" {
		t.Errorf("SignIn = %q, %v", name, err)
	}
	for _, bad := range [][2]string{{"ada", "wrong"}, {"ada", ""}, {"eve", "correct horse"}, {"ada", strings.Repeat("x", MaxPassword+1)}} {
		if _, err := a.SignIn(ctx, bad[0], bad[1]); domain.KindOf(err) != domain.Unauthorized {
			t.Errorf("SignIn(%q, …%d bytes): error %v, want Unauthorized", bad[0], len(bad[1]), err)
		}
	}
}

func TestSignInThrottlesGuessing(t *testing.T) {
	t.Parallel()
	a, _, clk := setup(t)
	ctx := t.Context()
	if err := a.SetPassword(ctx, "ada", "correct horse"); err != nil {
		t.Fatal(err)
	}
	for range freeAttempts {
		if _, err := a.SignIn(ctx, "ada", "wrong"); err == nil {
			t.Fatal("a wrong password was accepted")
		}
	}
	if _, err := a.SignIn(ctx, "ada", "correct horse"); err == nil || !strings.Contains(err.Error(), "try again in") {
		t.Errorf("after %d failures: got error %v, want a wait", freeAttempts, err)
	}
	clk.at = clk.at.Add(restAfterMiss + time.Second)
	if _, err := a.SignIn(ctx, "ada", "correct horse"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

func TestFirstAccount(t *testing.T) {
	t.Parallel()
	a, users, _ := setup(t)
	ctx := t.Context()
	if err := a.First(ctx, "admin", ""); err != nil || len(users) != 0 {
		t.Errorf("First without a password: got error %v and %d accounts, want no account", err, len(users))
	}
	if err := a.First(ctx, "admin", "first password"); err != nil || len(users) != 1 {
		t.Fatalf("First: got error %v and %d accounts, want 1", err, len(users))
	}
	before := users["admin"]
	if err := a.First(ctx, "admin", "other password"); err != nil || users["admin"] != before {
		t.Errorf("First changed an existing account (%v)", err)
	}
}

func TestPasswordsAreChecked(t *testing.T) {
	t.Parallel()
	a, _, _ := setup(t)
	for _, bad := range [][2]string{{"", "long enough"}, {"ada", "short"}, {"a\nb", "long enough"}, {"ada", strings.Repeat("x", 2000)}} {
		if err := a.SetPassword(t.Context(), bad[0], bad[1]); domain.KindOf(err) != domain.Invalid {
			t.Errorf("SetPassword(%q, %d bytes): error %v, want Invalid", bad[0], len(bad[1]), err)
		}
	}
}

func TestForeignHashesNeverMatch(t *testing.T) {
	t.Parallel()
	h := NewHasher(nil, 1)
	good, err := h.Hash("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if !h.Matches("correct horse", good) {
		t.Error("the hash does not match its own password")
	}
	for _, bad := range []string{"", "x", good[:len(good)-3], strings.Replace(good, "m=19456", "m=1", 1), "$argon2id$v=19$m=19456,t=2,p=1$$"} {
		if h.Matches("correct horse", bad) || h.Matches("", bad) {
			t.Errorf("%q matches", bad)
		}
	}
}
