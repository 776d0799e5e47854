package ledger_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func users(t *testing.T, b Bench) {
	ctx, l := t.Context(), b.Ledger
	count := func(want int) {
		t.Helper()
		if n, err := l.CountAccounts(ctx); err != nil || n != want {
			t.Errorf("got %d accounts, error %v, want %d", n, err, want)
		}
	}
	count(0)
	_, err := l.Account(ctx, "ada")
	wantKind(t, err, domain.NotFound)
	wantKind(t, l.AddAccount(ctx, domain.DefaultWorkspace, "ada", "hash 1", domain.Member), domain.Conflict) // the first is an owner
	must(t, l.AddAccount(ctx, domain.DefaultWorkspace, "ada", "hash 1", ""))
	must(t, l.AddAccount(ctx, domain.DefaultWorkspace, "bob", "hash 2", ""))
	wantKind(t, l.AddAccount(ctx, domain.DefaultWorkspace, "ada", "hash 3", domain.Member), domain.Conflict)
	count(2)
	must(t, l.SetPassword(ctx, "ada", "hash 4", ""))
	wantKind(t, l.SetPassword(ctx, "eve", "hash", ""), domain.NotFound)
	for name, want := range map[string]ledger.Account{"ada": {Role: domain.Owner, PasswordHash: "hash 4"}, "bob": {Role: domain.Member, PasswordHash: "hash 2"}} {
		if a, err := l.Account(ctx, name); err != nil || a.Role != want.Role || a.PasswordHash != want.PasswordHash || !a.CreatedAt.Equal(b.Clock.Now()) {
			t.Errorf("%s is %+v, error %v", name, a, err)
		}
	}
	wantKind(t, l.SetRole(ctx, domain.DefaultWorkspace, "ada", domain.Member), domain.Conflict)
	wantKind(t, l.RemoveAccount(ctx, "ada"), domain.Conflict)
	wantKind(t, l.SetRole(ctx, domain.DefaultWorkspace, "eve", domain.Owner), domain.NotFound)
	wantKind(t, l.RemoveAccount(ctx, "eve"), domain.NotFound)
	must(t, l.SetRole(ctx, domain.DefaultWorkspace, "bob", domain.Owner))
	must(t, l.RemoveAccount(ctx, "ada"))
	count(1)
}

// lastOwners lets two owners remove each other, and themselves, at once: one
// stays.
func lastOwners(t *testing.T, b Bench) {
	ctx, l := t.Context(), b.Ledger
	for round := range 10 {
		one, two := fmt.Sprint("a", round), fmt.Sprint("b", round)
		must(t, l.AddAccount(ctx, domain.DefaultWorkspace, one, "hash", domain.Owner))
		must(t, l.AddAccount(ctx, domain.DefaultWorkspace, two, "hash", domain.Owner))
		if round > 0 {
			must(t, l.RemoveAccount(ctx, "last"))
		}
		failed := make(chan error)
		go func() { failed <- l.RemoveAccount(ctx, one) }()
		go func() { failed <- l.SetRole(ctx, domain.DefaultWorkspace, two, domain.Member) }()
		if first, second := <-failed, <-failed; (domain.KindOf(first) == domain.Conflict) == (domain.KindOf(second) == domain.Conflict) {
			t.Errorf("round %d: errors %v and %v, want one Conflict", round, first, second)
		}
		must(t, l.AddAccount(ctx, domain.DefaultWorkspace, "last", "hash", domain.Owner))
		for _, name := range []string{one, two} {
			if err := l.RemoveAccount(ctx, name); domain.KindOf(err) != domain.NotFound {
				must(t, err)
			}
		}
	}
}

