package auth

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit/database"
)

// clock is a time that only the test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// bench is an Auth over an empty ledger, with its clock and its log.
type bench struct {
	*Auth
	clock *clock
	log   *bytes.Buffer
}

const password = "correct horse"

// here returns a context for work in the workspace that an installation begins with.
func here(t *testing.T) context.Context {
	t.Helper()
	return domain.WithWorkspace(t.Context(), domain.DefaultWorkspace)
}

// setup returns an Auth with an account ada.
func setup(t *testing.T) bench {
	t.Helper()
	b := empty(t)
	must(t, b.Add(t.Context(), "test", " Ada ", password, ""))
	return b
}

func empty(t *testing.T) bench {
	t.Helper()
	db := database.Open(t, filepath.Join(t.TempDir(), "clew.db"))
	b := bench{clock: &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, log: &bytes.Buffer{}}
	hasher := NewHasher(nil, 2)
	hasher.memory = 64
	var err error
	kept := ledger.Open(db.Writer, db.Reader, b.clock.now)
	log := slog.New(slog.NewTextHandler(b.log, nil))
	b.Auth, err = New(Params{
		Ledger: kept, Trail: &audit.Trail{Ledger: kept.AuditStore, Log: log}, Hasher: hasher, Random: rand.Reader, Lifetime: 30 * 24 * time.Hour,
		Vault: vault.Vault{File: filepath.Join(t.TempDir(), "secret.key"), Random: rand.Reader}, Site: "https://clew.example.org",
		Now: b.clock.now, Log: log,
	})
	must(t, err)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, err error, kind domain.Kind, what string) {
	t.Helper()
	if domain.KindOf(err) != kind || err == nil {
		t.Errorf("%s: error %v, want kind %v", what, err, kind)
	}
}

// from returns an attempt from an address.
func from(address, name, password string) Attempt {
	return Attempt{Client: Client{netip.MustParseAddr(address), "Firefox/140"}, Name: name, Password: password}
}

const home, stranger = "198.51.100.7", "203.0.113.9"

func TestSignIn(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	in, err := b.SignIn(ctx, from(home, "ADA", password))
	must(t, err)
	s, found, err := b.Session(ctx, in.Token, netip.MustParseAddr(home))
	if err != nil || !found || s.Account != "ada" || s.Role != domain.Owner || s.Address != home || s.Browser != "Firefox/140" {
		t.Errorf("session %+v, found %v, error %v", s, found, err)
	}
	if _, found, _ := b.Session(ctx, s.ID, netip.Addr{}); found {
		t.Error("what the ledger stores opens the session")
	}
	for _, bad := range [][2]string{{"ada", "wrong"}, {"ada", ""}, {"eve", password}} {
		_, err := b.SignIn(ctx, from(home, bad[0], bad[1]))
		wantKind(t, err, domain.Unauthorized, bad[0])
		if err.Error() != "Name or password is wrong." {
			t.Errorf("%s: %v", bad[0], err)
		}
	}
}

// TestGuessesAtOnceAreCountedFirst: guesses that come together can't all be
// tested before the first has failed.
func TestGuessesAtOnceAreCountedFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var tested, refused atomic.Int32
	var wg sync.WaitGroup
	for range 400 {
		wg.Go(func() {
			_, err := b.SignIn(t.Context(), from(stranger, "ada", "guess"))
			switch domain.KindOf(err) {
			case domain.Unauthorized:
				tested.Add(1)
			case domain.TooMany:
				refused.Add(1)
			default:
				t.Errorf("error %v", err)
			}
		})
	}
	wg.Wait()
	if most := int32(perPair.burst); tested.Load() != most || refused.Load() != 400-most {
		t.Errorf("%d of 400 guesses were tested and %d refused, want %d tested", tested.Load(), refused.Load(), most)
	}
}

// TestNothingTellsWhoHasAnAccount compares the answers to guesses on a name with
// an account and on one without.
func TestNothingTellsWhoHasAnAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answers := func(name string) (all []string) {
		for range perPair.burst + 2 {
			_, err := b.SignIn(t.Context(), from(stranger, name, "guess"))
			all = append(all, fmt.Sprint(domain.KindOf(err), err))
		}
		return all
	}
	with, without := fmt.Sprint(answers("ada")), fmt.Sprint(answers("eve"))
	if with != without || !strings.Contains(with, "Try again in 30 seconds.") {
		t.Errorf("with an account %s, without one %s", with, without)
	}
}

