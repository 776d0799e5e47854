package connections

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

// A Vault encrypts the keys of models with AES-256-GCM. The address that a key was
// given for is bound to it: who changes the address in the database can't have the
// key sent there.
type Vault struct {
	Secret string    // the setting SECRET_KEY; "" for the key file
	File   string    // path of the key file, made when the first key is encrypted
	Shared bool      // other machines share the database, so that a key file does not do
	Random io.Reader // of which the key file and the nonces are made
}

// version begins what is sealed, so that another way can follow.
const version = "1."

// errSealed is why a key can't be read.
var errSealed = errors.New("connections: the secret is not the one that it was encrypted with")

// seal encrypts the key of a connection.
func (v Vault) seal(c Connection) (string, error) {
	if c.Key == "" {
		return "", nil
	}
	secret, err := v.secret()
	if err != nil {
		return "", err
	}
	box, err := sealer(secret)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, box.NonceSize())
	if _, err := io.ReadFull(v.Random, nonce); err != nil {
		return "", fmt.Errorf("draw a nonce: %w", err)
	}
	return version + base64.RawStdEncoding.EncodeToString(box.Seal(nonce, nonce, []byte(c.Key), c.bound())), nil
}

// open decrypts what seal made of the key of a connection. It tries SECRET_KEY, and
// then the key file, by which keys may have been encrypted before it was set.
func (v Vault) open(c Connection, sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	packed, ok := strings.CutPrefix(sealed, version)
	raw, err := base64.RawStdEncoding.DecodeString(packed)
	if !ok || err != nil {
		return "", errSealed
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
		box, err := sealer(secret)
		if err != nil {
			return "", err
		}
		if len(raw) < box.NonceSize() {
			break
		}
		if key, err := box.Open(nil, raw[:box.NonceSize()], raw[box.NonceSize():], c.bound()); err == nil {
			return string(key), nil
		}
	}
	return "", errSealed
}

// bound names the server and the role that a key belongs to.
func (c Connection) bound() []byte {
	return []byte(string(c.Role) + "\x00" + c.Server + "\x00" + c.Address)
}

func sealer(secret string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "clew: keys of models", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// secret returns what keys are encrypted with. It makes the key file if there is
// none.
func (v Vault) secret() (string, error) {
	if v.Secret != "" {
		return v.Secret, nil
	}
	if v.Shared {
		return "", domain.Errorf(domain.Invalid, "With DATABASE_URL several processes read the keys of connections. Set SECRET_KEY to the same long random text for all of them, for example from openssl rand -hex 32, start them again, and then connect the model.")
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
		return "", domain.Errorf(domain.Invalid, "The key file %s is damaged. Restore it from a copy, or delete it and connect the models again.", v.File)
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
	return domain.Because(domain.Invalid, err, "The key file %s can't be used: %v. Keys of models are encrypted with it, or with the setting SECRET_KEY.", path, err)
}