func sessions(t *testing.T, b Bench) {
	ctx, l := t.Context(), b.Ledger
	must(t, l.AddAccount(ctx, domain.DefaultWorkspace, "ada", "hash 1", ""))
	must(t, l.AddAccount(ctx, domain.DefaultWorkspace, "bob", "hash 2", ""))
	hour := b.Clock.Now().Add(time.Hour)
	add := func(id, account, hash string, expires time.Time) {
		t.Helper()
		must(t, l.AddSession(ctx, ledger.Session{ID: id, Account: account, PasswordHash: hash, Address: "192.0.2.1", Browser: "Firefox/1", ExpiresAt: expires}))
	}
	list := func(account string, want ...string) {
		t.Helper()
		all, err := l.Sessions(ctx, account)
		var ids []string
		for _, s := range all {
			ids = append(ids, s.ID)
			one, found, err := l.Session(ctx, domain.DefaultWorkspace, s.ID)
			s.Role = one.Role // which is that of a workspace
			if err != nil || !found || one != s {
				t.Errorf("session %s is %+v, found %v, error %v, want %+v", s.ID, one, found, err, s)
			}
		}
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s has the sessions %q, error %v, want %q", account, ids, err, want)
		}
	}
	add("one", "ada", "hash 1", hour)
	b.Clock.Advance(time.Minute)
	add("two", "ada", "hash 1", hour.Add(time.Hour))
	add("other", "bob", "hash 2", hour)
	add("late", "ada", "hash 0", hour) // the password was changed while it began
	list("ada", "two", "one")
	b.Clock.Advance(time.Minute)
	must(t, l.UseSession(ctx, "one", "2001:db8::1", hour))
	list("ada", "one", "two")
	s, _, err := l.Session(ctx, domain.DefaultWorkspace, "one")
	want := ledger.Session{
		ID: "one", Account: "ada", Role: domain.Owner, Address: "2001:db8::1", Browser: "Firefox/1",
		CreatedAt: b.Clock.Now().Add(-2 * time.Minute), UsedAt: b.Clock.Now(), ExpiresAt: hour,
	}
	if err != nil || s != want {
		t.Errorf("the session is %+v, error %v, want %+v", s, err, want)
	}
	accounts, err := l.Accounts(ctx, domain.DefaultWorkspace)
	if err != nil || len(accounts) != 2 || accounts[0].Name != "ada" || accounts[0].Sessions != 2 || !accounts[0].UsedAt.Equal(b.Clock.Now()) || accounts[1].Role != domain.Contributor || accounts[1].Sessions != 1 {
		t.Errorf("accounts %+v, error %v", accounts, err)
	}
	must(t, l.EndSession(ctx, "bob", "one")) // it is ada's
	must(t, l.SetPassword(ctx, "ada", "hash 3", "one"))
	list("ada", "one")
	must(t, l.UseSession(ctx, "two", "192.0.2.1", hour)) // a request that was under way
	list("ada", "one")
	add("two", "ada", "hash 3", hour)
	must(t, l.EndSession(ctx, "ada", "one"))
	list("ada", "two")
	must(t, l.EndSessions(ctx, "ada", "two"))
	list("ada", "two")
	must(t, l.EndSessions(ctx, "ada", ""))
	list("ada")
	list("bob", "other")
	must(t, l.RemoveAccount(ctx, "bob"))
	must(t, l.AddAccount(ctx, domain.DefaultWorkspace, "bob", "hash 2", "")) // another one
	list("bob")
	add("two", "ada", "hash 3", hour)
	b.Clock.Advance(time.Hour)
	list("ada")
}

func settings(t *testing.T, b Bench) {
	ctx := t.Context()
	get := func(w domain.WorkspaceID, want string, wantSet bool) {
		t.Helper()
		v, set, err := b.Ledger.Setting(ctx, w, "max_loops")
		if err != nil || v != want || set != wantSet {
			t.Errorf("got %q, %v, error %v, want %q, %v", v, set, err, want, wantSet)
		}
	}
	get(ws, "", false)
	must(t, b.Ledger.SetSetting(ctx, ws, "max_loops", "3"))
	must(t, b.Ledger.SetSetting(ctx, ws, "max_loops", ""))
	get(ws, "", true)
	must(t, b.Ledger.SetSetting(ctx, ws, "max_loops", "5"))
	get(ws, "5", true)
	get("another", "", false)
	first, err := b.Ledger.Secret(ctx, "another", "key", rand.Reader)
	if len(first) < 40 || err != nil {
		t.Errorf("the secret is %q, error %v", first, err)
	}
	if again, err := b.Ledger.Secret(ctx, "another", "key", rand.Reader); again != first || err != nil {
		t.Errorf("the secret was %q and is %q, error %v", first, again, err)
	}
	get(ws, "5", true)
}
