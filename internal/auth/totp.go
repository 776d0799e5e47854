package auth

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Codes follow RFC 6238 as all apps read them: six digits of SHA-1, a new one every 30 seconds. One before and one after the
// current one are accepted, for clocks that differ.
const (
	period = 30
	skew   = 1
)

// recoveryCodes is how many codes an account gets that replace one of the app, each once.
const recoveryCodes = 10

// StepFor is how long a person has between the password and the code.
const StepFor = 5 * time.Minute

// perCode is a budget of wrong codes: six digits are few.
var perCode = budget{5, 2 * time.Minute}

// A SecondStep holds what an app needs to show the codes of an account.
type SecondStep struct {
	Secret string // as text to type
	URI    string // for a QR code
}

// Steps reports whether an account is asked for a code at sign-in, and how many recovery codes it has left.
func (a *Auth) Steps(ctx context.Context, account string) (asked bool, left int, err error) {
	s, err := a.Ledger.SecondStep(ctx, account)
	if domain.KindOf(err) == domain.NotFound {
		return false, 0, nil
	}
	return !s.ConfirmedAt.IsZero(), len(s.Recovery), err
}

// BeginCodes draws a secret for the codes of an account. They are asked for once ConfirmCodes has seen one.
func (a *Auth) BeginCodes(ctx context.Context, account string) error {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Clew", AccountName: account, Rand: a.Random})
	if err != nil {
		return fmt.Errorf("draw a secret of codes: %w", err)
	}
	sealed, err := a.Vault.Seal(vault.SecondSteps, key.Secret(), account)
	if err != nil {
		return err
	}
	return a.Ledger.BeginSecondStep(ctx, ledger.StoredStep{Account: account, Sealed: sealed})
}

// BegunCodes returns what an app needs between BeginCodes and ConfirmCodes, or an error of kind NotFound.
func (a *Auth) BegunCodes(ctx context.Context, account string) (SecondStep, error) {
	s, err := a.Ledger.SecondStep(ctx, account)
	if err == nil && !s.ConfirmedAt.IsZero() {
		err = domain.Errorf(domain.NotFound, "Codes are asked for already, and their secret is not shown again.")
	}
	if err != nil {
		return SecondStep{}, err
	}
	secret, err := a.secretOf(s)
	if err != nil {
		return SecondStep{}, err
	}
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		return SecondStep{}, fmt.Errorf("decode a secret of codes: %w", err)
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Clew", AccountName: account, Secret: raw})
	if err != nil {
		return SecondStep{}, fmt.Errorf("describe a secret of codes: %w", err)
	}
	return SecondStep{secret, key.URL()}, nil
}

func (a *Auth) secretOf(s ledger.StoredStep) (string, error) {
	secret, err := a.Vault.Open(vault.SecondSteps, s.Sealed, s.Account)
	if errors.Is(err, vault.ErrSealed) {
		return "", domain.Because(domain.Unavailable, err, "Codes can't be checked: the key file or SECRET_KEY is not the one they were set up with. Sign in with a recovery code, or have the person who hosts Clew restore it, or run clew user totp-off.")
	}
	return secret, err
}

// ConfirmCodes has an account be asked for codes at sign-in, if the given one is right, and returns its recovery codes, which are
// shown only now.
func (a *Auth) ConfirmCodes(ctx context.Context, account, code string) (recovery []string, err error) {
	hashes := make([]string, recoveryCodes)
	recovery = make([]string, recoveryCodes)
	for i := range recovery {
		if recovery[i], err = newRecovery(a.Random); err != nil {
			return nil, err
		}
		hashes[i] = recoveryHash(recovery[i])
	}
	err = a.guess(account, nil, func() error {
		return a.Ledger.ChangeSecondStep(ctx, account, func(s *ledger.StoredStep) error {
			if !s.ConfirmedAt.IsZero() {
				return domain.Errorf(domain.Conflict, "Codes are asked for already.")
			}
			if err := a.use(s, code); err != nil {
				return err
			}
			s.ConfirmedAt, s.Recovery = a.Now(), hashes
			return nil
		})
	})
	a.record(ctx, audit.CodesOn, account, err)
	if err != nil {
		return nil, err
	}
	a.Log.InfoContext(ctx, "second step switched on", "account", account)
	return recovery, nil
}

// StopCodes has an account sign in with its password alone, if a code or a recovery code is right.
func (a *Auth) StopCodes(ctx context.Context, account, code string) error {
	if a.Codes {
		return domain.Errorf(domain.Conflict, "Everybody is asked for codes here. To move to another app, ask an owner to switch yours off: the next sign-in sets them up again.")
	}
	err := a.guess(account, nil, func() error {
		return a.Ledger.ChangeSecondStep(ctx, account, func(s *ledger.StoredStep) error { return a.use(s, code) })
	})
	if err == nil {
		err = a.Ledger.RemoveSecondStep(ctx, account)
	}
	a.record(ctx, audit.CodesOff, account, err)
	if err == nil {
		a.Log.InfoContext(ctx, "second step switched off", "account", account, "by", account)
	}
	return err
}

// proceed begins a session for an account whose password was right, or has it asked for a code first.
func (a *Auth) proceed(ctx context.Context, account ledger.Account, c Client) (SignedIn, error) {
	asked, _, err := a.Steps(ctx, account.Name)
	if err != nil {
		return SignedIn{}, err
	}
	if !asked && !a.Codes {
		return a.begin(ctx, account, "", c)
	}
	if !asked {
		if _, err := a.BegunCodes(ctx, account.Name); domain.KindOf(err) == domain.NotFound || domain.KindOf(err) == domain.Unavailable {
			err = a.BeginCodes(ctx, account.Name)
			if err != nil {
				return SignedIn{}, err
			}
		}
	}
	secret, err := a.pass(ctx, ledger.SecondStep, account, StepFor)
	return SignedIn{Pass: secret}, err
}

