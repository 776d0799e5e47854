package parse

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	xunicode "golang.org/x/text/encoding/unicode"

	"github.com/clewhq/clew/internal/domain"
)

// decode converts data to UTF-8, with a warning if it was not. UTF-16 is recognised by its byte
// order mark; other text is taken for Windows-1252, a superset of Latin-1.
func decode(data []byte) (text, warning string, err error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}), bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		decoder := xunicode.UTF16(xunicode.LittleEndian, xunicode.ExpectBOM).NewDecoder()
		utf8, err := decoder.Bytes(data)
		if err != nil || looksBinary(utf8) {
			return "", "", errBinary()
		}
		return string(utf8), "This file is not UTF-8; it was read as UTF-16.", nil
	case looksBinary(data):
		return "", "", errBinary()
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if utf8.Valid(data) {
		return string(data), "", nil
	}
	if mostlyUTF8(data) {
		return strings.ToValidUTF8(string(data), "\uFFFD"), "This file is not quite UTF-8; bytes that could not be read are shown as \uFFFD.", nil
	}
	latin, err := charmap.Windows1252.NewDecoder().Bytes(data)
	if err != nil {
		return "", "", errBinary()
	}
	return string(latin), "This file is not UTF-8; it was read as Windows-1252 (Latin-1).", nil
}

func errBinary() error {
	return domain.Errorf(domain.Invalid, "This file holds binary data, not text. %s", Readable)
}

// looksBinary reports whether data holds a NUL, or more control characters than the few that old
// programs leave in text.
func looksBinary(data []byte) bool {
	controls := 0
	for _, b := range data {
		switch {
		case b == 0:
			return true
		case b < 0x20 && !strings.ContainsRune("\t\n\v\f\r\x1b\x1a\b", rune(b)):
			controls++
		}
	}
	return controls > len(data)/100+4
}

// mostlyUTF8 reports whether data is slightly damaged UTF-8: it has far more multi-byte characters
// than invalid bytes.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good++
		}
		data = data[size:]
	}
	return good > 4*bad
}
