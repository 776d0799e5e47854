package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstWord returns the length in bytes of the first word of a text that is not empty.
// Words are those of the vocabulary's splitter, whose pattern is
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// The general engine for such patterns takes several times as long.
func firstWord(text string) int {
	if n := shortForm(text); n > 0 {
		return n
	}
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	rest := text[size:]
	switch {
	case unicode.IsLetter(first), !isBreak(first) && !unicode.IsNumber(first) && rest != "" && unicode.IsLetter(second):
		return size + run(rest, unicode.IsLetter, len(text))
	case unicode.IsNumber(first):
		return size + run(rest, unicode.IsNumber, 2)
	case isSign(first), first == ' ' && rest != "" && isSign(second):
		n := size + run(rest, isSign, len(text))
		return n + run(text[n:], isBreak, len(text))
	}
	return space(text)
}

// shortForm returns the length of a short form in English that a text begins with, such as 's, or 0.
func shortForm(text string) int {
	if text[0] != '\'' {
		return 0
	}
	for _, form := range [...]string{"s", "t", "re", "ve", "m", "ll", "d"} {
		if n := 1 + len(form); len(text) >= n && strings.EqualFold(text[1:n], form) {
			return n
		}
	}
	return 0
}

// space returns the length of the first part of the white space that a text begins with: up to its last line break, or
// but for the last character, which belongs to what follows.
func space(text string) int {
	n := run(text, unicode.IsSpace, len(text))
	if at := strings.LastIndexAny(text[:n], "\r\n"); at >= 0 {
		return at + 1
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); n < len(text) && n > last {
		return n - last
	}
	return n
}

// run returns the length of the first characters of a text that are of a kind, at most so many.
func run(text string, of func(rune) bool, most int) int {
	for i, r := range text {
		if most == 0 || !of(r) {
			return i
		}
		most--
	}
	return len(text)
}

func isBreak(r rune) bool { return r == '\r' || r == '\n' }

// isSign reports whether r is no letter, number or space.
func isSign(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsSpace(r) }