// Enrolling returns what an app needs to show the codes of the account that a pass is for, and whether that has to be set up
// to go on.
func (a *Auth) Enrolling(ctx context.Context, pass string) (SecondStep, bool, error) {
	p, err := a.Ledger.Pass(ctx, ledger.SecondStep, linkHash(pass))
	var begun SecondStep
	if err == nil {
		begun, err = a.BegunCodes(ctx, p.Account)
	}
	if domain.KindOf(err) == domain.NotFound { // Proceed reports that the pass has expired
		return SecondStep{}, false, nil
	}
	return begun, err == nil, err
}

// Proceed signs in with the pass of a SignIn that asked for a code, and a code or a recovery code. A pass works once; the error
// is of kind NotFound if it has expired. A wrong code is an error of kind Unauthorized. The first code of an app sets codes up.
func (a *Auth) Proceed(ctx context.Context, pass, code, known string, c Client) (SignedIn, error) {
	p, err := a.Ledger.Pass(ctx, ledger.SecondStep, linkHash(pass))
	if err != nil {
		return SignedIn{}, expired(err)
	}
	browser, err := a.knownBrowser(ctx, p.Account, known)
	if err != nil {
		return SignedIn{}, err
	}
	asked, _, err := a.Steps(ctx, p.Account)
	if err != nil {
		return SignedIn{}, err
	}
	var own []claim
	if browser != "" { // knowing the password is not enough to lock out the person
		own = []claim{{keyOf("code of a browser", browser), perCode}}
	}
	var recovery []string
	if asked {
		err = a.guess(p.Account, own, func() error {
			return a.Ledger.ChangeSecondStep(ctx, p.Account, func(s *ledger.StoredStep) error { return a.use(s, code) })
		})
	} else {
		recovery, err = a.ConfirmCodes(ctx, p.Account, code)
	}
	if domain.KindOf(err) == domain.NotFound { // switched off in the meantime
		return SignedIn{}, expired(err)
	}
	if err != nil {
		a.missed(ctx, err, p.Account, c)
		return SignedIn{}, err
	}
	if p, err = a.Ledger.TakePass(ctx, ledger.SecondStep, linkHash(pass)); err != nil {
		return SignedIn{}, expired(err)
	}
	in, err := a.begin(ctx, ledger.Account{Name: p.Account, PasswordHash: p.PasswordHash}, "", c)
	in.Recovery = recovery
	return in, err
}

// expired returns the error for a pass that can't be used, or another error.
func expired(err error) error {
	if domain.KindOf(err) == domain.NotFound {
		return domain.Because(domain.NotFound, err, "It took too long, or the code was used. Sign in again.")
	}
	return err
}

// guess takes an attempt from an account's budget of wrong codes, or from own, and returns it unless check fails with kind
// Unauthorized.
func (a *Auth) guess(account string, own []claim, check func() error) error {
	claims := own
	if claims == nil {
		claims = []claim{{keyOf("code", account), perCode}}
	}
	if wait := a.limits.take(claims); wait > 0 {
		return domain.TooManyf(wait, "Too many wrong codes. Try again in %s.", seconds(wait))
	}
	err := check()
	if domain.KindOf(err) != domain.Unauthorized {
		a.limits.giveBack(claims)
	}
	return err
}

// use marks a code as used, or returns an error of kind Unauthorized if it is wrong or was used.
func (a *Auth) use(s *ledger.StoredStep, code string) error {
	code = strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code)))
	if len(code) != otp.DigitsSix.Length() {
		i := slices.Index(s.Recovery, recoveryHash(code))
		if i < 0 {
			return domain.Errorf(domain.Unauthorized, "That code is wrong. Type the six digits that the app shows now, or a recovery code that was not used.")
		}
		s.Recovery = slices.Delete(slices.Clone(s.Recovery), i, i+1)
		return nil
	}
	secret, err := a.secretOf(*s)
	if err != nil {
		return err
	}
	now := a.Now().Unix() / period
	for n := now - skew; n <= now+skew; n++ {
		right, err := hotp.ValidateCustom(code, uint64(n), secret, hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil {
			return fmt.Errorf("check a code: %w", err)
		}
		switch {
		case right && n <= s.Used:
			return domain.Errorf(domain.Unauthorized, "That code was used already. Wait until the app shows the next one.")
		case right:
			s.Used = n
			return nil
		}
	}
	return domain.Errorf(domain.Unauthorized, "That code is wrong. Type the six digits that the app shows now; the clocks of both machines must agree.")
}

// recoveryBytes is the size of a recovery code, of which only the hash is kept: too many to try all.
const recoveryBytes = 10

// newRecovery draws a recovery code, in groups of four letters.
func newRecovery(random io.Reader) (string, error) {
	b := make([]byte, recoveryBytes)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("draw a recovery code: %w", err)
	}
	var groups []string
	for group := range slices.Chunk([]byte(strings.ToLower(base32.StdEncoding.EncodeToString(b))), 4) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, "-"), nil
}

// recoveryHash returns the stored hash of a recovery code, which may be written without dashes.
func recoveryHash(code string) string { return tokenHash(strings.ReplaceAll(code, "-", "")) }
