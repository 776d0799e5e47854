package connections

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func vault(t *testing.T) Vault {
	t.Helper()
	return Vault{File: filepath.Join(t.TempDir(), "secret.key"), Random: rand.Reader}
}

var secured = Connection{Role: Answer, Server: "openai", Address: "https://api.openai.com/v1", Model: "m", Key: "sk-quorlibet-77"}

func TestAKeyIsOnlyReadWithItsSecret(t *testing.T) {
	t.Parallel()
	v := vault(t)
	sealed, err := v.seal(secured)
	if err != nil || strings.Contains(sealed, "quorlibet") {
		t.Fatalf("sealed %q, error %v", sealed, err)
	}
	if again, _ := v.seal(secured); again == sealed {
		t.Error("the same key is encrypted to the same text twice")
	}
	if key, err := v.open(secured, sealed); key != secured.Key || err != nil {
		t.Errorf("got %q, error %v", key, err)
	}
	info, err := os.Stat(v.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file has mode %v, error %v", info.Mode(), err)
	}
	other := vault(t)
	if key, err := other.open(secured, sealed); err == nil || key != "" {
		t.Errorf("without the key file it is %q", key)
	}
	if _, err := other.seal(secured); err != nil {
		t.Fatal(err)
	}
	if key, err := other.open(secured, sealed); err == nil || key != "" {
		t.Errorf("with another key file it is %q", key)
	}
	for _, broken := range []string{"x", version + "!", version + "AAAA", sealed[:len(sealed)-4], strings.Replace(sealed, version, "2.", 1)} {
		if key, err := v.open(secured, broken); err == nil || key != "" {
			t.Errorf("%q is read as %q", broken, key)
		}
	}
}

// TestAKeyIsBoundToItsAddress moves what is stored for one address to others, as
// somebody could who may write to the database.
func TestAKeyIsBoundToItsAddress(t *testing.T) {
	t.Parallel()
	v := vault(t)
	sealed, err := v.seal(secured)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*Connection){
		func(c *Connection) { c.Address = "https://api.openai.com.example.net/v1" },
		func(c *Connection) { c.Server = "other" },
		func(c *Connection) { c.Role = Embed },
	} {
		c := secured
		change(&c)
		if key, err := v.open(c, sealed); err == nil || key != "" {
			t.Errorf("%+v gets the key %q", c, key)
		}
	}
}

func TestSecretKeyGoesBeforeTheFile(t *testing.T) {
	t.Parallel()
	v := vault(t)
	byFile, err := v.seal(secured)
	if err != nil {
		t.Fatal(err)
	}
	v.Secret = strings.Repeat("s", 32)
	bySecret, err := v.seal(secured)
	if err != nil {
		t.Fatal(err)
	}
	for _, sealed := range []string{byFile, bySecret} {
		if key, err := v.open(secured, sealed); key != secured.Key || err != nil {
			t.Errorf("got %q, error %v", key, err)
		}
	}
	if err := os.Remove(v.File); err != nil {
		t.Fatal(err)
	}
	if key, err := v.open(secured, bySecret); key != secured.Key || err != nil {
		t.Errorf("without the file: got %q, error %v", key, err)
	}
	if _, err := os.Stat(v.File); err == nil {
		t.Error("a key file was made beside SECRET_KEY")
	}
}

func TestAKeyFileIsMadeOnceAndWhole(t *testing.T) {
	t.Parallel()
	v := vault(t)
	v.Random = bytes.NewReader(nil)
	if _, err := v.seal(secured); err == nil {
		t.Error("a key without randomness")
	}
	if _, err := os.Stat(v.File); err == nil {
		t.Error("half a key file is left")
	}
	v.Random = rand.Reader
	v.Shared = true
	if _, err := v.seal(secured); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "SECRET_KEY") {
		t.Errorf("with several machines: %v", err)
	}
	v.Shared = false
	if err := os.WriteFile(v.File, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := v.seal(secured); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("with a damaged file: %v", err)
	}
	if _, err := v.make(); err == nil {
		t.Error("the file of another process is overwritten")
	}
}
