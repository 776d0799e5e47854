package prose

import (
	"strings"
)

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

// isOffice reports whether token i, in the name that starts at start, is an
// office, which is no part of the name that follows with "of".
func (r *nameScanner) isOffice(start, i int) bool {
	word := strings.ToLower(r.tokens[i].Text)
	return offices[word] || nobles[word] && i == start && i > 0 && (nobleAfter[r.tokens[i-1].Text] || r.tokens[i-1].Text == ",")
}

// isBreak reports whether the capitalised token i starts something new.
func (r *nameScanner) isBreak(i int) bool {
	if i+1 < len(r.tokens) && r.tokens[i+1].Text == ":" && IsCommon(r.tokens[i].Text) {
		return true // the next of a list: "Ada Moen Present: Bo Berg"
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
	case isYear(text(0)) && !r.leadsName(i):
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
