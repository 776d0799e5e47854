package documents

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
)

// maxName is the longest name of a document in code points.
const maxName = 200

// SafeName returns a file's name safe to store and print: the last element of its path in NFC, without control characters
// and invisible marks, cut to 200 code points before the extension. A name of which nothing is left is Invalid.
func SafeName(name string) (string, error) {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/")
	if name = path.Base(path.Clean("/" + name)); name == "/" {
		name = ""
	}
	name = strings.TrimSpace(norm.NFC.String(strings.Map(printable, name)))
	if strings.Trim(name, ". ") == "" {
		return "", domain.Errorf(domain.Invalid, "The file has no name: give it one and add it again.")
	}
	return shorten(name), nil
}

// printable drops characters that are invisible or change how others are shown.
func printable(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError {
		return -1
	}
	return r
}

func shorten(name string) string {
	runes := []rune(name)
	if len(runes) <= maxName {
		return name
	}
	ext := []rune(path.Ext(name))
	if len(ext) > 10 {
		ext = nil
	}
	return string(runes[:maxName-len(ext)-1]) + "…" + string(ext)
}
