package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Key returns the normal form of a name, shared by all its spellings. It folds
// compatibility forms, case, diacritics and punctuation, separates words by one
// space, drops possessive endings and a leading "the", and spells "&" as "and".
// Letters of every script stay. A name without letters or digits keeps its
// signs, so that only a blank name has an empty key. Key is idempotent.
func Key(name string) string {
	folded := fold(name)
	key := make([]byte, 0, len(folded))
	gap := false
	for i, w := 0, 0; i < len(folded); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(folded[i:])
		switch {
		case isWordRune(r) || isTrailingSign(r, key, gap):
			if gap && len(key) > 0 {
				key = append(key, ' ')
			}
			gap = false
			key = append(key, folded[i:i+w]...)
		case r == '&':
			if len(key) > 0 {
				key = append(key, ' ')
			}
			key = append(key, "and"...)
			gap = true
		case isApostrophe(r) && !gap && len(key) > 0 && isPossessive(folded[i+w:]):
			w++ // the s
		default:
			gap = true
		}
	}
	if len(key) == 0 {
		return strings.Join(strings.Fields(folded), " ")
	}
	return dropArticle(string(key))
}

// dropArticle removes leading articles unless nothing would be left.
func dropArticle(key string) string {
	for strings.HasPrefix(key, "the ") {
		key = key[len("the "):]
	}
	return key
}

// isTrailingSign reports whether r is a sign that distinguishes names when it
// follows a letter: C, C++ and C#.
func isTrailingSign(r rune, key []byte, gap bool) bool {
	return (r == '+' || r == '#') && !gap && len(key) > 0
}

// isPossessive reports whether rest, which follows an apostrophe, is an s that
// ends a word.
func isPossessive(rest string) bool {
	if rest == "" || rest[0] != 's' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest[1:])
	return !isWordRune(r)
}

// fold lowers case and removes compatibility forms and diacritics.
func fold(s string) string {
	if isPlain(s) {
		return strings.ToLower(s)
	}
	s = strings.ToLower(norm.NFKC.String(partPowers(s)))
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if r < 0x300 || r > 0x36f { // the combining diacritical marks
			if plain, ok := plainLetters[r]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return norm.NFKC.String(b.String())
}

// partPowers puts a space between figures and a power of them, which would be one
// number without its compatibility form.
func partPowers(s string) string {
	if !strings.ContainsAny(s, powers) {
		return s
	}
	var b strings.Builder
	figure := false
	for _, r := range s {
		if figure && strings.ContainsRune(powers, r) {
			b.WriteByte(' ')
		}
		figure = r >= '0' && r <= '9'
		b.WriteRune(r)
	}
	return b.String()
}

const powers = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"

// plainLetters maps letters whose diacritic does not decompose.
var plainLetters = map[rune]string{
	'ß': "ss", 'ø': "o", 'ł': "l", 'æ': "ae", 'œ': "oe", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t",
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }
