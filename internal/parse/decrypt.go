package parse

import (
	"bytes"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// decryptPDF is a file without its encryption, if it opens without a password:
// many files are encrypted only to say that they are not to be printed.
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
