package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// NameKind says what a name names, as far as its spelling tells.
type NameKind uint8

// The kinds of name.
const (
	Proper NameKind = iota // a capitalised span
	Quoted                 // a capitalised span in quotation marks, often a work
	Date                   // a day, a month of a year, or a year
	Number                 // another number
)

// Name is a name as it stands in a text.
type Name struct {
	Text    string      // exactly the characters of Span
	Span    domain.Span // in the text that was given
	Kind    NameKind
	Title   string // the form of address before it, which is no part of it: "Dr", "Sir"
	Opening bool   // a single word at the beginning of a sentence: perhaps capitalised for that alone
}

// Names are the names in text in order, without overlap: capitalised words
// with the small words between them ("Bank of England"), dates and numbers. A
// word that is capitalised only because it begins a sentence is left out as
// far as that can be told from the word and from the rest of text.
func Names(text string) []Name {
	tokens := Tokens(text)
	seen := usage(text, tokens)
	var names []Name
	next := 0
	for _, span := range Sentences(text) {
		first := next
		for next < len(tokens) && tokens[next].Span.Start < span.End {
			next++
		}
		r := reader{text: text, tokens: tokens[first:next], seen: seen}
		names = append(names, r.names()...)
	}
	return names
}

// words counts how the words of a text are written where the beginning of a
// sentence doesn't matter.
type words struct {
	lower map[string]bool // stand somewhere in lower case
	upper map[string]bool // stand capitalised within a sentence
}

// usage reads off a text which words it writes in lower case.
func usage(text string, tokens []Token) words {
	seen := words{map[string]bool{}, map[string]bool{}}
	for i, t := range tokens {
		switch {
		case !t.Word:
		case !IsCapitalised(t.Text):
			seen.lower[t.Text] = true
		case i > 0 && tokens[i-1].Word:
			seen.upper[bare(t.Text)] = true
		}
	}
	return seen
}

// bare is a word without a possessive ending.
func bare(word string) string {
	stem, _ := cutPossessive(word)
	return stem
}

// cutPossessive splits the ending 's off a word.
func cutPossessive(word string) (string, bool) {
	n := len(word)
	if n > 2 && (word[n-1] == 's' || word[n-1] == 'S') {
		if r, w := utf8.DecodeLastRuneInString(word[:n-1]); isApostrophe(r) {
			return word[:n-1-w], true
		}
	}
	return word, false
}

// reader finds the names of one sentence.
type reader struct {
	text   string
	tokens []Token
	seen   words
	at     int
}

func (r *reader) names() []Name {
	if r.shouts() {
		return nil
	}
	var names []Name
	for r.at < len(r.tokens) {
		if n, ok := r.next(); ok {
			names = append(names, n)
		}
	}
	return names
}

// shouts reports whether the sentence is written in capitals throughout, so
// that capitals tell nothing.
func (r *reader) shouts() bool {
	long := 0
	for _, t := range r.tokens {
		if t.Text != strings.ToUpper(t.Text) {
			return false
		}
		if t.Word && len(t.Text) > 1 && unicode.IsUpper(rune(t.Text[0])) {
			long++
		}
	}
	return long > 1
}

// next reads the name that begins at the token at hand, or steps over it.
func (r *reader) next() (Name, bool) {
	if end := r.date(r.at); end > r.at {
		return r.take(r.at, end, Date), true
	}
	t := r.tokens[r.at]
	switch {
	case isOpeningQuote(t.Text):
		if end, closing := r.quoted(r.at); closing > 0 {
			n := r.take(r.at+1, end, Quoted)
			r.at = closing + 1
			return n, true
		}
	case t.Word && isNumber(t.Text) && !r.leadsName(r.at):
		return r.take(r.at, r.at+1, Number), true
	case r.begins(r.at):
		return r.proper()
	}
	r.at++
	return Name{}, false
}

// take makes a name of the tokens from first up to end and moves behind them.
func (r *reader) take(first, end int, kind NameKind) Name {
	a, b := r.tokens[first], r.tokens[end-1]
	text, last := r.text[a.at:b.end()], b.Span.End
	if stem, ok := cutPossessive(text); ok && kind != Quoted {
		last -= domain.Runes(text[len(stem):])
		text = stem
	}
	r.at = end
	return Name{Text: text, Span: domain.Span{Start: a.Span.Start, End: last}, Kind: kind}
}

// proper reads a capitalised name with the form of address before it.
func (r *reader) proper() (Name, bool) {
	first, title := r.at, ""
	for first < len(r.tokens) && honorifics[plainTitle(r.tokens[first].Text)] && r.isCapital(first+1) {
		title = strings.TrimSuffix(r.tokens[first].Text, ".")
		first++
	}
	opening := r.opens(first)
	for opening && r.isFalseStart(first) {
		first++
		opening = false
		if !r.begins(first) {
			r.at = first
			return Name{}, false
		}
	}
	end := r.run(first)
	if title != "" && genitiveHeads[strings.ToLower(r.tokens[end-1].Text)] {
		first, title = first-1, "" // "Dame Alley School"
	}
	n := r.take(first, end, Proper)
	n.Title = title
	if opening && end == first+1 && title == "" {
		if !r.trustworthy(first) {
			return Name{}, false
		}
		n.Opening = true
	}
	return n, true
}

// opens reports whether a word at i would be capitalised whatever it is: it
// begins the sentence, an item of a list, a cell or a quotation.
func (r *reader) opens(i int) bool {
	if i == 0 || isOpeningQuote(r.tokens[i-1].Text) || r.tokens[i-1].Text == "|" {
		return true
	}
	for _, t := range r.tokens[:i] {
		if t.Word && !isNumber(t.Text) {
			return false
		}
	}
	return true
}

func plainTitle(word string) string { return strings.ToLower(strings.TrimSuffix(word, ".")) }

// begins reports whether a name can begin at token i.
func (r *reader) begins(i int) bool {
	return r.isCapital(i) && (!IsStopWord(bare(r.tokens[i].Text)) || r.isNameStop(i)) || r.leadsName(i)
}

// isNameStop reports whether the capitalised stop word at i belongs to a name:
// within a sentence nothing else would capitalise it.
func (r *reader) isNameStop(i int) bool {
	return i > 0 && r.tokens[i-1].Word && r.isCapital(i+1) && r.tokens[i].Text != "I"
}

// isCapital reports whether token i is a word that begins with a capital, or
// hides one ("iPhone").
func (r *reader) isCapital(i int) bool {
	if i >= len(r.tokens) || !r.tokens[i].Word {
		return false
	}
	text := r.tokens[i].Text
	c, w := utf8.DecodeRuneInString(text)
	if unicode.IsUpper(c) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(text[w:])
	return unicode.IsUpper(next) && (unicode.IsLower(c) || unicode.IsDigit(c))
}

// leadsName reports whether token i is a year that opens the name of an event:
// "2012 Summer Olympics".
func (r *reader) leadsName(i int) bool {
	if !isYear(r.tokens[i].Text) || !r.isCapital(i+1) {
		return false
	}
	end := r.run(i + 1)
	return events[strings.ToLower(r.tokens[end-1].Text)]
}

// isFalseStart reports whether the capital of token i, the first of its
// sentence, says nothing although another capital follows.
func (r *reader) isFalseStart(i int) bool {
	if !r.isCapital(i + 1) {
		return false
	}
	word := strings.ToLower(r.tokens[i].Text)
	return IsStopWord(word) || commonOpeners[word] && !IsStopWord(r.tokens[i+1].Text)
}

// trustworthy reports whether the single capitalised word at i, with which a
// sentence begins, is a name.
func (r *reader) trustworthy(i int) bool {
	word := bare(r.tokens[i].Text)
	lower := strings.ToLower(word)
	switch {
	case r.seen.lower[lower] || IsStopWord(lower) || commonOpeners[lower]:
		return false
	case r.seen.upper[word] || len(word) > 1 && word == strings.ToUpper(word):
		return true
	case strings.HasSuffix(lower, "ly") || strings.HasSuffix(lower, "ing") || strings.HasSuffix(lower, "ed"):
		return false
	case word != r.tokens[i].Text:
		return true
	case isPlural(lower) && i+1 < len(r.tokens) && r.tokens[i+1].Word && !singularVerbs[r.tokens[i+1].Text]:
		return false
	}
	return i+1 < len(r.tokens) && r.introduces(i+1)
}

// isPlural reports whether a word may be a plural.
func isPlural(word string) bool {
	n := len(word)
	return n > 3 && word[n-1] == 's' && !strings.ContainsRune("suia", rune(word[n-2]))
}

// introduces reports whether token i is what follows a name at the beginning
// of a sentence.
func (r *reader) introduces(i int) bool {
	t := r.tokens[i].Text
	if !r.tokens[i].Word {
		return t == "," || t == "("
	}
	return nameFollowers[t] || strings.HasSuffix(t, "ed")
}
