package prose

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// NameKind classifies a name by its spelling.
type NameKind uint8

// The kinds of name.
const (
	Proper NameKind = iota // a capitalised span
	Quoted                 // a capitalised span in quotation marks, often a work
	Date                   // a day, a month of a year, or a year
	Number                 // another number
)

// Name is a name found in a text.
type Name struct {
	Text    string      // exactly the characters of Span
	Span    domain.Span // in the given text
	Kind    NameKind
	Title   string // the form of address before it, not part of it: "Dr", "Sir"
	Opening bool   // a single word at the start of a sentence, perhaps capitalised only for that
}

// Names returns the names in text in order, without overlap: capitalised words with the small words between them ("Bank
// of England"), dates and numbers. It skips words that appear to be capitalised only because they start a sentence,
// judging by the word and the rest of the text. A known name is always found as a whole.
func Names(text string, known ...string) []Name {
	tokens, sentences := Tokens(text), Sentences(text)
	seen := usage(tokens, sentences)
	var names []Name
	var line *nameScanner // the previous line, perhaps a heading
	next := 0
	for _, span := range sentences {
		first := next
		for next < len(tokens) && tokens[next].Span.Start < span.End {
			next++
		}
		r := &nameScanner{text: text, tokens: tokens[first:next], seen: seen, known: known}
		if line != nil && (!r.ends() || !line.isHeading()) {
			names = append(names, line.names()...)
		}
		if line = nil; r.ends() {
			names = append(names, r.names()...)
		} else {
			line = r
		}
	}
	if line != nil {
		names = append(names, line.names()...)
	}
	return names
}

// ends reports whether an end mark closes the sentence.
func (r *nameScanner) ends() bool {
	for _, t := range slices.Backward(r.tokens) {
		last, _ := utf8.DecodeLastRuneInString(t.Text)
		if !isCloser(last) {
			return isEndMark(last)
		}
	}
	return false
}

// isHeading reports whether the line is made of capitalised words that the text
// also has in lower case, or that start with one that rarely starts a name.
func (r *nameScanner) isHeading() bool {
	first := strings.ToLower(r.tokens[0].Text)
	lower := len(r.tokens) > 1 && (commonOpeners[first] || headingOpeners[first])
	for _, t := range r.tokens {
		if !t.Word || !IsCapitalised(t.Text) && !IsStopWord(t.Text) {
			return false
		}
		lower = lower || r.seen.lower[strings.ToLower(t.Text)] && !IsStopWord(t.Text)
	}
	return lower
}

// words records how a text spells words in places other than the start of a
// sentence.
type words struct {
	lower map[string]bool // seen in lower case
	upper map[string]bool // seen capitalised inside a sentence
	short map[string]bool // stop words in capitals, introduced as acronyms
}

