// Package auth manages accounts and their sessions, and checks passwords.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/clewhq/clew/internal/domain"
)

// The cost of one hash, after RFC 9106, section 4 (the second recommended
// option, with less memory and more passes): 19 MiB, two passes, about 50 ms.
const (
	memoryKiB = 19 * 1024
	passes    = 2
	lanes     = 1
	saltBytes = 16
	hashBytes = 32
)

// maxWaiting is how many hashes may wait for their turn, for each that runs at
// once: two seconds.
const maxWaiting = 32

// A Hasher hashes passwords. It limits how many hashes run and wait at once,
// because each takes 19 MiB and everybody can open the login page.
type Hasher struct {
	random io.Reader
	memory uint32        // in KiB; tests use less
	places chan struct{} // for hashes running or waiting
	slots  chan struct{} // for running hashes
}

// NewHasher returns a hasher that draws salts from random, crypto/rand when nil,
// and runs at most atOnce hashes at the same time.
func NewHasher(random io.Reader, atOnce int) *Hasher {
	if random == nil {
		random = rand.Reader
	}
	atOnce = max(1, atOnce)
	return &Hasher{random, memoryKiB, make(chan struct{}, atOnce*(1+maxWaiting)), make(chan struct{}, atOnce)}
}

func (h *Hasher) prefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, h.memory, passes, lanes)
}

// Hash returns the string to store for a password: algorithm, cost, salt and hash
// in the usual $-separated form. The error is TooMany if too many wait.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt, err := h.draw(saltBytes)
	if err != nil {
		return "", err
	}
	sum, err := h.sum(ctx, password, salt)
	return h.encoded(salt, sum), err
}

// decoy returns a string as Hash does that no password has. Refusing a name
// without an account then takes as long as refusing a wrong password.
func (h *Hasher) decoy() (string, error) {
	b, err := h.draw(saltBytes + hashBytes)
	if err != nil {
		return "", err
	}
	return h.encoded(b[:saltBytes], b[saltBytes:]), nil
}

func (h *Hasher) encoded(salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return h.prefix() + b64.EncodeToString(salt) + "$" + b64.EncodeToString(sum)
}

// Matches reports whether Hash made stored from password. The error is TooMany if
// too many wait, and the context's if it ends before its turn.
func (h *Hasher) Matches(ctx context.Context, password, stored string) (bool, error) {
	salt, want, ok := h.decoded(stored)
	if !ok {
		return false, nil
	}
	sum, err := h.sum(ctx, password, salt)
	return err == nil && subtle.ConstantTimeCompare(sum, want) == 1, err
}

func (h *Hasher) decoded(stored string) (salt, sum []byte, ok bool) {
	rest, ok := strings.CutPrefix(stored, h.prefix())
	salt64, sum64, cut := strings.Cut(rest, "$")
	salt, err1 := base64.RawStdEncoding.DecodeString(salt64)
	sum, err2 := base64.RawStdEncoding.DecodeString(sum64)
	return salt, sum, ok && cut && err1 == nil && err2 == nil && len(sum) == hashBytes
}

func (h *Hasher) draw(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(h.random, b); err != nil {
		return nil, fmt.Errorf("draw a salt: %w", err)
	}
	return b, nil
}

// sum hashes when it is its turn, unless ctx ends before.
func (h *Hasher) sum(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case h.places <- struct{}{}:
	default:
		return nil, domain.TooManyf(5*time.Second, "Too many people are signing in right now. Try again in 5 seconds.")
	}
	defer func() { <-h.places }()
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(password), salt, passes, h.memory, lanes, hashBytes), nil
}
