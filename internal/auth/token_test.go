package auth

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// made makes a token as a person, "" for somebody who runs commands on the library.
func (b bench) made(t *testing.T, person string, in TokenWanted) NewToken {
	t.Helper()
	if in.Days == 0 {
		in.Days = 90
	}
	n, err := MakeToken.Do(b.Auth, domain.WithPerson(here(t), person), in)
	must(t, err)
	return n
}

var office = netip.MustParseAddr(home)

func TestATokenLetsInUntilItEnds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	n := b.made(t, "ada", TokenWanted{Name: "  Open \n WebUI ", Days: 7})
	if n.Name != "Open WebUI" || n.Account != "ada" || !slices.Equal(n.Scopes, []operation.Scope{operation.Read, operation.Ask, operation.Summarize}) {
		t.Errorf("made %+v", n.ShownToken)
	}
	x, err := b.Bearer(t.Context(), n.Secret, office)
	must(t, err)
	must(t, x.Check(operation.Ask))
	wantKind(t, x.Check(operation.WriteDocuments), domain.Forbidden, "a scope that it lacks")

	ctx := WithAccess(t.Context(), x)
	if got, ok := AccessOf(ctx); !ok || got.Token.ID != n.ID || domain.PersonOf(ctx) != "ada" || domain.WorkspaceOf(ctx) != domain.DefaultWorkspace {
		t.Errorf("the context has %+v, %q, %q", got, domain.PersonOf(ctx), domain.WorkspaceOf(ctx))
	}
	all, err := ListTokens.Do(b.Auth, domain.WithPerson(here(t), "ada"), struct{}{})
	must(t, err)
	if len(all) != 1 || !all[0].Used.Equal(b.clock.at) || all[0].Address != home {
		t.Errorf("its use was not noted: %+v", all)
	}
	b.clock.at = b.clock.at.Add(7 * 24 * time.Hour)
	_, err = b.Bearer(t.Context(), n.Secret, office)
	wantKind(t, err, domain.Unauthorized, "after its last day")
	n = b.made(t, "ada", TokenWanted{Name: "next"})
	_, err = b.Bearer(t.Context(), n.Secret, office)
	must(t, err)
	_, err = RevokeToken.Do(b.Auth, domain.WithPerson(here(t), "ada"), oneToken{n.ID})
	must(t, err)
	_, err = b.Bearer(t.Context(), n.Secret, office)
	wantKind(t, err, domain.Unauthorized, "after it was revoked")
	if log := b.log.String(); strings.Contains(log, n.Secret) || !strings.Contains(log, "token made") || !strings.Contains(log, "token revoked") {
		t.Errorf("the log says %s", log)
	}
}

func TestATokenMayNoMoreThanItsAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.Add(here(t), "ada", "bob", password, domain.Owner))
	n := b.made(t, "bob", TokenWanted{Name: "all", Preset: "everything"})
	x, err := b.Bearer(t.Context(), n.Secret, office)
	must(t, err)
	must(t, x.Check(operation.Admin))
	if shown, err := ShowToken.Do(b.Auth, WithAccess(t.Context(), x), struct{}{}); err != nil || shown.ID != n.ID || len(shown.Scopes) != len(operation.Scopes()) {
		t.Errorf("it is shown as %+v, %v", shown, err)
	}
	_, err = ShowToken.Do(b.Auth, here(t), struct{}{})
	wantKind(t, err, domain.Unsupported, "where no token is used")
	must(t, b.SetRole(here(t), "ada", "bob", domain.Curator))
	x, err = b.Bearer(t.Context(), n.Secret, office)
	must(t, err)
	wantKind(t, x.Check(operation.Admin), domain.Forbidden, "when its account is a member")
	must(t, x.Check(operation.Any))
	if slices.Contains(x.Scopes(), operation.Admin) || !slices.Contains(x.Scopes(), operation.WriteGraph) {
		t.Errorf("a member's token has %v", x.Scopes())
	}
	_, err = MakeToken.Do(b.Auth, domain.WithPerson(here(t), "bob"), TokenWanted{Name: "more", Scopes: []string{"admin"}, Days: 1})
	wantKind(t, err, domain.Forbidden, "a member makes a token for what is the owners'")
	if all := b.made(t, "bob", TokenWanted{Name: "mine", Preset: Everything}); slices.Contains(all.Scopes, operation.Admin) || !slices.Contains(all.Scopes, operation.Evaluate) {
		t.Errorf("everything that a member may is %v", all.Scopes)
	}
	must(t, b.Remove(t.Context(), "ada", "bob"))
	_, err = b.Bearer(t.Context(), n.Secret, office)
	wantKind(t, err, domain.Unauthorized, "when its account is gone")
}

