package dates

import (
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// A token is a word, a number or a sign.
type token struct {
	text, low string
	kind      rune // see kindOf
	span      domain.Span
	spaced    bool // a space or the beginning precedes it
	number    int  // 0 if it is not a number
}

// tokens splits a sentence.
func tokens(sentence string) []token {
	var list []token
	kind, spaced, at := ' ', true, 0
	for _, r := range sentence {
		k := kindOf(r)
		switch {
		case k == ' ':
			spaced = true
		case k == kind && k != '.':
			last := &list[len(list)-1]
			last.text += string(r)
			last.span.End++
		default:
			list = append(list, token{text: string(r), kind: k, span: domain.Span{Start: at, End: at + 1}, spaced: spaced})
			spaced = false
		}
		kind = k
		at++
	}
	for i := range list {
		t := &list[i]
		t.low = strings.ToLower(t.text)
		if t.kind == '0' && len(t.text) <= 4 {
			for _, d := range t.text {
				t.number = 10*t.number + int(d-'0')
			}
		}
	}
	return list
}

// kindOf returns a for a letter, 0 for a digit, a space, or a point for a sign.
func kindOf(r rune) rune {
	switch {
	case unicode.IsLetter(r):
		return 'a'
	case r >= '0' && r <= '9':
		return '0'
	case unicode.IsSpace(r):
		return ' '
	}
	return '.'
}

// A scanner goes through the tokens of a sentence.
type scanner struct {
	tokens []token
	ended  int // the token after the last time found
}

// at returns a token, which is empty outside of the sentence.
func (s scanner) at(i int) token {
	if i < 0 || i >= len(s.tokens) {
		return token{kind: ' ', spaced: true}
	}
	return s.tokens[i]
}

// phrase returns the time that is named at a token, and the number of its tokens, 0 if there is none.
func (s scanner) phrase(i int) (Time, int) {
	if s.within(i) {
		return Time{}, 0
	}
	t, n, bare := s.one(i)
	if period, m := s.span(i, t, n, bare); m > 0 {
		period.Range = true
		return period, m
	}
	if n == 0 || bare && !s.saidYear(i) && !s.goesOn(i) {
		return Time{}, 0
	}
	return s.leaned(i, t), n
}

// leaned applies the word before a time to it: since, until, about.
func (s scanner) leaned(i int, t Time) Time {
	for passed[s.at(i-1).low] {
		i--
	}
	before := s.at(i - 1).low
	if strings.ContainsAny(before, ".'’") {
		before = s.at(i - 2).low
	}
	switch {
	case aboutWords[before]:
		t.About = true
	case sinceWords[before]:
		t.Until = domain.Day{}
	case untilWords[before]:
		t.From = domain.Day{}
	}
	return t
}

// span returns a time that begins with what one has returned, and ends with another date: 1888–1901, from 3 May to 9 November
// 1888, between 1888 and 1901.
func (s scanner) span(i int, first Time, n int, bare bool) (Time, int) {
	before := s.at(i - 1).low
	partly := n == 0
	if partly {
		first.From, n = s.part(i)
	}
	if n == 0 {
		return Time{}, 0
	}
	sep := s.at(i + n)
	dash := sep.low == "-" || sep.low == "–" || sep.low == "—"
	if dash && s.at(i+n+1).text == "-" {
		n++
	}
	switch {
	case dash:
	case toWords[sep.low] && (sinceWords[before] || partly || !bare):
	case andWords[sep.low] && bothWords[before]:
	default:
		return Time{}, 0
	}
	if end := s.shortYear(i+n+1, first.From.Year); dash && bare && end > 0 {
		return Time{From: first.From, Until: domain.Day{Year: end}}, n + 2
	}
	second, m, otherBare := s.one(i + n + 1)
	if m == 0 || bare && !otherBare && !sinceWords[before] || partly && !complete(&first.From, second.From) {
		return Time{}, 0
	}
	if first.From.First() > second.Until.Last() || bare && !s.plainYears(i, i+n+1+m) {
		return Time{}, 0
	}
	return Time{From: first.From, Until: second.Until}, n + 1 + m
}

// shortYear returns the year of two digits, such as the 18 of 1914–18, or 0 if there is none.
func (s scanner) shortYear(i, from int) int {
	short := s.at(i)
	if short.spaced || len(short.text) != 2 || short.number <= from%100 || s.glued(i+1) {
		return 0
	}
	return from - from%100 + short.number
}

// complete adds what a day lacks from the one that follows it, and reports whether that suffices.
func complete(d *domain.Day, next domain.Day) bool {
	if d.Day > 0 && d.Month == 0 {
		d.Month = next.Month
	}
	d.Year = next.Year
	return d.Month > 0 && (d.Day == 0 || next.Day > 0)
}

// plainYears reports whether two years are not numbers of pages or of something that is counted.
func (s scanner) plainYears(first, after int) bool {
	before := s.at(first - 1)
	if before.low == "." {
		before = s.at(first - 2)
	}
	return !numbering[before.low] && !counted[s.at(after).low] && !s.glued(after)
}

// glued reports whether a token continues what is before it, as the digits behind a point do.
func (s scanner) glued(i int) bool {
	t, next := s.at(i), s.at(i+1)
	if t.spaced {
		return false
	}
	switch t.text {
	case "%", "°", "/":
		return true
	case ".", ",":
		return next.kind == '0' && !next.spaced
	case "-":
		return next.kind == 'a' && !next.spaced
	}
	return t.kind != '.'
}

// within reports whether a token continues a number or a word.
func (s scanner) within(i int) bool {
	before := s.at(i - 1)
	switch {
	case s.at(i).spaced:
		return false
	case before.kind == 'a', before.kind == '0', amounts[before.text]:
		return true
	}
	return joints[before.text] && !before.spaced && s.at(i-2).kind == '0'
}

// part returns a day or a month that lacks the rest, which follows: 3 of 3 to 9 November 1888, or May of May to June 1939.
func (s scanner) part(i int) (domain.Day, int) {
	if m := months[s.at(i).low]; m > 0 {
		if s.isDay(i+1) && !s.isYear(i+1) {
			return domain.Day{Month: m, Day: s.at(i + 1).number}, 2 + s.ordinalEnd(i+2)
		}
		return domain.Day{Month: m}, 1
	}
	if !s.isDay(i) {
		return domain.Day{}, 0
	}
	d, n := domain.Day{Day: s.at(i).number}, 1+s.ordinalEnd(i+1)
	if ofWords[s.at(i+n).low] && months[s.at(i+n+1).low] > 0 {
		n++
	}
	if m := months[s.at(i+n).low]; m > 0 {
		d.Month = m
		n++
	}
	return d, n
}

// one returns a date with its year, and the number of its tokens. It is bare if it is a number that may mean something
// else.
func (s scanner) one(i int) (t Time, n int, bare bool) {
	if t, n = s.numeric(i); n > 0 {
		return t, n, false
	}
	for _, read := range []func(int) (Time, int){s.dayFirst, s.monthFirst, s.quarter, s.century, s.decade, s.era} {
		if t, n = read(i); n > 0 {
			return t, n, false
		}
	}
	if s.isYear(i) && !s.glued(i+1) {
		return on(domain.Day{Year: s.at(i).number}), 1, true
	}
	return Time{}, 0, false
}

// on returns the time of a day, a month or a year.
func on(d domain.Day) Time { return Time{From: d, Until: d} }

// numeric reads 1888-11-09, 9.11.1888, and 9/11/1888 or 11/9/1888 where only one of them can be the month.
func (s scanner) numeric(i int) (Time, int) {
	sign := s.at(i + 1).text
	if s.at(i+3).text != sign || s.at(i+1).spaced || s.at(i+3).spaced || s.glued(i+5) {
		return Time{}, 0
	}
	a, b, c := s.at(i).number, s.at(i+2).number, s.at(i+4).number
	switch {
	case sign == "-" && s.isYear(i):
		return onDay(a, b, c, 5)
	case sign == "." && s.isYear(i+4):
		return onDay(c, b, a, 5)
	case sign == "/" && s.isYear(i+4) && (a > 12 || a == b):
		return onDay(c, b, a, 5)
	case sign == "/" && s.isYear(i+4) && b > 12:
		return onDay(c, a, b, 5)
	}
	return Time{}, 0
}

// onDay returns the time of a day of n tokens, and no tokens for one that the calendar does not have.
func onDay(year, month, day, n int) (Time, int) {
	d := domain.Day{Year: year, Month: month, Day: day}
	if !d.On() {
		return Time{}, 0
	}
	return on(d), n
}

// dayFirst reads 9 November 1888, 9th of November, 1888, 9. November 1888, 9 de noviembre de 1888, and November 1888.
func (s scanner) dayFirst(i int) (Time, int) {
	n := 0
	day := 0
	if s.isDay(i) {
		day, n = s.at(i).number, 1+s.ordinalEnd(i+1)
		if ofWords[s.at(i+n).low] {
			n++
		}
	}
	m := months[s.at(i+n).low]
	if m == 0 || n == 0 && notMonths[s.at(i).text] {
		return Time{}, 0
	}
	n++
	for s.at(i+n).text == "." && !s.at(i+n).spaced || s.at(i+n).text == "," || ofWords[s.at(i+n).low] {
		n++
	}
	if !s.isYear(i+n) || !s.at(i+n).spaced || s.glued(i+n+1) {
		return Time{}, 0
	}
	year := s.at(i + n).number
	if day > 0 {
		return onDay(year, m, day, n+1)
	}
	return on(domain.Day{Year: year, Month: m}), n + 1
}

// monthFirst reads November 9, 1888 and Nov. 9th 1888.
func (s scanner) monthFirst(i int) (Time, int) {
	m, n := months[s.at(i).low], 1
	if m == 0 {
		return Time{}, 0
	}
	if s.at(i+n).text == "." {
		n++
	}
	if !s.isDay(i + n) {
		return Time{}, 0
	}
	day := s.at(i + n).number
	n += 1 + s.ordinalEnd(i+n+1)
	if s.at(i+n).text == "," {
		n++
	}
	if !s.isYear(i+n) || !s.at(i+n).spaced || s.glued(i+n+1) {
		return Time{}, 0
	}
	return onDay(s.at(i+n).number, m, day, n+1)
}

// quarter reads Q3 2024.
func (s scanner) quarter(i int) (Time, int) {
	q := s.at(i + 1).number
	if s.at(i).low != "q" || s.at(i+1).spaced || q < 1 || q > 4 || !s.isYear(i+2) {
		return Time{}, 0
	}
	year := s.at(i + 2).number
	return Time{From: domain.Day{Year: year, Month: 3*q - 2}, Until: domain.Day{Year: year, Month: 3 * q}}, 3
}

// century reads 19th century, nineteenth century, 19. Jahrhundert, XIXe siècle and siglo XIX.
func (s scanner) century(i int) (Time, int) {
	c, n := ordinals[s.at(i).low], 1
	switch {
	case c > 0:
	case s.at(i).low == "siglo" && romans[s.at(i+1).text] > 0:
		return ofCentury(romans[s.at(i+1).text], 2)
	case s.at(i).number > 0 && s.at(i).number < 22:
		c = s.at(i).number
		n += s.ordinalEnd(i + 1)
	default:
		c = romans[strings.TrimSuffix(s.at(i).text, "e")]
	}
	if s.at(i+n).text == "-" {
		n++
	}
	if c == 0 || !centuries[s.at(i+n).low] || s.at(i+n+1).low == "bc" || s.at(i+n+1).low == "v" {
		return Time{}, 0
	}
	return ofCentury(c, n+1)
}

func ofCentury(c, n int) (Time, int) {
	return Time{From: domain.Day{Year: 100*c - 99}, Until: domain.Day{Year: 100 * c}}, n
}

// decade reads 1920s, 1920er Jahre, années 1920 and años 1920.
func (s scanner) decade(i int) (Time, int) {
	n := 1
	if w := s.at(i).low; w == "années" || w == "años" {
		n = 2
	}
	year := s.at(i + n - 1).number
	if !s.isYear(i+n-1) || year%10 != 0 {
		return Time{}, 0
	}
	if n == 1 {
		end := s.at(i + 1)
		if end.text == "'" || end.text == "’" {
			end, n = s.at(i+2), 2
		}
		if end.spaced || end.low != "s" && end.low != "er" {
			return Time{}, 0
		}
		n++
	}
	return Time{From: domain.Day{Year: year}, Until: domain.Day{Year: year + 9}}, n
}

// era reads 44 BC, AD 79, 44 v. Chr. and 79 n. Chr.
func (s scanner) era(i int) (Time, int) {
	if t := s.at(i).low; (t == "ad" || t == "ce") && s.at(i).text != t && s.at(i+1).number > 0 {
		return on(domain.Day{Year: s.at(i + 1).number}), 2
	}
	year, n := s.at(i).number, 2
	if year == 0 {
		return Time{}, 0
	}
	switch next := s.at(i + 1); {
	case next.text == "BC" || next.text == "BCE":
		year = -year
	case next.text == "AD" || next.text == "CE":
	case (next.low == "v" || next.low == "n") && s.at(i+2).text == "." && s.at(i+3).low == "chr":
		if n = 4; next.low == "v" {
			year = -year
		}
	default:
		return Time{}, 0
	}
	return on(domain.Day{Year: year}), n
}

// saidYear reports whether the words around a number of four digits say that it is a year.
func (s scanner) saidYear(i int) bool {
	before, after := s.at(i-1), s.at(i+1)
	if counted[after.low] || numbering[before.low] || before.low == "." && numbering[s.at(i-2).low] {
		return false
	}
	if toWords[after.low] && s.isYear(i+2) && counted[s.at(i+3).low] {
		return false
	}
	word := before.low
	if word == "." || word == "'" || word == "’" {
		word = s.at(i - 2).low
	}
	ends := after.text == "" || after.kind == '.' || follows[after.low]
	switch {
	case withinWords[word], timeWords[word]:
		return true
	case determiners[word] && after.spaced && (!ends || quotes[after.text]):
		return s.at(i).number >= 1500
	case bornWords[word]:
		return ends
	case sinceWords[word], untilWords[word], aboutWords[word], toWords[word], bothWords[word], ofWords[word], word == "on", word == "for":
		return ends
	case word == "(" || word == "*" || word == "†":
		return after.text == ")" || after.text == "," || after.text == ";"
	case word == "," && months[s.at(i-2).low] > 0:
		return true
	}
	return false
}

// goesOn reports whether a number continues a list of times: 1968 and 1969.
func (s scanner) goesOn(i int) bool {
	if s.ended == 0 || counted[s.at(i+1).low] {
		return false
	}
	for j := s.ended; j < i; j++ {
		if t := s.at(j).low; !andWords[t] && t != "&" && t != "," && t != "or" {
			return false
		}
	}
	return i > s.ended
}

func (s scanner) isYear(i int) bool {
	t := s.at(i)
	return len(t.text) == 4 && t.number >= 1000 && t.number < 2200
}

func (s scanner) isDay(i int) bool {
	t := s.at(i)
	return len(t.text) <= 2 && t.number >= 1 && t.number <= 31
}

// ordinalEnd returns 1 if a token makes the number before it an ordinal.
func (s scanner) ordinalEnd(i int) int {
	if t := s.at(i); !t.spaced && (ordinalEnds[t.low] || t.text == ".") {
		return 1
	}
	return 0
}

func isMonth(n int) bool { return n >= 1 && n <= 12 }
