// Package prose implements rules of written language: where sentences end, what the words are, which
// words are names, and when two names are spelt alike. The same text always gives the same result, and
// it is fast enough to run over every passage of a library. Its word lists are English; text in other
// languages and scripts passes through unharmed.
package prose

import (
	"regexp"
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
	Word bool // has a letter or digit; if false, it is a single sign
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

// Sentences returns the sentences of text in order, without the white space
// between them. A line without an end mark (a heading, a list item, a table
// row, a note) is a sentence too, unless it was wrapped: the next line
// continues in lower case, and the lines of the paragraph are full.
func Sentences(text string) []domain.Span {
	s := splitter{text: text, tight: -1}
	for at, r := range text {
		s.read(at, r)
		s.runes++
	}
	s.cut(s.tightEnd())
	return s.spans
}

// splitter finds the ends of sentences in one pass.
type splitter struct {
	text  string
	runes int // code points before the current one
	spans []domain.Span

	start     int // first code point of the open sentence
	startByte int
	open      bool
	tight     int // code point of the last non-space character; -1 if none

	skip int // bytes processed so far

	measured int  // end of the last paragraph measured, in bytes
	wrapped  bool // its lines were wrapped
}

func (s *splitter) tightEnd() int { return s.tight + 1 }

// read processes the character r at byte at.
func (s *splitter) read(at int, r rune) {
	if at < s.skip {
		s.tight = s.runes
		return
	}
	if unicode.IsSpace(r) {
		if r == '\n' && s.open && s.lineEnds(at) {
			s.cut(s.tightEnd())
		}
		return
	}
	if !s.open {
		s.open, s.start, s.startByte = true, s.runes, at
	}
	s.tight = s.runes
	if isEndMark(r) {
		s.mark(at, r)
	}
}

// cut closes the open sentence before the code point end.
func (s *splitter) cut(end int) {
	if s.open && end > s.start {
		s.spans = append(s.spans, domain.Span{Start: s.start, End: end})
	}
	s.open = false
}

// lineEnds reports whether the line break at byte at separates two sentences.
func (s *splitter) lineEnds(at int) bool {
	rest := strings.TrimLeft(s.text[at+1:], " \t\r")
	if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsLower(r) {
		return true
	}
	line := s.text[strings.LastIndexByte(s.text[:at], '\n')+1 : at]
	next, _, _ := strings.Cut(rest, "\n")
	return domain.IsRow(line) || domain.IsRow(next) || label.MatchString(line) && label.MatchString(next) || !s.wraps(at)
}

// label matches a line that begins with its subject, in up to three words: "spare key: with Mrs Okafor".
var label = regexp.MustCompile(`^\s*[\pL\d]\S*( \S+){0,2}:(\s|$)`)

// wraps reports whether the lines of the paragraph around the line break at byte at were wrapped.
func (s *splitter) wraps(at int) bool {
	if at >= s.measured {
		begin := s.measured
		if i := strings.LastIndex(s.text[begin:at], "\n\n"); i >= 0 {
			begin += i + 2
		}
		s.measured = len(s.text)
		if i := strings.Index(s.text[at:], "\n\n"); i >= 0 {
			s.measured = at + i
		}
		s.wrapped = isWrapped(strings.Split(s.text[begin:s.measured], "\n"))
	}
	return s.wrapped
}

// isWrapped reports whether the lines of a paragraph are full, but for the last and a quarter of the others: the first word
// of the next would hardly have fitted.
func isWrapped(lines []string) bool {
	width, short := 0, 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l))
	}
	for i, next := range lines[1:] {
		word, _, _ := strings.Cut(strings.TrimSpace(next), " ")
		if 5*(utf8.RuneCountInString(lines[i])+1+utf8.RuneCountInString(word)) <= 4*width {
			short++
		}
	}
	return 4*short <= len(lines)-1
}

// mark decides whether the end mark at byte at closes the sentence.
func (s *splitter) mark(at int, r rune) {
	end := at + utf8.RuneLen(r)
	width := 1 // code points from the mark through its closing marks
	for end < len(s.text) {
		c, w := utf8.DecodeRuneInString(s.text[end:])
		if !isEndMark(c) && !isCloser(c) {
			break
		}
		end, width = end+w, width+1
	}
	end, width = s.afterNote(end, width)
	if !isWideMark(r) && s.goesOn(at, end, r) {
		return
	}
	s.skip = end
	s.cut(s.runes + width)
	s.tight = s.runes
}