func TestTokensOfOthersAreTheOwners(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.Add(here(t), "ada", "bob", password, domain.Curator))
	hers, his := b.made(t, "ada", TokenWanted{Name: "hers"}), b.made(t, "bob", TokenWanted{Name: "his"})
	program := func(n NewToken) context.Context {
		x, err := b.Bearer(t.Context(), n.Secret, office)
		must(t, err)
		return WithAccess(t.Context(), x)
	}
	all := b.made(t, "ada", TokenWanted{Name: "all", Preset: "everything"})
	for name, tt := range map[string]struct {
		ctx  context.Context
		seen int
	}{
		"a member":                   {domain.WithPerson(here(t), "bob"), 1},
		"an owner":                   {domain.WithPerson(here(t), "ada"), 3},
		"who runs commands":          {domain.WithPerson(here(t), "command line"), 3},
		"a program with scope admin": {program(all), 3},
	} {
		list, err := ListTokens.Do(b.Auth, tt.ctx, struct{}{})
		if must(t, err); len(list) != tt.seen {
			t.Errorf("%s sees %d tokens, want %d", name, len(list), tt.seen)
		}
	}
	_, err := RevokeToken.Do(b.Auth, domain.WithPerson(here(t), "bob"), oneToken{hers.ID})
	wantKind(t, err, domain.NotFound, "a member revokes another's token")
	_, err = RevokeToken.Do(b.Auth, domain.WithWorkspace(domain.WithPerson(here(t), "ada"), "other"), oneToken{his.ID})
	wantKind(t, err, domain.NotFound, "a token of another workspace")
	_, err = MakeToken.Do(b.Auth, program(hers), TokenWanted{Name: "x", Days: 1, Scopes: []string{"graph:write"}})
	wantKind(t, err, domain.Forbidden, "a program makes a token that may do more than its own")
	_, err = RevokeToken.Do(b.Auth, domain.WithPerson(here(t), "ada"), oneToken{his.ID})
	must(t, err)
}

func TestWrongTokensAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good := b.made(t, "ada", TokenWanted{Name: "x"}).Secret
	last := byte('0')
	if good[len(good)-1] == '0' {
		last = '1'
	}
	unknown, err := newToken(strings.NewReader(strings.Repeat("x", 64)))
	must(t, err)
	for name, secret := range map[string]string{
		"none": "", "words": "clew_secret", "cut": good[:len(good)-1], "mistyped": good[:len(good)-1] + string(last), "unknown": unknown, "another prefix": "clow_" + good[5:],
	} {
		if _, err := b.Bearer(t.Context(), secret, office); domain.KindOf(err) != domain.Unauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range perAddress.burst {
		_, err = b.Bearer(t.Context(), unknown, office)
	}
	wantKind(t, err, domain.TooMany, "many wrong tokens from an address")
	if _, err := b.Bearer(t.Context(), good, office); err != nil {
		t.Errorf("a good token from that address: %v", err)
	}
	for name, in := range map[string]TokenWanted{
		"no name": {Name: " ", Days: 1}, "a long name": {Name: strings.Repeat("x", 200), Days: 1}, "no days": {Name: "x"}, "too many days": {Name: "x", Days: 9999},
		"a preset that is none": {Name: "x", Days: 1, Preset: "all"}, "no scope": {Name: "x", Days: 1, Preset: "chosen"}, "a scope that is none": {Name: "x", Days: 1, Scopes: []string{"write"}},
	} {
		if _, err := MakeToken.Do(b.Auth, domain.WithPerson(here(t), "ada"), in); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
