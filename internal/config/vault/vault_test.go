package vault

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func file(t *testing.T) Vault {
	t.Helper()
	return Vault{File: filepath.Join(t.TempDir(), "secret.key"), Random: rand.Reader}
}

const secret = "sk-quorlibet-77"

var bound = []string{"answer", "openai", "https://api.openai.com/v1"}

func TestAKeyIsOnlyReadWithItsSecret(t *testing.T) {
	t.Parallel()
	v := file(t)
	sealed, err := v.Seal(Models, secret, bound...)
	if err != nil || strings.Contains(sealed, "quorlibet") {
		t.Fatalf("sealed %q, error %v", sealed, err)
	}
	if again, _ := v.Seal(Models, secret, bound...); again == sealed {
		t.Error("the same key is encrypted to the same text twice")
	}
	if key, err := v.Open(Models, sealed, bound...); key != secret || err != nil {
		t.Errorf("got %q, error %v", key, err)
	}
	info, err := os.Stat(v.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file has mode %v, error %v", info.Mode(), err)
	}
	other := file(t)
	if key, err := other.Open(Models, sealed, bound...); err == nil || key != "" {
		t.Errorf("without the key file it is %q", key)
	}
	if _, err := other.Seal(Models, secret, bound...); err != nil {
		t.Fatal(err)
	}
	if key, err := other.Open(Models, sealed, bound...); err == nil || key != "" {
		t.Errorf("with another key file it is %q", key)
	}
	for _, broken := range []string{"x", version + "!", version + "AAAA", sealed[:len(sealed)-4], strings.Replace(sealed, version, "2.", 1)} {
		if key, err := v.Open(Models, broken, bound...); err == nil || key != "" {
			t.Errorf("%q is read as %q", broken, key)
		}
	}
}

// TestAKeyIsBoundToItsAddress moves what is stored for one address to others, as
// somebody could who may write to the database.
func TestAKeyIsBoundToItsAddress(t *testing.T) {
	t.Parallel()
	v := file(t)
	sealed, err := v.Seal(Models, secret, bound...)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range [][]string{{"answer", "openai", "https://api.openai.com.example.net/v1"}, {"answer", "other", bound[2]}, {"embed", "openai", bound[2]}, nil} {
		if key, err := v.Open(Models, sealed, other...); err == nil || key != "" {
			t.Errorf("%q gets the key %q", other, key)
		}
	}
	if key, err := v.Open(SecondSteps, sealed, bound...); err == nil || key != "" {
		t.Errorf("for another purpose it is %q", key)
	}
}

func TestSecretKeyGoesBeforeTheFile(t *testing.T) {
	t.Parallel()
	v := file(t)
	byFile, err := v.Seal(Models, secret, bound...)
	if err != nil {
		t.Fatal(err)
	}
	v.Secret = strings.Repeat("s", 32)
	bySecret, err := v.Seal(Models, secret, bound...)
	if err != nil {
		t.Fatal(err)
	}
	for _, sealed := range []string{byFile, bySecret} {
		if key, err := v.Open(Models, sealed, bound...); key != secret || err != nil {
			t.Errorf("got %q, error %v", key, err)
		}
	}
	if err := os.Remove(v.File); err != nil {
		t.Fatal(err)
	}
	if key, err := v.Open(Models, bySecret, bound...); key != secret || err != nil {
		t.Errorf("without the file: got %q, error %v", key, err)
	}
	if _, err := os.Stat(v.File); err == nil {
		t.Error("a key file was made beside SECRET_KEY")
	}
}

func TestAKeyFileIsMadeOnceAndWhole(t *testing.T) {
	t.Parallel()
	v := file(t)
	v.Random = bytes.NewReader(nil)
	if _, err := v.Seal(Models, secret, bound...); err == nil {
		t.Error("a key without randomness")
	}
	if _, err := os.Stat(v.File); err == nil {
		t.Error("half a key file is left")
	}
	v.Random = rand.Reader
	v.Shared = true
	if _, err := v.Seal(Models, secret, bound...); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "SECRET_KEY") {
		t.Errorf("with several machines: %v", err)
	}
	v.Shared = false
	if err := os.WriteFile(v.File, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Seal(Models, secret, bound...); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("with a damaged file: %v", err)
	}
	if _, err := v.make(); err == nil {
		t.Error("the file of another process is overwritten")
	}
}
