package parse

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// decode converts data to UTF-8, with a warning if it was not. A person may have chosen its
// encoding, and the file may declare one; else its bytes suggest it.
func decode(data []byte, chosen *Encoding, declared string) (text, warning string, err error) {
	if chosen != nil {
		text = chosen.decode(data)
		if strings.Contains(text, "\uFFFD") {
			warning = fmt.Sprintf("This file has bytes that %s does not have; they are shown as \uFFFD. %s", chosen.Title, domain.ChooseEncoding)
		}
	} else {
		g := guessEncoding(data)
		if g.of == nil {
			return "", "", errBinary()
		}
		text, warning = g.read(data, declared)
	}
	if looksBinary([]byte(text)) {
		return "", "", errBinary()
	}
	return text, warning, nil
}

// read converts data as guessed, or from the encoding that it declares if that reads well.
func (g guess) read(data []byte, declared string) (text, warning string) {
	switch name := g.of.Name; {
	case name == "utf-8" && g.told:
		return string(bytes.TrimPrefix(bytes.ToValidUTF8(data, []byte("\uFFFD")), []byte("\uFEFF"))), ""
	case g.told && encodingOf(declared) == g.of:
		return g.of.decode(data), ""
	case g.told:
		return g.of.decode(data), fmt.Sprintf("This file is not UTF-8; it was read as %s.", g.of.Title)
	case name == "utf-8":
		return g.of.decode(bytes.TrimPrefix(data, []byte("\uFEFF"))), "This file is not quite UTF-8; bytes that could not be read are shown as \uFFFD. " + domain.ChooseEncoding
	}
	said := encodingOf(declared)
	if said == nil {
		return g.of.decode(data), g.readAs()
	}
	if said.fits(data, g) {
		return said.decode(data), ""
	}
	return g.of.decode(data), fmt.Sprintf("This file says that it is %s, but it reads like %s and was read so. %s", said.Title, g.of.Title, domain.ChooseEncoding)
}

// fits reports whether data may be in the encoding that it declares, where another was guessed.
func (e *Encoding) fits(data []byte, g guess) bool {
	if e == g.of {
		return true
	}
	sample := sampleOf(data)
	text := e.decode(sample)
	if e.langs == nil {
		return !strings.Contains(strings.TrimSuffix(text, "\uFFFD"), "\uFFFD") && !strings.ContainsFunc(text, notText)
	}
	beyond := 0
	for _, b := range sample {
		if b >= utf8.RuneSelf {
			beyond++
		}
	}
	more := costOf(text, e, math.Inf(1)) - float64(e.tells) - g.cost*float64(len(sample))
	return more <= max(10, 2*float64(beyond))
}

// declarations are how files say in which encoding they are: XML, style sheets, source code.
var declarations = regexp.MustCompile(`(?i)^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([-\w.:]{2,40})["']|^@charset "([-\w.:]{2,40})"|^(?:#[^\n]{0,200}\n)?#[^\n]{0,100}coding[:=]\s*([-\w.]{2,40})`)

// declaredIn returns the encoding that a file declares, or "".
func declaredIn(data []byte) string {
	m := declarations.FindSubmatch(data[:min(len(data), 1024)])
	for i := 1; i < len(m); i++ {
		if len(m[i]) > 0 {
			return string(m[i])
		}
	}
	return ""
}

// decodeText converts text to UTF-8, with a warning if it was not.
func decodeText(w *writer, data []byte) (string, error) {
	return decodeDeclared(w, data, declaredIn(data))
}

func decodeDeclared(w *writer, data []byte, declared string) (string, error) {
	s, warning, err := decode(data, w.encoding, declared)
	if warning != "" {
		w.warn(warning)
	}
	return s, err
}

func errBinary() error {
	return domain.Errorf(domain.Invalid, "This file holds binary data, not text. %s", Readable())
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

// mostlyUTF8 reports whether data may be damaged UTF-8: it has so many times more multi-byte
// characters than invalid bytes.
func mostlyUTF8(data []byte, times int) bool {
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
	return good > times*bad
}
