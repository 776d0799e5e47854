// Package auth manages accounts and checks their passwords. Sessions belong to
// the web package.
package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/argon2"
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

// A Hasher hashes passwords. It limits how many hashes run at once, because each
// takes 19 MiB and everybody can open the login page.
type Hasher struct {
	random io.Reader
	slots  chan struct{}
}

// NewHasher returns a hasher that draws salts from random, crypto/rand when nil,
// and runs at most atOnce hashes at the same time.
func NewHasher(random io.Reader, atOnce int) *Hasher {
	if random == nil {
		random = rand.Reader
	}
	return &Hasher{random, make(chan struct{}, max(1, atOnce))}
}

// Hash returns the string to store for a password: algorithm, cost, salt and hash
// in the usual $-separated form.
func (h *Hasher) Hash(password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(h.random, salt); err != nil {
		return "", fmt.Errorf("draw a salt: %w", err)
	}
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memoryKiB, passes, lanes,
		b64.EncodeToString(salt), b64.EncodeToString(h.key(password, salt, hashBytes))), nil
}

// Matches reports whether Hash made stored from password.
func (h *Hasher) Matches(password, stored string) bool {
	prefix := fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, memoryKiB, passes, lanes)
	rest, ok := strings.CutPrefix(stored, prefix)
	if !ok {
		return false
	}
	salt64, hash64, ok := strings.Cut(rest, "$")
	if !ok {
		return false
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(salt64)
	want, err2 := base64.RawStdEncoding.DecodeString(hash64)
	if err1 != nil || err2 != nil || len(want) != hashBytes {
		return false
	}
	return subtle.ConstantTimeCompare(h.key(password, salt, hashBytes), want) == 1
}

func (h *Hasher) key(password string, salt []byte, n uint32) []byte {
	h.slots <- struct{}{}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(password), salt, passes, memoryKiB, lanes, n)
}
