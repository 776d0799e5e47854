package pdf_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/clewhq/clew/internal/read/parse/pdf"
)

// encrypt encrypts a file as conf says.
func encrypt(t *testing.T, data string, conf *model.Configuration) []byte {
	t.Helper()
	conf.ValidationMode = model.ValidationRelaxed
	var out bytes.Buffer
	if err := api.Encrypt(strings.NewReader(data), &out, conf); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestEncrypted is not parallel, because pdfcpu keeps its configuration in
// variables.
func TestEncrypted(t *testing.T) {
	api.DisableConfigDir()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "columns.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	plain := string(data)
	want := pages(t, plain)
	for name, conf := range map[string]func(user string) *model.Configuration{
		"RC4, 40 bits":  func(user string) *model.Configuration { return model.NewRC4Configuration(user, "owner", 40) },
		"RC4, 128 bits": func(user string) *model.Configuration { return model.NewRC4Configuration(user, "owner", 128) },
		"AES, 128 bits": func(user string) *model.Configuration { return model.NewAESConfiguration(user, "owner", 128) },
		"AES, 256 bits": func(user string) *model.Configuration { return model.NewAESConfiguration(user, "owner", 256) },
	} {
		t.Run(name, func(t *testing.T) {
			sealed := encrypt(t, plain, conf(""))
			wrongStart := bytes.Replace(sealed, []byte("startxref\n"), []byte("startxref\n9"), 1)
			for what, data := range map[string][]byte{"whole": sealed, "damaged": wrongStart} {
				if diff := cmp.Diff(want, pages(t, string(data))); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if _, err := pdf.Open(encrypt(t, plain, conf("secret")), 1<<20); !errors.Is(err, pdf.ErrPassword) {
				t.Errorf("with a password: %v, want ErrPassword", err)
			}
		})
	}
}