// usage records the spelling of the words in a text.
func usage(tokens []Token, sentences []domain.Span) words {
	seen := words{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	at := 0
	for i, t := range tokens {
		first := false
		for at < len(sentences) && sentences[at].Start <= t.Span.Start {
			first = true
			at++
		}
		switch {
		case !t.Word:
		case !IsCapitalised(t.Text):
			seen.lower[t.Text] = true
		case i > 0 && tokens[i-1].Word && !first:
			seen.upper[bare(t.Text)] = true
		}
		if introduced(tokens, i) {
			seen.short[bare(t.Text)] = true
		}
	}
	return seen
}

// introduced reports whether the stop word in capitals at i is used as an acronym: alone in brackets, or after the
// article "the".
func introduced(tokens []Token, i int) bool {
	word := bare(tokens[i].Text)
	if i == 0 || !IsAcronym(word) || !stopWords[strings.ToLower(word)] {
		return false
	}
	if tokens[i-1].Text == "(" {
		return i+1 < len(tokens) && tokens[i+1].Text == ")"
	}
	return (tokens[i-1].Text == "the" || tokens[i-1].Text == "The") && !stressed[word]
}

// isStop reports whether token i is a stop word, and no acronym.
func (r *nameScanner) isStop(i int) bool {
	word := bare(r.tokens[i].Text)
	return IsStopWord(word) && !r.seen.short[word]
}

// bare returns a word without its possessive ending.
func bare(word string) string {
	stem, _ := cutPossessive(word)
	return stem
}

// cutPossessive removes the ending 's from a word.
func cutPossessive(word string) (string, bool) {
	n := len(word)
	if n > 2 && (word[n-1] == 's' || word[n-1] == 'S') {
		if r, w := utf8.DecodeLastRuneInString(word[:n-1]); isApostrophe(r) {
			return word[:n-1-w], true
		}
	}
	return word, false
}

// nameScanner finds the names in one sentence.
type nameScanner struct {
	text   string
	tokens []Token
	seen   words
	known  []string
	at     int
}

func (r *nameScanner) names() []Name {
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

// shouts reports whether the whole sentence is in capitals, so that capitals
// carry no information.
func (r *nameScanner) shouts() bool {
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

// next returns the name that starts at the current token, or skips the token.
func (r *nameScanner) next() (Name, bool) {
	if end := r.date(r.at); end > r.at {
		return r.take(r.at, end, Date), true
	}
	t := r.tokens[r.at]
	whole := r.knownEnd(r.at)
	switch {
	case whole > 0 && (!r.begins(r.at) || r.run(r.at) <= whole):
		return r.take(r.at, whole, Proper), true
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

// knownEnd returns the end of a known name that starts at token i, or 0.
func (r *nameScanner) knownEnd(i int) int {
	for _, name := range r.known {
		rest := r.text[r.tokens[i].at:]
		if name == "" || !strings.HasPrefix(rest, name) {
			continue
		}
		stop := r.tokens[i].at + len(name)
		for ; i < len(r.tokens) && r.tokens[i].end() <= stop; i++ {
			if r.tokens[i].end() == stop {
				return i + 1
			}
		}
		if i < len(r.tokens) && r.tokens[i].at < stop && len(bare(r.tokens[i].Text)) == stop-r.tokens[i].at {
			return i + 1 // a possessive
		}
		return 0
	}
	return 0
}

// take returns the tokens from first up to end as a name and advances past
// them.
func (r *nameScanner) take(first, end int, kind NameKind) Name {
	a, b := r.tokens[first], r.tokens[end-1]
	text, last := r.text[a.at:b.end()], b.Span.End
	if stem, ok := cutPossessive(text); ok && kind != Quoted {
		last -= domain.Runes(text[len(stem):])
		text = stem
	}
	r.at = end
	return Name{Text: text, Span: domain.Span{Start: a.Span.Start, End: last}, Kind: kind}
}

// proper returns a capitalised name and the form of address before it.
func (r *nameScanner) proper() (Name, bool) {
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

// opens reports whether a word at i would be capitalised in any case: it starts
// the sentence, a list item, a cell or a quotation.
func (r *nameScanner) opens(i int) bool {
	if i == 0 || isOpeningQuote(r.tokens[i-1].Text) || r.tokens[i-1].Text == "|" {
		return true
	}
	return !slices.ContainsFunc(r.tokens[:i], func(t Token) bool { return t.Word && !isNumber(t.Text) })
}

func plainTitle(word string) string { return strings.ToLower(strings.TrimSuffix(word, ".")) }

// begins reports whether a name can start at token i.
func (r *nameScanner) begins(i int) bool {
	return r.isCapital(i) && (!r.isStop(i) || r.isNameStop(i)) || r.leadsName(i)
}

// isNameStop reports whether the capitalised stop word at i belongs to a name:
// inside a sentence nothing else would capitalise it.
func (r *nameScanner) isNameStop(i int) bool {
	return i > 0 && r.tokens[i-1].Word && r.isCapital(i+1) && r.tokens[i].Text != "I"
}

// isCapital reports whether token i is a word that starts with a capital or
// contains one ("iPhone").
func (r *nameScanner) isCapital(i int) bool {
	if i >= len(r.tokens) || !r.tokens[i].Word {
		return false
	}
	if r.isGlued(i) || r.isUnit(i) {
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

// units are capital letters that name a unit beside a number.
var units = Set(`EUR USD GBP CHF JPY CNY INR CAD AUD NZD SEK NOK DKK PLN CZK HUF BRL MXN ZAR TRY KB MB GB TB KW MW GW AM PM`)

// isUnit reports whether token i is the unit of a number: "1,850 EUR", "USD 20".
func (r *nameScanner) isUnit(i int) bool {
	number := func(i int) bool { return i >= 0 && i < len(r.tokens) && r.tokens[i].Word && isNumber(r.tokens[i].Text) }
	return units[r.tokens[i].Text] && (number(i-1) || number(i+1))
}

// isGlued reports whether a sign joins token i to an identifier, a path or an
// address: "max_Size", "cmd/Web", "os.Args", "std::Vector".
func (r *nameScanner) isGlued(i int) bool {
	t := r.tokens[i]
	before, w := utf8.DecodeLastRuneInString(r.text[:t.at])
	after := r.text[t.end():]
	if strings.ContainsRune(`_\@#=$<{`, before) || after != "" && strings.ContainsRune(`_\@={`, rune(after[0])) || strings.HasPrefix(after, "()") {
		return true
	}
	return r.isPath(t) || (before == '/' || before == '.') && i > 1 && r.tokens[i-2].end() == t.at-w && !IsCapitalised(r.tokens[i-2].Text)
}

// isPath reports whether the characters around a token without a space make it a path, an option or an address:
// "/etc/X11", "--With-Foo", "http://Host".
func (r *nameScanner) isPath(t Token) bool {
	from := strings.LastIndexFunc(r.text[:t.at], unicode.IsSpace) + 1
	before := strings.TrimLeft(r.text[from:t.at], "(\"'`[")
	return strings.Contains(before, "::") || strings.Contains(before, "://") ||
		slices.ContainsFunc(pathMarks, func(mark string) bool { return strings.HasPrefix(before, mark) })
}

var pathMarks = []string{"/", "./", "../", "~/", "--"}

// leadsName reports whether token i is a year that starts the name of an event:
// "2012 Summer Olympics".
func (r *nameScanner) leadsName(i int) bool {
	if !isYear(r.tokens[i].Text) || !r.isCapital(i+1) {
		return false
	}
	end := r.run(i + 1)
	return events[strings.ToLower(r.tokens[end-1].Text)]
}

// isFalseStart reports whether the capital of token i, the first in its
// sentence, is no evidence of a name even though another capital follows.
func (r *nameScanner) isFalseStart(i int) bool {
	if !r.isCapital(i + 1) {
		return false
	}
	word := strings.ToLower(r.tokens[i].Text)
	return r.isStop(i) || commonOpeners[word] && !IsStopWord(r.tokens[i+1].Text)
}

// trustworthy reports whether the single capitalised word at i, which starts a
// sentence, is a name.
func (r *nameScanner) trustworthy(i int) bool {
	word := bare(r.tokens[i].Text)
	lower := strings.ToLower(word)
	acronym := stopWords[lower] && !r.isStop(i)
	switch {
	case acronym:
		return true
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

func isPlural(word string) bool {
	n := len(word)
	return n > 3 && word[n-1] == 's' && !strings.ContainsRune("suia", rune(word[n-2]))
}

// introduces reports whether token i typically follows a name at the start of a
// sentence.
func (r *nameScanner) introduces(i int) bool {
	t := r.tokens[i].Text
	if !r.tokens[i].Word {
		return t == "," || t == "("
	}
	return nameFollowers[t] || strings.HasSuffix(t, "ed")
}

// run returns the end of the name that starts at token i: capitalised words,
// optionally joined by small words.
func (r *nameScanner) run(i int) int {
	start := i
	i++
	for i < len(r.tokens) {
		_, possessive := cutPossessive(r.tokens[i-1].Text)
		switch {
		case possessive:
			if i-start > 2 || !r.endsInHead(i) {
				return i
			}
			i++
		case r.isCapital(i) && !r.isBreak(i):
			i++
		case r.isPluralPossessive(i) && i-start == 1 && r.endsInHead(i+1):
			i += 2
		case r.joins(start, i) > 0:
			i += r.joins(start, i)
		case r.isOrdinalPart(i):
			i++
		case r.tokens[i].Text == "," && i+1 < len(r.tokens) && suffixes[r.tokens[i+1].Text]:
			i += 2
		case r.isTie(i):
			i += 2
		default:
			next := r.afterNickname(i)
			if next == i {
				return i
			}
			i = next
		}
	}
	return i
}

// isTie reports whether token i is a hyphen or a stroke inside a name: "Nassau- Siegen".
func (r *nameScanner) isTie(i int) bool {
	t := r.tokens[i].Text
	return (t == "-" || t == "/") && r.tokens[i].at == r.tokens[i-1].end() && r.isCapital(i+1)
}

// afterNickname returns the position after a nickname in quotation marks at i
// that more of the name follows: John "Duke" Wayne.
func (r *nameScanner) afterNickname(i int) int {
	if !isOpeningQuote(r.tokens[i].Text) || !r.isCapital(i+1) {
		return i
	}
	end := i + 2
	if r.isCapital(end) {
		end++
	}
	if end < len(r.tokens) && isClosingQuote(r.tokens[end].Text, r.tokens[i].Text) && r.isCapital(end+1) {
		return end + 1
	}
	return i
}

// isOffice reports whether token i, in the name that starts at start, is an office, which is not part of the name that
// follows with "of".
func (r *nameScanner) isOffice(start, i int) bool {
	word := strings.ToLower(r.tokens[i].Text)
	return offices[word] || nobles[word] && i == start && i > 0 && (nobleAfter[r.tokens[i-1].Text] || r.tokens[i-1].Text == ",")
}

// isBreak reports whether the capitalised token i starts something new.
func (r *nameScanner) isBreak(i int) bool {
	if i+1 < len(r.tokens) && r.tokens[i+1].Text == ":" && IsCommon(r.tokens[i].Text) {
		return true // the next item of a list: "Ada Moen Present: Bo Berg"
	}
	return r.tokens[i].Text == "I" && i+1 < len(r.tokens) && r.tokens[i+1].Word && !r.isCapital(i+1) && r.tokens[i+1].Text != "of"
}

// endsInHead reports whether a run of capitalised words starts at token i and
// ends in a word like "College", which can follow a possessive: "King's
// College".
func (r *nameScanner) endsInHead(i int) bool {
	if !r.isCapital(i) {
		return false
	}
	for i+1 < len(r.tokens) && r.isCapital(i+1) {
		i++
	}
	return genitiveHeads[strings.ToLower(bare(r.tokens[i].Text))]
}

// isPluralPossessive reports whether token i is the apostrophe of "Drapers'".
func (r *nameScanner) isPluralPossessive(i int) bool {
	t := r.tokens[i]
	before := r.tokens[i-1]
	return (t.Text == "'" || t.Text == "’") && t.at == before.end() && strings.HasSuffix(before.Text, "s")
}

// joins returns how many tokens from i, at least a small word and a capitalised
// one, continue the name that starts at start, or 0.
func (r *nameScanner) joins(start, i int) int {
	word := r.tokens[i].Text
	switch {
	case word == "&":
		return r.capitalAfter(i, 1)
	case word == "of" && r.isOffice(start, i-1):
		return 0
	case particles[word]:
		if n := r.capitalAfter(i, 1); n > 0 {
			return n
		}
		if i+1 < len(r.tokens) && (particles[r.tokens[i+1].Text] || r.tokens[i+1].Text == "the") {
			return r.capitalAfter(i, 2)
		}
	case word == "the":
		if i+1 < len(r.tokens) && epithets[r.tokens[i+1].Text] {
			return 2
		}
	case word == "and" || word == "for":
		if n := r.capitalAfter(i, 1); n > 0 && r.conjoins(start, i, word) {
			return n
		}
	}
	return 0
}

// capitalAfter returns n+1 if token i+n is capitalised and not a month, else 0.
func (r *nameScanner) capitalAfter(i, n int) int {
	if r.isCapital(i+n) && !months[r.tokens[i+n].Text] {
		return n + 1
	}
	return 0
}

// conjoins reports whether "and" or "for" at i is inside a name: after a word
// for an institution, or before "Sons".
func (r *nameScanner) conjoins(start, i int, word string) bool {
	if word == "and" && pairEnds[r.tokens[i+1].Text] {
		return true
	}
	institution := false
	for _, t := range r.tokens[start:i] {
		institution = institution || (institutions[t.Text] && word == "for" || ministries[t.Text] && word == "and")
	}
	return institution
}

// isOrdinalPart reports whether token i is a number, but not a year, that ends
// a name: "Apollo 11".
func (r *nameScanner) isOrdinalPart(i int) bool {
	t := r.tokens[i]
	if number := strings.TrimSuffix(t.Text, "ers"); !isDigits(number) || len(number) > 3 {
		return false
	}
	before := r.tokens[i-1]
	return !months[before.Text] && t.at == before.end()+1 && (i+1 == len(r.tokens) || !isUnit(r.tokens[i+1]))
}

// isUnit reports whether a token makes the preceding number a quantity.
func isUnit(t Token) bool {
	return t.Text == "%" || t.Word && !IsCapitalised(t.Text) && !IsStopWord(t.Text)
}

// date returns the end of the date that starts at token i, or i if there is
// none.
func (r *nameScanner) date(i int) int {
	text := func(n int) string {
		if i+n < len(r.tokens) {
			return r.tokens[i+n].Text
		}
		return ""
	}
	switch {
	case isDay(text(0)) && months[text(1)]:
		return i + 2 + r.year(i+2)
	case months[text(0)] && isDay(text(1)) && text(2) == "," && isYear(text(3)):
		return i + 4
	case months[text(0)] && isDay(text(1)):
		return i + 2 + r.year(i+2)
	case months[text(0)] && isYear(text(1)):
		return i + 2
	case months[text(0)] && text(1) == "of" && isYear(text(2)):
		return i + 3
	case isYear(text(0)) && !r.leadsName(i), isDate(text(0)):
		return i + 1
	case months[text(0)] && i > 0 && prepositionsOfTime[strings.ToLower(r.tokens[i-1].Text)]:
		return i + 1
	}
	return i
}

// year returns 1 if token i is a year within a date, else 0.
func (r *nameScanner) year(i int) int {
	if i < len(r.tokens) && len(r.tokens[i].Text) >= 3 && len(r.tokens[i].Text) <= 4 && isDigits(r.tokens[i].Text) {
		return 1
	}
	return 0
}

func isDay(word string) bool {
	word = strings.TrimRight(word, "sthndr")
	return len(word) > 0 && len(word) <= 2 && isDigits(word) && word <= "31" || len(word) == 1 && isDigits(word)
}

// isDate reports whether a word is a day as ISO 8601 writes it, such as 2009-02-14.
func isDate(word string) bool {
	if len(word) != len(time.DateOnly) || word[4] != '-' {
		return false // almost every word: parsing it would build an error
	}
	_, err := time.Parse(time.DateOnly, word)
	return err == nil
}

func isYear(word string) bool {
	return len(word) == 4 && isDigits(word) && "1000" <= word && word <= "2100"
}

func isDigits(word string) bool {
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return false
		}
	}
	return word != ""
}

// maxQuoted bounds the words in a quoted name.
const maxQuoted = 8

// quoted returns the end of the name in the quotation that opens at i, and the
// index of its closing mark. A quotation is a name if it is short and its first
// word and most content words are capitalised; otherwise both results are 0.
func (r *nameScanner) quoted(i int) (end, closing int) {
	capital, small := 0, 0
	for j := i + 1; j < len(r.tokens) && j <= i+1+2*maxQuoted; j++ {
		t := r.tokens[j]
		switch {
		case isClosingQuote(t.Text, r.tokens[i].Text):
			last := j
			for last > i+1 && strings.ContainsAny(r.tokens[last-1].Text, ",.?") && !r.tokens[last-1].Word {
				last--
			}
			if capital == 0 || capital+small > maxQuoted || small > capital/2 || !r.isCapital(i+1) && !isNumber(r.tokens[i+1].Text) {
				return 0, 0
			}
			return last, j
		case !t.Word:
		case r.isCapital(j):
			capital++
		case !IsStopWord(t.Text) && !particles[t.Text] && !isNumber(t.Text):
			small++
		}
	}
	return 0, 0
}

func isOpeningQuote(sign string) bool {
	return sign == `"` || sign == "“" || sign == "«" || sign == "„"
}

func isClosingQuote(sign, opening string) bool {
	switch opening {
	case "“":
		return sign == "”"
	case "«":
		return sign == "»"
	case "„":
		return sign == "“" || sign == "”"
	}
	return sign == `"`
}