// TestANameWithoutAccountTakesItsTime: it is hashed like any other.
func TestANameWithoutAccountTakesItsTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range cap(b.Hasher.slots) {
		b.Hasher.slots <- struct{}{}
	}
	failed := make(chan error)
	go func() {
		_, err := b.SignIn(t.Context(), from(stranger, "eve", "guess"))
		failed <- err
	}()
	for len(b.Hasher.places) == 0 {
		select {
		case err := <-failed:
			t.Fatalf("answered without a hash: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	for range cap(b.Hasher.slots) {
		<-b.Hasher.slots
	}
	wantKind(t, <-failed, domain.Unauthorized, "a guess")
}

func TestBudgetsReturn(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	for range perPair.burst {
		_, err := b.SignIn(ctx, from(home, "ada", "wrong"))
		wantKind(t, err, domain.Unauthorized, "a miss")
	}
	_, err := b.SignIn(ctx, from(home, "ada", password))
	wantKind(t, err, domain.TooMany, "after the misses")
	if after := domain.RetryAfter(err); after != perPair.pause {
		t.Errorf("told to come back after %v, want %v", after, perPair.pause)
	}
	b.clock.at = b.clock.at.Add(perPair.pause)
	_, err = b.SignIn(ctx, from(home, "ada", password))
	must(t, err)
	for range perPair.burst { // the right password makes the budget whole
		_, err := b.SignIn(ctx, from(home, "ada", "wrong"))
		wantKind(t, err, domain.Unauthorized, "a miss after signing in")
	}
}

// TestStrangersDoNotLockTheOwnerOut guesses from one address, and then from as
// many as it takes to spend the name's budget.
func TestStrangersDoNotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	for range perPair.burst + 1 {
		_, _ = b.SignIn(ctx, from(stranger, "ada", "guess")) // some are refused
	}
	in, err := b.SignIn(ctx, from(home, "ada", password))
	if err != nil {
		t.Fatalf("from another address: %v", err)
	}
	tested := 0
	for i := range 10 {
		for range perPair.burst {
			_, err := b.SignIn(ctx, from(fmt.Sprintf("192.0.2.%d", i), "ada", "guess"))
			if domain.KindOf(err) == domain.Unauthorized {
				tested++
			}
		}
	}
	if tested >= perName.burst {
		t.Errorf("%d guesses from many addresses were tested, want less than %d", tested, perName.burst)
	}
	_, err = b.SignIn(ctx, from("192.0.2.200", "ada", password))
	wantKind(t, err, domain.TooMany, "an address and a browser not known")
	if _, err = b.SignIn(ctx, from(home, "ada", password)); err != nil {
		t.Errorf("from the known address: %v", err)
	}
	away := from("192.0.2.201", "ada", password)
	away.Known = in.Known
	if _, err = b.SignIn(ctx, away); err != nil {
		t.Errorf("with the known browser: %v", err)
	}
}

func TestAKnownBrowserIsKnownToItsAccountOnly(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	must(t, b.Add(ctx, "test", "bob", password, domain.Contributor))
	in, err := b.SignIn(ctx, from(home, "bob", password))
	must(t, err)
	id, end, _ := strings.Cut(in.Known, ".")
	for what, tt := range map[string]struct {
		account, known string
		want           bool
	}{
		"itself":          {"bob", in.Known, true},
		"another account": {"ada", in.Known, false},
		"another id":      {"bob", "x" + id + "." + end, false},
		"another end":     {"bob", id + ".9" + end, false},
		"no signature":    {"bob", id + "." + strings.Split(end, ".")[0] + ".", false},
		"nothing":         {"bob", "", false},
	} {
		got, err := b.knownBrowser(ctx, tt.account, tt.known)
		if err != nil || (got == id) != tt.want || (got == "") == tt.want {
			t.Errorf("%s: known as %q, error %v, want %v", what, got, err, tt.want)
		}
	}
	guess := from(stranger, "bob", "guess")
	guess.Known = in.Known
	for range perPair.burst {
		_, err := b.SignIn(ctx, guess)
		wantKind(t, err, domain.Unauthorized, "a miss with a known browser")
	}
	_, err = b.SignIn(ctx, guess)
	wantKind(t, err, domain.TooMany, "too many of them")
	b.clock.at = b.clock.at.Add(KnownFor)
	if got, _ := b.knownBrowser(ctx, "bob", in.Known); got != "" {
		t.Error("the browser is known for ever")
	}
}

// TestLongNamesAndPasswordsKeepNothing: they are refused before anything is
// hashed, counted or stored.
func TestLongNamesAndPasswordsKeepNothing(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	for range perPair.burst {
		_, err := b.SignIn(ctx, from(stranger, "ada", "guess"))
		wantKind(t, err, domain.Unauthorized, "a miss")
	}
	kept := b.limits.order.Len()
	_, err := b.SignIn(ctx, from(stranger, strings.Repeat("x", 1<<20), "guess"))
	wantKind(t, err, domain.Invalid, "a name of 1 MB")
	for i := range 10_400 {
		_, err := b.SignIn(ctx, from(stranger, fmt.Sprint("name", i), strings.Repeat("x", MaxPassword+1)))
		wantKind(t, err, domain.Invalid, "a long password")
	}
	if n := b.limits.order.Len(); n != kept {
		t.Errorf("%d budgets are remembered, want %d", n, kept)
	}
	_, err = b.SignIn(ctx, from(stranger, "ada", "guess"))
	wantKind(t, err, domain.TooMany, "the guess after them")
}

func TestMissesAreLoggedAFewAMinute(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	b.log.Reset()
	_, _ = b.SignIn(ctx, from(stranger, "ada", "guess"))
	_, _ = b.SignIn(ctx, from(stranger, "my secret password", "guess"))
	if text := b.log.String(); !strings.Contains(text, "account=ada") || strings.Count(text, stranger) != 2 || strings.Contains(text, "secret") {
		t.Errorf("logged %s", text)
	}
	for range 50 {
		_, _ = b.SignIn(ctx, from(stranger, "ada", "guess"))
	}
	if n := strings.Count(b.log.String(), "sign-in failed"); n != logLines.burst {
		t.Errorf("%d lines, want %d", n, logLines.burst)
	}
	b.log.Reset()
	in, err := b.SignIn(ctx, from(home, "ada", password))
	must(t, err)
	s, _, err := b.Session(ctx, in.Token, netip.Addr{})
	must(t, err)
	must(t, b.ChangePassword(ctx, s, password, "another horse"))
	must(t, b.SignOut(ctx, s))
	for _, want := range []string{"signed in", "password changed", "signed out"} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("%q is not logged: %s", want, b.log)
		}
	}
	if strings.Contains(b.log.String(), "horse") {
		t.Errorf("a password is logged: %s", b.log)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	valid := func(token string) bool {
		_, found, err := b.Session(ctx, token, netip.MustParseAddr(stranger))
		must(t, err)
		return found
	}
	in, err := b.SignIn(ctx, from(home, "ada", password))
	must(t, err)
	for day := range 30 {
		if !valid(in.Token) {
			t.Fatalf("ended after %d days of use", day)
		}
		b.clock.at = b.clock.at.Add(24 * time.Hour)
	}
	if valid(in.Token) {
		t.Error("valid after its lifetime")
	}
	in, err = b.SignIn(ctx, from(home, "ada", password))
	must(t, err)
	b.clock.at = b.clock.at.Add(noteAfter)
	if s, _, _ := b.Session(ctx, in.Token, netip.MustParseAddr(stranger)); s.Address != home {
		t.Errorf("address %s before the use is noted", s.Address)
	}
	if s, _, _ := b.Session(ctx, in.Token, netip.MustParseAddr(home)); s.Address != stranger || !s.UsedAt.Equal(b.clock.at) {
		t.Errorf("the use was not noted: %+v", s)
	}
	b.clock.at = b.clock.at.Add(unusedFor)
	if valid(in.Token) {
		t.Error("valid though it was not used for a week")
	}
}

// TestAPasswordThatChangesMeanwhileEndsTheSession changes the password between
// the check of the old one and the beginning of its session.
func TestAPasswordThatChangesMeanwhileEndsTheSession(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	account, err := b.Account(ctx, "ada")
	must(t, err)
	must(t, b.SetPassword(ctx, "test", "Ada", "another horse"))
	in, err := b.begin(ctx, account, "", Client{})
	must(t, err)
	if _, found, err := b.Session(ctx, in.Token, netip.Addr{}); found || err != nil {
		t.Errorf("the session is valid (%v), error %v", found, err)
	}
}

func TestChangingThePassword(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	var all []ledger.Session
	for range 2 {
		in, err := b.SignIn(ctx, from(home, "ada", password))
		must(t, err)
		s, _, err := b.Session(ctx, in.Token, netip.Addr{})
		must(t, err)
		all = append(all, s)
	}
	wantKind(t, b.ChangePassword(ctx, all[0], "wrong", "another horse"), domain.Unauthorized, "a wrong password")
	wantKind(t, b.ChangePassword(ctx, all[0], password, "short"), domain.Invalid, "a short password")
	must(t, b.ChangePassword(ctx, all[0], password, "another horse"))
	left, err := b.Sessions(ctx, "ada")
	if err != nil || len(left) != 1 || left[0].ID != all[0].ID {
		t.Errorf("left are %+v, error %v, want the session of the change", left, err)
	}
	for range perPair.burst - 1 { // one is spent
		wantKind(t, b.ChangePassword(ctx, all[0], password, "third horse!"), domain.Unauthorized, "the old password")
	}
	wantKind(t, b.ChangePassword(ctx, all[0], "another horse", "third horse!"), domain.TooMany, "who guesses in a session")
	wantKind(t, b.SetPassword(ctx, "test", "eve", password), domain.NotFound, "no account")
}

