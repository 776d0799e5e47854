package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// KnownFor is how long a browser is known after it was signed in with.
const KnownFor = 365 * 24 * time.Hour

// knownKey is the setting that holds the installation's key.
const knownKey = "known_browsers_key"

// know returns a value that proves for a time that an account has signed in with
// a browser: an id, the end, and the installation's signature of both for that
// account.
func (a *Auth) know(ctx context.Context, account string) (string, error) {
	id, err := a.draw()
	if err != nil {
		return "", err
	}
	key, err := a.Ledger.Secret(ctx, domain.Installation, knownKey, a.Random)
	if err != nil {
		return "", err
	}
	end := strconv.FormatInt(a.Now().Add(KnownFor).Unix(), 10)
	return id + "." + end + "." + signature(key, account, id, end), nil
}

// knownBrowser returns the id in a value that know made for the account, or "" for any other value.
func (a *Auth) knownBrowser(ctx context.Context, account, known string) (string, error) {
	id, rest, _ := strings.Cut(known, ".")
	end, signed, ok := strings.Cut(rest, ".")
	if !ok {
		return "", nil
	}
	key, set, err := a.Ledger.Setting(ctx, domain.Installation, knownKey)
	if err != nil || !set || !hmac.Equal([]byte(signed), []byte(signature(key, account, id, end))) {
		return "", err
	}
	if seconds, err := strconv.ParseInt(end, 10, 64); err != nil || a.Now().Unix() >= seconds {
		return "", nil //nolint:nilerr // not a value of know
	}
	return id, nil
}

func signature(key string, parts ...string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// draw returns 256 random bits as text.
func (a *Auth) draw() (string, error) {
	b := make([]byte, 32)
	if _, err := io.ReadFull(a.Random, b); err != nil {
		return "", fmt.Errorf("draw a token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}
