package extract

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// unicode reads an escape of the form \uXXXX, or two that make one character.
func (r *reader) unicode(b *strings.Builder) {
	first, ok := hex4(r.rest)
	if !ok {
		b.WriteByte('u')
		r.rest = r.rest[2:]
		return
	}
	r.rest = r.rest[6:]
	if utf16.IsSurrogate(first) {
		if second, ok := hex4(r.rest); ok {
			if both := utf16.DecodeRune(first, second); both != '\uFFFD' {
				b.WriteRune(both)
				r.rest = r.rest[6:]
				return
			}
		}
		first = '\uFFFD'
	}
	b.WriteRune(first)
}

// hex4 is the character of an escape at the beginning of s.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