func TestFirstAccount(t *testing.T) {
	t.Parallel()
	b, ctx := empty(t), t.Context()
	count := func(want int) {
		t.Helper()
		if all, err := b.Accounts(ctx); err != nil || len(all) != want {
			t.Errorf("%d accounts, error %v, want %d", len(all), err, want)
		}
	}
	must(t, b.First(ctx, "admin", ""))
	count(0)
	if required, _ := b.Required(ctx); required {
		t.Error("sign-in is required without an account")
	}
	must(t, b.First(ctx, "admin", "first password"))
	must(t, b.First(ctx, "admin", "other password"))
	must(t, b.First(ctx, "other", "other password"))
	count(1)
	if required, _ := b.Required(ctx); !required {
		t.Error("sign-in is not required although there is an account")
	}
	if _, err := b.SignIn(ctx, from(home, "admin", "first password")); err != nil {
		t.Errorf("First changed an existing account: %v", err)
	}
}

func TestAccountsAreChecked(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	for _, bad := range [][3]string{
		{"", "long enough"}, {"bob", "short"}, {"a\nb", "long enough"}, {"bob", strings.Repeat("x", 2000)}, {"..", "long enough"},
		{strings.Repeat("x", MaxName+1), "long enough"}, {"bob", "long enough", "king"},
	} {
		wantKind(t, b.Add(ctx, "test", bad[0], bad[1], domain.Role(bad[2])), domain.Invalid, fmt.Sprintf("Add(%.10q, %d bytes)", bad[0], len(bad[1])))
	}
	wantKind(t, b.SetRole(ctx, "test", "ada", "king"), domain.Invalid, "an unknown role")
	wantKind(t, b.SetRole(ctx, "test", "ada", domain.Curator), domain.Conflict, "the last owner")
	wantKind(t, b.Remove(ctx, "test", "ADA"), domain.Conflict, "the last owner")
}

func TestForeignHashesNeverMatch(t *testing.T) {
	t.Parallel()
	h := NewHasher(nil, 1)
	good, err := h.Hash(t.Context(), password)
	must(t, err)
	matches := func(password, stored string) bool {
		ok, err := h.Matches(t.Context(), password, stored)
		must(t, err)
		return ok
	}
	if !matches(password, good) {
		t.Error("the hash does not match its own password")
	}
	decoy, err := h.decoy()
	must(t, err)
	if len(decoy) != len(good) {
		t.Errorf("the decoy %q is no hash like %q", decoy, good)
	}
	for _, bad := range []string{"", "x", decoy, good[:len(good)-3], strings.Replace(good, "m=19456", "m=1", 1), "$argon2id$v=19$m=19456,t=2,p=1$$"} {
		if matches(password, bad) || matches("", bad) {
			t.Errorf("%q matches", bad)
		}
	}
}

// TestWhoGoesAwayFreesHisPlace fills the queue of a hasher that is busy.
func TestWhoGoesAwayFreesHisPlace(t *testing.T) {
	t.Parallel()
	h := NewHasher(nil, 1)
	h.slots <- struct{}{} // somebody's hash is running
	h.places <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	wait := func(ctx context.Context) {
		_, err := h.Hash(ctx, password)
		failed <- err
	}
	for range maxWaiting {
		go wait(ctx)
	}
	for len(h.places) < cap(h.places) {
		time.Sleep(time.Millisecond)
	}
	_, err := h.Hash(t.Context(), password)
	wantKind(t, err, domain.TooMany, "one too many")
	if domain.RetryAfter(err) <= 0 {
		t.Error("nobody is told when to come back")
	}
	cancel()
	for range maxWaiting {
		if err := <-failed; err != context.Canceled {
			t.Errorf("who went away has error %v", err)
		}
	}
	if len(h.places) != 1 {
		t.Errorf("%d places are taken, want one", len(h.places))
	}
	go wait(t.Context())
	<-h.slots // the hash has ended
	<-h.places
	must(t, <-failed)
}

// TestWhoGoesAwaySpendsNothing: his password was not tested.
func TestWhoGoesAwaySpendsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Hasher.slots <- struct{}{}
	b.Hasher.slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	for range perPair.burst {
		go func() {
			_, err := b.SignIn(ctx, from(home, "ada", password))
			failed <- err
		}()
	}
	for len(b.Hasher.places) < perPair.burst {
		time.Sleep(time.Millisecond)
	}
	cancel()
	for range perPair.burst {
		<-failed
	}
	<-b.Hasher.slots
	<-b.Hasher.slots
	if _, err := b.SignIn(t.Context(), from(home, "ada", password)); err != nil {
		t.Error(err)
	}
}