// afterNote skips the mark of a note, as in "in 1960.[2]" and "in 1960.[^2]".
func (s *splitter) afterNote(end, width int) (int, int) {
	rest := s.text[end:]
	for strings.HasPrefix(rest, "[") {
		n := strings.IndexByte(rest, ']')
		if mark := rest[1:max(n, 1)]; n < 2 || n > 6 || !strings.HasPrefix(mark, "^") && !isNumber(mark) {
			break
		}
		end, width, rest = end+n+1, width+utf8.RuneCountInString(rest[:n+1]), rest[n+1:]
	}
	return end, width
}

// goesOn reports whether the sentence continues after the mark r at byte at,
// whose closing marks end at byte end.
func (s *splitter) goesOn(at, end int, r rune) bool {
	if end >= len(s.text) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s.text[end:])
	if !unicode.IsSpace(next) {
		return true
	}
	rest := strings.TrimLeft(s.text[end:], " \t\n\r\u00a0")
	first, _ := utf8.DecodeRuneInString(rest)
	if unicode.IsLower(first) || isLooseCloser(rest) {
		return true
	}
	if r != '.' {
		return false
	}
	return s.abbreviates(s.lastWord(at), rest) || end == at+1 && s.endsOrdinal(at, rest)
}

// isLooseCloser reports whether rest starts with a closing quotation mark
// despite the space before it.
func isLooseCloser(rest string) bool {
	return len(rest) > 1 && rest[0] == '"' && (rest[1] == ' ' || rest[1] == ',' || rest[1] == ';') && len(strings.TrimSpace(rest)) > 2 &&
		!IsCapitalised(strings.TrimLeft(rest[1:], " "))
}

// lastWord returns the word before byte at, back to the last space or opening
// sign in the sentence.
func (s *splitter) lastWord(at int) string {
	word := s.text[s.startByte:at]
	if i := strings.LastIndexAny(word, " \t\n\u00a0([\"“‘'"); i >= 0 {
		_, w := utf8.DecodeRuneInString(word[i:])
		word = word[i+w:]
	}
	return word
}

// abbreviates reports whether the full stop between word and rest belongs to
// word alone.
func (s *splitter) abbreviates(word, rest string) bool {
	follower := rest
	if i := strings.IndexFunc(rest, func(r rune) bool { return !isWordRune(r) }); i >= 0 {
		follower = rest[:i]
	}
	switch {
	case strings.EqualFold(word, "no") || strings.EqualFold(word, "nos"):
		return follower != "" && isNumber(follower)
	case isInitials(word) || endsInInitial(word):
		return !openers[strings.ToLower(follower)] || isInitials(follower)
	case titles[strings.ToLower(word)]:
		return true
	case abbreviations[strings.ToLower(word)]:
		return !openers[strings.ToLower(follower)]
	}
	return false
}

// titles are abbreviations that never end a sentence, because a name follows.
var titles = Set("mr mrs ms dr prof st ste messrs rev gen col capt lt maj sgt cpl adm gov sen rep mt ft vs e.g i.e cf fig vol")

// isInitials reports whether word is one capital, or letters separated by full
// stops.
func isInitials(word string) bool {
	if r, w := utf8.DecodeRuneInString(word); w == len(word) {
		return unicode.IsUpper(r)
	}
	for i, part := range strings.Split(word, ".") {
		if r, w := utf8.DecodeRuneInString(part); w != len(part) || !unicode.IsLetter(r) || i > 3 {
			return false
		}
	}
	return word != ""
}

func isEndMark(r rune) bool {
	return r == '.' || r == '!' || r == '?' || r == '…' || isWideMark(r)
}

// isWideMark reports whether r ends a sentence without a following space.
func isWideMark(r rune) bool {
	return r == '。' || r == '！' || r == '？' || r == '｡' || r == '।' || r == '۔' || r == '؟'
}

func isCloser(r rune) bool {
	return strings.ContainsRune("\"'”’»)]」』）〉》", r)
}
