package auth

import (
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// code returns what an app shows at the time of the bench.
func (b bench) code(t *testing.T, secret string) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, b.Now())
	must(t, err)
	return code
}

// later lets the app show the next code.
func (b bench) later() { b.clock.at = b.clock.at.Add(period * time.Second) }

// withCodes has ada be asked for codes, and returns the secret of her app and her recovery codes.
func (b bench) withCodes(t *testing.T) (secret string, recovery []string) {
	t.Helper()
	must(t, b.BeginCodes(t.Context(), "ada"))
	begun, err := b.BegunCodes(t.Context(), "ada")
	must(t, err)
	recovery, err = b.ConfirmCodes(t.Context(), "ada", b.code(t, begun.Secret))
	must(t, err)
	return begun.Secret, recovery
}

// password signs ada in as far as the password goes.
func (b bench) password(t *testing.T) string {
	t.Helper()
	in, err := b.SignIn(t.Context(), Attempt{Client: guest, Name: "ada", Password: password})
	must(t, err)
	if in.Token != "" || in.Known != "" || in.Pass == "" {
		t.Fatalf("the password alone gives %+v", in)
	}
	return in.Pass
}

func TestACodeFollowsThePassword(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.BeginCodes(t.Context(), "ada"))
	begun, err := b.BegunCodes(t.Context(), "ada")
	must(t, err)
	if !strings.HasPrefix(begun.URI, "otpauth://totp/Clew:ada?") || !strings.Contains(begun.URI, "secret="+begun.Secret) || len(begun.Secret) != 32 {
		t.Errorf("begun %+v", begun)
	}
	_, err = b.ConfirmCodes(t.Context(), "ada", "12345")
	wantKind(t, err, domain.Unauthorized, "a wrong code")
	in, err := b.SignIn(t.Context(), Attempt{Client: guest, Name: "ada", Password: password})
	if err != nil || in.Token == "" {
		t.Fatalf("codes are asked for before one was seen: %v", err)
	}
	stored, err := b.Ledger.SecondStep(t.Context(), "ada")
	if err != nil || strings.Contains(stored.Sealed, begun.Secret) {
		t.Errorf("stored %+v, error %v", stored, err)
	}
	recovery, err := b.ConfirmCodes(t.Context(), "ada", b.code(t, begun.Secret))
	must(t, err)
	if len(recovery) != recoveryCodes || len(recovery[0]) != 19 || recovery[0] == recovery[1] {
		t.Errorf("recovery codes %q", recovery)
	}
	_, err = b.BegunCodes(t.Context(), "ada")
	wantKind(t, err, domain.NotFound, "the secret once more")
	wantKind(t, b.BeginCodes(t.Context(), "ada"), domain.Conflict, "a second app")

	pass := b.password(t)
	_, err = b.Proceed(t.Context(), pass, b.code(t, begun.Secret), "", guest)
	wantKind(t, err, domain.Unauthorized, "the code that confirmed")
	b.later()
	code := b.code(t, begun.Secret)
	in, err = b.Proceed(t.Context(), pass, code[:3]+" "+code[3:], "", guest)
	if err != nil || in.Token == "" || in.Known == "" {
		t.Fatalf("signed in as %+v, error %v", in, err)
	}
	_, err = b.Proceed(t.Context(), pass, code, "", guest)
	wantKind(t, err, domain.NotFound, "the same pass")
	_, err = b.Proceed(t.Context(), b.password(t), code, "", guest)
	wantKind(t, err, domain.Unauthorized, "the same code")
	b.later()
	b.later()
	late := b.password(t)
	b.clock.at = b.clock.at.Add(StepFor)
	_, err = b.Proceed(t.Context(), late, b.code(t, begun.Secret), "", guest)
	wantKind(t, err, domain.NotFound, "an old pass")
	if log := b.log.String(); strings.Contains(log, begun.Secret) || strings.Contains(log, recovery[0]) || strings.Contains(log, pass) {
		t.Error("the log has a secret")
	}
}

