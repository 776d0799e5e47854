// Package vault encrypts secrets that the database must not reveal, with the key file in the data folder or
// SECRET_KEY.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// A Vault encrypts texts with AES-256-GCM. Each is bound to a context, such as the address that a key is sent to: a
// text whose context is changed in the database can't be decrypted.
type Vault struct {
	Secret string    // the setting SECRET_KEY; "" for the key file
	File   string    // path of the key file, created when the first text is encrypted
	Shared bool      // other machines share the database, so a key file is not enough
	Random io.Reader // for the key file and the nonces
}

// version begins what is sealed, so that another way can follow.
const version = "1."

// ErrSealed is the error for a text that can't be decrypted.
var ErrSealed = errors.New("vault: the secret is not the one that it was encrypted with")

// A Purpose is a kind of texts. Each kind is encrypted with a key of its own.
type Purpose string

// The purposes.
const (
	Models      Purpose = "clew: keys of models"
	SecondSteps Purpose = "clew: second steps"
	Sources     Purpose = "clew: passwords of sources"
)

// Seal encrypts a text and binds it to bound. An empty text stays empty.
func (v Vault) Seal(p Purpose, text string, bound ...string) (string, error) {
	if text == "" {
		return "", nil
	}
	secret, err := v.secret()
	if err != nil {
		return "", err
	}
	box, err := p.sealer(secret)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, box.NonceSize())
	if _, err := io.ReadFull(v.Random, nonce); err != nil {
		return "", fmt.Errorf("draw a nonce: %w", err)
	}
	return version + base64.RawStdEncoding.EncodeToString(box.Seal(nonce, nonce, []byte(text), join(bound))), nil
}

// Open decrypts what Seal returned for the same purpose and bound. It tries SECRET_KEY, and then the key file, with which
// texts may have been encrypted before it was set. The error is ErrSealed if neither does.
func (v Vault) Open(p Purpose, sealed string, bound ...string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	packed, ok := strings.CutPrefix(sealed, version)
	raw, err := base64.RawStdEncoding.DecodeString(packed)
	if !ok || err != nil {
		return "", ErrSealed
	}
	var secrets []string
	if v.Secret != "" {
		secrets = append(secrets, v.Secret)
	}
	kept, err := v.read()
	switch {
	case err == nil:
		secrets = append(secrets, kept)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	for _, secret := range secrets {
		box, err := p.sealer(secret)
		if err != nil {
			return "", err
		}
		if len(raw) < box.NonceSize() {
			break
		}
		if text, err := box.Open(nil, raw[:box.NonceSize()], raw[box.NonceSize():], join(bound)); err == nil {
			return string(text), nil
		}
	}
	return "", ErrSealed
}

func join(bound []string) []byte { return []byte(strings.Join(bound, "\x00")) }

func (p Purpose) sealer(secret string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, string(p), 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// secret returns the key that encrypts texts. It makes the key file if there is none.
func (v Vault) secret() (string, error) {
	if v.Secret != "" {
		return v.Secret, nil
	}
	if v.Shared {
		return "", domain.Errorf(domain.Invalid, "With DATABASE_URL several processes read what is encrypted. Set SECRET_KEY to the same long random text for all of them, for example from openssl rand -hex 32, start them again, and then try again.")
	}
	kept, err := v.read()
	if errors.Is(err, fs.ErrNotExist) {
		return v.make()
	}
	return kept, err
}

// fileBytes is how many random bytes the key file has, as hexadecimal text.
const fileBytes = 32

func (v Vault) read() (string, error) {
	b, err := os.ReadFile(v.File)
	if err != nil {
		return "", unusable(v.File, err)
	}
	secret := strings.TrimSpace(string(b))
	if len(secret) < 2*fileBytes {
		return "", domain.Errorf(domain.Invalid, "The key file %s is damaged. Restore it from a copy, or delete it: models then have to be connected again, and codes for signing in to be set up again.", v.File)
	}
	return secret, nil
}

// make draws the key file. Of two processes that make it at once, one fails.
func (v Vault) make() (string, error) {
	drawn := make([]byte, fileBytes)
	if _, err := io.ReadFull(v.Random, drawn); err != nil {
		return "", fmt.Errorf("draw a key file: %w", err)
	}
	secret := hex.EncodeToString(drawn)
	f, err := os.OpenFile(v.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", unusable(v.File, err)
	}
	_, err = f.WriteString(secret + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", unusable(v.File, errors.Join(err, os.Remove(v.File)))
	}
	return secret, nil
}

func unusable(path string, err error) error {
	return domain.Because(domain.Invalid, err, "The key file %s can't be used: %v. Keys of models and secrets of codes are encrypted with it, or with the setting SECRET_KEY.", path, err)
}
