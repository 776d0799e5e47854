package parse

import (
	"bytes"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// decryptPDF removes the encryption of a file that opens without a password: many are encrypted
// only to forbid printing.
func decryptPDF(data []byte) ([]byte, error) {
	api.DisableConfigDir() // else the library writes one into the user's home
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = model.ValidationRelaxed
	var out bytes.Buffer
	if err := api.Decrypt(bytes.NewReader(data), &out, conf); err != nil {
		return nil, fmt.Errorf("decrypt: %w", err)
	}
	return out.Bytes(), nil
}
