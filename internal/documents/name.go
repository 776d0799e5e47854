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

// maxPath is the longest path of a document within its folder in code points.
const maxPath = 1000

// SafePath returns the path of a file within a folder safe to store and print: the names of the folders and of the file, each
// as SafeName returns it, with slashes between them. A path that is too long, or of which no file's name is left, is Invalid.
func SafePath(name string) (string, error) {
	elements := strings.Split(path.Clean("/"+strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/")), "/")
	var safe []string
	for i, element := range elements {
		element, err := SafeName(element)
		if err == nil {
			safe = append(safe, element)
		} else if i == len(elements)-1 {
			return "", err
		}
	}
	name = strings.Join(safe, "/")
	if len([]rune(name)) > maxPath {
		return "", domain.Errorf(domain.Invalid, "The path of the file in its folder has more than %d characters: move it up, or shorten the names.", maxPath)
	}
	return name, nil
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