// TestCodesAreSetUpAtSignInWhereTheyAreRequired: who has no app gets no session without one.
func TestCodesAreSetUpAtSignInWhereTheyAreRequired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Auth = b.With(b.Lifetime, true)
	pass := b.password(t)
	begun, enrols, err := b.Enrolling(t.Context(), pass)
	if err != nil || !enrols || begun.Secret == "" {
		t.Fatalf("enrols %v with %+v, %v", enrols, begun, err)
	}
	if again, _, err := b.Enrolling(t.Context(), b.password(t)); err != nil || again != begun {
		t.Errorf("signing in again draws another secret, %v", err)
	}
	_, err = b.Proceed(t.Context(), pass, "000000", "", guest)
	wantKind(t, err, domain.Unauthorized, "a wrong code")
	in, err := b.Proceed(t.Context(), pass, b.code(t, begun.Secret), "", guest)
	if err != nil || in.Token == "" || len(in.Recovery) != recoveryCodes {
		t.Fatalf("signed in %+v, %v", in, err)
	}
	pass = b.password(t)
	if _, enrols, err := b.Enrolling(t.Context(), pass); enrols || err != nil {
		t.Errorf("asked to set up twice: %v", err)
	}
	b.later()
	in, err = b.Proceed(t.Context(), pass, b.code(t, begun.Secret), "", guest)
	if err != nil || in.Token == "" || len(in.Recovery) != 0 {
		t.Errorf("the next sign-in: %+v, %v", in, err)
	}
	wantKind(t, b.StopCodes(t.Context(), "ada", "123456"), domain.Conflict, "switched off")
}

func TestRecoveryCodesWorkOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, recovery := b.withCodes(t)
	_, err := b.Proceed(t.Context(), b.password(t), strings.ToUpper(strings.ReplaceAll(recovery[3], "-", " ")), "", guest)
	must(t, err)
	_, err = b.Proceed(t.Context(), b.password(t), recovery[3], "", guest)
	wantKind(t, err, domain.Unauthorized, "the same recovery code")
	if asked, left, err := b.Steps(t.Context(), "ada"); !asked || left != recoveryCodes-1 || err != nil {
		t.Errorf("asked %v, %d left, error %v", asked, left, err)
	}
	// They do not need the key that the secret is encrypted with.
	b.Vault = vault.Vault{File: filepath.Join(t.TempDir(), "other.key"), Random: rand.Reader}
	_, err = b.Proceed(t.Context(), b.password(t), "123456", "", guest)
	wantKind(t, err, domain.Unavailable, "a code without the key")
	_, err = b.Proceed(t.Context(), b.password(t), recovery[4], "", guest)
	must(t, err)
}

func TestCodesCanNotBeGuessed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known, err := b.SignIn(t.Context(), Attempt{Client: guest, Name: "ada", Password: password})
	must(t, err)
	secret, _ := b.withCodes(t)
	b.later()
	for range perCode.burst {
		_, err := b.Proceed(t.Context(), b.password(t), "00000", "", guest)
		wantKind(t, err, domain.Unauthorized, "a guess")
	}
	pass := b.password(t)
	_, err = b.Proceed(t.Context(), pass, b.code(t, secret), "", Client{Address: guest.Address.Next()})
	wantKind(t, err, domain.TooMany, "the right code after many guesses, from anywhere")
	_, err = b.Proceed(t.Context(), pass, b.code(t, secret), known.Known, guest)
	must(t, err) // from a browser of hers
}

func TestCodesEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	secret, recovery := b.withCodes(t)
	wantKind(t, b.StopCodes(t.Context(), "ada", "00000"), domain.Unauthorized, "a wrong code")
	b.later()
	must(t, b.StopCodes(t.Context(), "ada", b.code(t, secret)))
	wantKind(t, b.StopCodes(t.Context(), "ada", recovery[0]), domain.NotFound, "stopped twice")
	_, recovery = b.withCodes(t)
	pass := b.password(t)
	_, err := TOTPOff.Do(b.Auth, as(t, "clew user"), named{"Ada"})
	must(t, err)
	_, err = TOTPOff.Do(b.Auth, as(t, "clew user"), named{"ada"})
	wantKind(t, err, domain.NotFound, "switched off twice")
	_, err = b.Proceed(t.Context(), pass, recovery[0], "", guest)
	wantKind(t, err, domain.NotFound, "a pass from before")

	// A changed password ends what its former one began; a removed account leaves nothing.
	secret, _ = b.withCodes(t)
	pass = b.password(t)
	must(t, b.SetPassword(t.Context(), "test", "ada", password+" 2"))
	b.later()
	_, err = b.Proceed(t.Context(), pass, b.code(t, secret), "", guest)
	wantKind(t, err, domain.NotFound, "a pass of the former password")
	must(t, b.Add(as(t, ""), "test", "bob", password, domain.Owner))
	must(t, b.Remove(t.Context(), "bob", "ada"))
	must(t, b.Add(as(t, ""), "test", "ada", password, domain.Reader))
	in, err := b.SignIn(t.Context(), Attempt{Client: guest, Name: "ada", Password: password})
	if err != nil || in.Token == "" {
		t.Errorf("a new account of the name is asked for codes: %+v, %v", in, err)
	}
	_, err = b.Ledger.Pass(t.Context(), ledger.SecondStep, linkHash(pass))
	wantKind(t, err, domain.NotFound, "a pass of the removed account")
}
