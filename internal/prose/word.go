package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// Token is a word or a sign in a text. White space is not a token.
type Token struct {
	Text string
	Span domain.Span
	Word bool // has a letter or digit; otherwise a single sign
	at   int  // byte offset in the text
}

func (t Token) end() int { return t.at + len(t.Text) }

// Words returns the words of text in order: runs of letters, marks and digits,
// including inner apostrophes and hyphens and the full stops of initials,
// abbreviations and versions ("St.", "U.S.", "v3.28.0"). In scripts written without spaces, each
// character is a word.
func Words(text string) []Token {
	return slices.DeleteFunc(Tokens(text), func(t Token) bool { return !t.Word })
}

// Tokens returns the words and signs of text in order.
func Tokens(text string) []Token {
	tokens := make([]Token, 0, len(text)/5+1)
	s := scanner{text: text}
	for s.at < len(s.text) {
		if t, ok := s.next(); ok {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// scanner walks over a text and counts code points.
type scanner struct {
	text string
	at   int // bytes
	rune int // code points
}

func (s *scanner) peek() (rune, int) { return utf8.DecodeRuneInString(s.text[s.at:]) }

func (s *scanner) step(width int) { s.at, s.rune = s.at+width, s.rune+1 }

// next returns the next token, or skips one white space.
func (s *scanner) next() (Token, bool) {
	from, first := s.at, s.rune
	r, w := s.peek()
	s.step(w)
	if unicode.IsSpace(r) {
		return Token{}, false
	}
	word := isWordRune(r)
	if word && !isUnspaced(r) {
		s.restOfWord(from)
	}
	return Token{Text: s.text[from:s.at], Span: domain.Span{Start: first, End: s.rune}, Word: word, at: from}, true
}

// restOfWord advances past the word that started at byte from.
func (s *scanner) restOfWord(from int) {
	for s.at < len(s.text) {
		r, w := s.peek()
		switch {
		case isWordRune(r) && !isUnspaced(r):
			s.step(w)
		case isJoint(r) && s.wordFollows(w), r == ',' && s.thousandsFollow(from):
			s.step(w)
		case r == '.' && s.dotBelongs(s.text[from:s.at]):
			s.step(w)
		default:
			return
		}
	}
}

// isJoint reports whether r can join two parts of a word.
func isJoint(r rune) bool { return isApostrophe(r) || r == '-' || r == '‐' || r == '‑' }

// wordFollows reports whether a letter or digit is n bytes ahead.
func (s *scanner) wordFollows(n int) bool {
	r, _ := utf8.DecodeRuneInString(s.text[s.at+n:])
	return isWordRune(r) && !isUnspaced(r)
}

// thousandsFollow reports whether the comma at the current position groups the
// digits of the number that started at byte from.
func (s *scanner) thousandsFollow(from int) bool {
	rest := s.text[s.at+1:]
	return isNumber(s.text[from:s.at]) && len(rest) >= 3 && isDigits(rest[:3]) && (len(rest) == 3 || rest[3] < '0' || rest[3] > '9')
}

// dotBelongs reports whether the full stop after word is part of it: it is
// between letters or digits, or ends an initial or abbreviation.
func (s *scanner) dotBelongs(word string) bool {
	if s.wordFollows(1) {
		return len(word) == 1 || strings.Contains(word, ".") || isNumber(word) || isDigits(word[len(word)-1:]) && isDigits(s.text[s.at+1:s.at+2])
	}
	return isAbbreviation(word) && !s.lastOfText()
}

// lastOfText reports whether only signs and spaces follow.
func (s *scanner) lastOfText() bool {
	return strings.IndexFunc(s.text[s.at:], isWordRune) < 0
}

// isAbbreviation reports whether word, followed by a full stop, is one or more
// initials or a known abbreviation.
func isAbbreviation(word string) bool {
	if len(word) == 1 {
		return 'A' <= word[0] && word[0] <= 'Z'
	}
	if strings.Contains(word, ".") && !isNumber(word) {
		return true
	}
	return abbreviations[strings.ToLower(word)] || endsInInitial(word)
}

// endsInInitial reports whether a word ends in an initial after a hyphen:
// "Hans-J".
func endsInInitial(word string) bool {
	n := len(word)
	return n > 2 && word[n-2] == '-' && 'A' <= word[n-1] && word[n-1] <= 'Z' && IsCapitalised(word)
}

func isNumber(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < '0' || c > '9') && c != '.' && c != ',' {
			return false
		}
	}
	return true
}

// isUnspaced reports whether r belongs to a script written without spaces.
func isUnspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
