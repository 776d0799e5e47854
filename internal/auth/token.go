package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// TokenPrefix begins every token, so that people and scanners of secrets recognise it.
const TokenPrefix = "clew_"

// A token is TokenPrefix, tokenBytes random bytes and their checksum, both in base 62. The checksum detects a token that was
// cut or mistyped without asking the database.
const (
	tokenBytes  = 32
	tokenDigits = 43 // encoding its bytes
	checkDigits = 6
)

// shownDigits is how many letters of a token are kept, so that people recognise it in lists.
const shownDigits = len(TokenPrefix) + 4

// usedEvery is how often the last use of a token is noted.
const usedEvery = time.Minute

// MaxTokenDays is the longest that a token lasts.
const MaxTokenDays = 3650

// newToken draws a token.
func newToken(random io.Reader) (string, error) {
	b := make([]byte, tokenBytes)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("draw a token: %w", err)
	}
	digits := base62(b, tokenDigits)
	return TokenPrefix + digits + checksum(digits), nil
}

// base62 returns bytes as a number with at least the given number of digits.
func base62(b []byte, digits int) string {
	text := new(big.Int).SetBytes(b).Text(62)
	return strings.Repeat("0", max(0, digits-len(text))) + text
}

func checksum(digits string) string {
	return base62(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(digits))), checkDigits)
}

// wellFormed reports whether a text can be a token.
func wellFormed(secret string) bool {
	digits, ok := strings.CutPrefix(secret, TokenPrefix)
	return ok && len(digits) == tokenDigits+checkDigits && checksum(digits[:tokenDigits]) == digits[tokenDigits:]
}

func tokenHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Access describes what a token currently allows.
type Access struct {
	Token ledger.Token
	Role  domain.Role // current role of its account in its workspace; "" if it has none
	In    domain.Workspace
}

// Check fails with kind Forbidden if the token lacks a scope, or its account may not have it any more.
func (x Access) Check(s operation.Scope) error {
	if s == operation.Any {
		return nil
	}
	if !slices.Contains(x.Token.Scopes, string(s)) {
		return domain.Errorf(domain.Forbidden, "The token %s… lacks the scope %s. Make one that has it, on the page Tokens or with clew token create.", x.Token.Prefix, s)
	}
	if err := s.Check(x.Role); err != nil || s.Keeps() {
		return err
	}
	return x.In.Refuse()
}

// Scopes returns the scopes that Check allows.
func (x Access) Scopes() []operation.Scope {
	return slices.DeleteFunc(scopesOf(x.Token), func(s operation.Scope) bool { return s.Check(x.Role) != nil })
}

// scopesOf returns the scopes of a token.
func scopesOf(t ledger.Token) []operation.Scope {
	return lists.Map(t.Scopes, func(s string) operation.Scope { return operation.Scope(s) })
}

type accessKey struct{}

// WithAccess returns a context for a program that uses a token. The person is the account of the token; without one,
// each token counts as a person, and sees what belongs to everybody.
func WithAccess(ctx context.Context, x Access) context.Context {
	person := cmp.Or(x.Token.Account, x.Token.Prefix)
	ctx = domain.WithViewer(domain.WithPerson(domain.WithWorkspace(ctx, x.Token.Workspace), person), domain.Viewer{Account: x.Token.Account, Admin: x.Role.Includes(domain.Admin), Access: domain.AccessOf(x.Token.ID)})
	ctx = audit.WithToken(ctx, x.Token.Prefix)
	return context.WithValue(ctx, accessKey{}, x)
}

// AccessOf returns the access of the program that calls, and whether it is one.
func AccessOf(ctx context.Context) (Access, bool) {
	x, ok := ctx.Value(accessKey{}).(Access)
	return x, ok
}

// Allow fails with kind Forbidden unless the program that calls has a scope.
func Allow(ctx context.Context, s operation.Scope) error {
	x, _ := AccessOf(ctx)
	return x.Check(s)
}

// May fails with kind Forbidden unless the caller of ctx has a scope: a program by its token, others by the role of
// their account. Where nobody signs in, and for whoever runs commands on the library, it never fails.
func (a *Auth) May(ctx context.Context, s operation.Scope) error {
	if x, program := AccessOf(ctx); program {
		return x.Check(s)
	}
	account, err := a.Ledger.AccountIn(ctx, domain.WorkspaceOf(ctx), normal(domain.PersonOf(ctx)))
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Check(account.Role)
}

// Bearer returns the access of a token sent from an address, and notes its use. It fails with kind Unauthorized for a
// token that is unknown, has expired, or belongs to a removed account, and with kind TooMany after too many of these.
func (a *Auth) Bearer(ctx context.Context, secret string, address netip.Addr) (Access, error) {
	if !wellFormed(secret) {
		return Access{}, a.stranger(address, "That is not a complete token: one begins with clew_ and has %d characters.", len(TokenPrefix)+tokenDigits+checkDigits)
	}
	t, err := a.Ledger.TokenByHash(ctx, tokenHash(secret))
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return Access{}, a.stranger(address, "That token is unknown. It may have been revoked.")
	case err != nil:
		return Access{}, err
	case !t.ExpiresAt.After(a.Now()):
		return Access{}, a.stranger(address, "The token %s… expired on %s. Create another one.", t.Prefix, t.ExpiresAt.Format(time.DateOnly))
	}
	x := Access{Token: t}
	if x.In, err = a.Ledger.Workspace(ctx, t.Workspace); err != nil && domain.KindOf(err) != domain.NotFound {
		return Access{}, err
	} else if err != nil || !x.In.DeleteAt.IsZero() {
		return Access{}, a.stranger(address, "The workspace of the token %s… was deleted.", t.Prefix)
	}
	if t.Account != "" {
		account, err := a.Ledger.AccountIn(ctx, t.Workspace, t.Account)
		if domain.KindOf(err) == domain.NotFound {
			return Access{}, a.stranger(address, "The account of the token %s… was removed.", t.Prefix)
		}
		if err != nil {
			return Access{}, err
		}
		x.Role = account.Role
	}
	if a.Now().Sub(t.UsedAt) >= usedEvery {
		err = a.Ledger.UseToken(ctx, t.Workspace, t.ID, address.String())
	}
	return x, err
}

// TokenRefused records that a token was refused, a few a minute at most.
func (a *Auth) TokenRefused(ctx context.Context, err error) {
	if a.misses.take([]claim{{keyOf("token"), logLines}}) == 0 {
		a.Trail.Record(ctx, audit.Entry{Action: audit.TokenRefused, Err: err, Installation: true, Always: true})
	}
}

// stranger returns an error of kind Unauthorized, or TooMany if too many wrong tokens came from an address.
func (a *Auth) stranger(address netip.Addr, format string, args ...any) error {
	if wait := a.limits.take([]claim{{keyOf("token", network(address)), perAddress}}); wait > 0 {
		return domain.TooManyf(wait, "Too many wrong tokens have come from your address. Try again in %s.", seconds(wait))
	}
	return domain.Errorf(domain.Unauthorized, format, args...)
}
