package chart

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// quantity is a number as it stands in a text.
type quantity struct {
	values   []float64   // what it may mean, its scale applied, the likeliest first
	span     domain.Span // of its digits, in the text
	scale    float64     // 1e6 of "3.4 million"; 1 for none
	percent  bool
	currency string // a code such as "EUR", "" for none
	date     bool   // it is a year, or a part of a date or of a time
}

// The numerals of a text. "1 234" is read whole and in pieces: a row of a
// table parts its numbers by spaces too.
var (
	plainNumeral  = regexp.MustCompile(`\d+(?:[.,'’]\d+)*`)
	spacedNumeral = regexp.MustCompile(`\d{1,3}(?:[ \x{2009}\x{202f}\x{00a0}]\d{3})+(?:[.,]\d+)?`)
)

// longestText bounds what is searched for numbers, in bytes: a passage is far
// shorter.
const longestText = 1 << 20

// longestNumeral bounds a number in digits: none of a document is longer.
const longestNumeral = 40

// quantities are the numbers of a text in order.
func quantities(text string) []quantity {
	if len(text) > longestText {
		return nil
	}
	r := numberReader{text: text, dates: dateSpans(text), comma: commaIsDecimal(text)}
	for _, at := range spacedNumeral.FindAllStringIndex(text, -1) {
		r.add(at[0], at[1])
	}
	for _, at := range plainNumeral.FindAllStringIndex(text, -1) {
		r.add(at[0], at[1])
	}
	slices.SortStableFunc(r.found, func(a, b quantity) int { return a.span.Start - b.span.Start })
	return shareRanges(text, r.found)
}

// numberReader gathers the numbers of one text.
type numberReader struct {
	text  string
	dates [][]int // of dates, in bytes
	comma bool    // the text writes 3,5 for three and a half
	found []quantity
	bytes int // up to here, runes code points were counted
	runes int
}

// add reads the numeral between two bytes. What is part of a word or of a name
// ("B12", "19th") is no number.
func (r *numberReader) add(start, end int) {
	before, _ := utf8.DecodeLastRuneInString(r.text[:start])
	after := r.text[end:]
	if unicode.IsLetter(before) || unicode.IsDigit(before) || before == '_' || ordinal.MatchString(after) || adjoins(r.text[:start], after) {
		return
	}
	values := meanings(r.text[start:end], r.comma)
	if len(values) == 0 || compound.MatchString(r.text[max(0, start-8):start]) {
		return
	}
	q := quantity{values: values, scale: 1, date: r.dated(start, end)}
	q.read(r.text[:start], after)
	if negative(r.text[:start]) {
		for i := range q.values {
			q.values[i] = -q.values[i]
		}
	}
	first := r.runesAt(start)
	q.span = domain.Span{Start: first, End: first + utf8.RuneCountInString(r.text[start:end])}
	r.found = append(r.found, q)
}

// adjoins reports whether a numeral goes on in front of it or behind it, so
// that it is a piece of something longer.
func adjoins(before, after string) bool {
	if parted := strings.TrimRight(before, ".,'’"); parted != before && endsInDigit(parted) {
		return true
	}
	next := firstRune(after)
	return unicode.IsDigit(next) || unicode.IsLetter(next) && !unitBehind.MatchString(after) && !scaleBehind.MatchString(after)
}

func endsInDigit(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// runesAt is the number of code points before a byte.
func (r *numberReader) runesAt(at int) int {
	if at < r.bytes {
		r.bytes, r.runes = 0, 0
	}
	r.runes += utf8.RuneCountInString(r.text[r.bytes:at])
	r.bytes = at
	return r.runes
}

func (r *numberReader) dated(start, end int) bool {
	return slices.ContainsFunc(r.dates, func(d []int) bool { return d[0] <= start && end <= d[1] })
}

var (
	ordinal     = regexp.MustCompile(`^(?i)(st|nd|rd|th|er|e|ème|º|ª)\b`)
	unitBehind  = regexp.MustCompile(`^(?i)[a-zµ°]{1,4}[²³]?(?:/[a-z]{1,3})?(?:\b|[^\pL\pN])|^\p{Han}|^\p{Hiragana}|^\p{Katakana}|^\p{Hangul}`)
	scaleBehind = regexp.MustCompile(`^(?i)[\s\x{00a0}\x{202f}\x{2009}-]{0,2}(\pL+)\.?`)
	percentSign = regexp.MustCompile(`^(?i)[\s\x{00a0}\x{202f}\x{2009}-]{0,2}(?:%|٪|percent\b|per[ -]?cent\b|prozent|pour[ -]cents?\b|por[ -]ciento\b|per[ -]cento\b|pct\b)`)
	moneyBehind = regexp.MustCompile(`^[\s\x{00a0}\x{202f}\x{2009}]?(€|\$|£|¥|₹|(?:EUR|USD|GBP|JPY|CHF|INR|[Ee]uros?|[Dd]ollars?|[Pp]ounds?)\b)`)
	moneyBefore = regexp.MustCompile(`(€|\$|£|¥|₹|EUR|USD|GBP|JPY|CHF|INR)[\s\x{00a0}\x{202f}]?[-−]?$`)
	compound    = regexp.MustCompile(`\pL-$`) // "T-34"
	minusBefore = regexp.MustCompile(`(?i)(?:^|[\s(\[:;=|,€$£¥₹])[-−]$|\bminus\s$`)
)

var currencies = map[string]string{
	"€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR", "$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD",
	"£": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "¥": "JPY", "jpy": "JPY", "chf": "CHF", "₹": "INR", "inr": "INR",
}

func negative(before string) bool { return minusBefore.MatchString(before) }

// read takes in what stands around a numeral: scale, percent and currency.
func (q *quantity) read(before, after string) {
	if m := scaleBehind.FindStringSubmatchIndex(after); m != nil {
		if by, ok := scales[strings.ToLower(after[m[2]:m[3]])]; ok && (m[2] == 0 || m[3]-m[2] > 1) { // "5k", and not "5 K"
			q.scaled(by)
			after = after[m[1]:]
		}
	}
	q.percent = percentSign.MatchString(after)
	if m := moneyBehind.FindStringSubmatch(after); m != nil {
		q.currency = currencies[strings.ToLower(m[1])]
	}
	if m := moneyBefore.FindStringSubmatch(before); m != nil {
		q.currency = currencies[strings.ToLower(m[1])]
	}
}

func (q *quantity) scaled(by float64) {
	q.scale = by
	for i := range q.values {
		q.values[i] *= by
	}
}

// scales are the words that multiply the number before them.
var scales = map[string]float64{
	"hundred": 100, "hundert": 100,
	"thousand": 1e3, "thousands": 1e3, "tausend": 1e3, "tsd": 1e3, "mille": 1e3, "mil": 1e3, "mila": 1e3, "milliers": 1e3, "k": 1e3,
	"million": 1e6, "millions": 1e6, "millionen": 1e6, "mio": 1e6, "mln": 1e6, "mn": 1e6, "millón": 1e6, "millones": 1e6, "milione": 1e6, "milioni": 1e6,
	"billion": 1e9, "billions": 1e9, "bn": 1e9, "bln": 1e9, "mrd": 1e9, "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9,
	"miliardo": 1e9, "miliardi": 1e9, "trillion": 1e12, "trillions": 1e12, "billionen": 1e12,
}

// scaleOf is the scale that a chart's unit names, 1 for none.
func scaleOf(unit string) float64 {
	for _, word := range strings.FieldsFunc(strings.ToLower(unit), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if by, ok := scales[word]; ok {
			return by
		}
	}
	return 1
}

// percentOf reports whether a unit is percent.
func percentOf(unit string) bool { return percentSign.MatchString(unit) || strings.Contains(unit, "%") }

// meanings are the values that a numeral may have, the likeliest first; none
// for what is no number, such as 12.03.1812 or 1.2.3.
func meanings(digits string, comma bool) []float64 {
	digits = strings.Map(func(r rune) rune {
		switch r {
		case '\'', '’', ' ', '\u2009', '\u202f', '\u00a0':
			return -1
		}
		return r
	}, digits)
	dots, commas := strings.Count(digits, "."), strings.Count(digits, ",")
	switch {
	case dots == 0 && commas == 0:
		return parsed(digits)
	case dots > 0 && commas > 0:
		return mixed(digits, dots, commas)
	case dots+commas > 1:
		if grouped(digits) {
			return parsed(ungrouped(digits))
		}
		return nil
	}
	whole, fraction, _ := strings.Cut(strings.ReplaceAll(digits, ",", "."), ".")
	decimal := parsed(whole + "." + fraction)
	if len(fraction) != 3 || len(whole) > 3 || whole[0] == '0' {
		return decimal
	}
	if (commas == 1) == comma { // the sign by which this text parts fractions
		return append(decimal, parsed(whole+fraction)...)
	}
	return append(parsed(whole+fraction), decimal...)
}

// mixed reads a numeral with both signs: the last one parts the fraction, and
// stands once.
func mixed(digits string, dots, commas int) []float64 {
	last, group := ".", ","
	if strings.LastIndex(digits, ",") > strings.LastIndex(digits, ".") {
		last, group = ",", "."
	}
	if last == "." && dots > 1 || last == "," && commas > 1 {
		return nil
	}
	whole, fraction, _ := strings.Cut(digits, last)
	if !grouped(strings.ReplaceAll(whole, group, ",")) {
		return nil
	}
	return parsed(ungrouped(whole) + "." + fraction)
}

var groups = regexp.MustCompile(`^\d{1,3}(?:([.,])\d{2,3})*[.,]\d{3}$`)

// grouped reports whether the signs in a numeral part groups of digits: of
// three, or as in 1,23,456 of two and a last one of three. All are the same.
func grouped(digits string) bool {
	return groups.MatchString(digits) && !(strings.Contains(digits, ".") && strings.Contains(digits, ","))
}

func ungrouped(digits string) string { return strings.NewReplacer(".", "", ",", "").Replace(digits) }

func parsed(digits string) []float64 {
	if len(digits) > longestNumeral {
		return nil
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return nil
	}
	return []float64{v}
}

var (
	commaDecimal = regexp.MustCompile(`\b\d+,\d{1,2}(?:\D|$)|\d\.\d{3},\d`)
	pointDecimal = regexp.MustCompile(`\b\d+\.\d{1,2}(?:[^\d.]|$)|\d,\d{3}\.\d`)
)

// commaIsDecimal reports whether a text parts fractions by commas, as far as
// its numbers tell.
func commaIsDecimal(text string) bool {
	return len(commaDecimal.FindAllString(text, 50)) > len(pointDecimal.FindAllString(text, 50))
}

var rangeBetween = regexp.MustCompile(`^(?i)\s*(?:[-–—−]|to|and|bis|und|à|et|a|y|e)\s*$`)

// shareRanges gives the first end of "3 to 4 million" the scale, and of "10–12 %"
// the sign, that stands behind the second.
func shareRanges(text string, all []quantity) []quantity {
	for i := len(all) - 2; i >= 0; i-- {
		a, b := &all[i], all[i+1]
		if b.scale == 1 && !b.percent || a.scale != 1 || a.percent || a.span.End > b.span.Start || a.date {
			continue
		}
		between := domain.Span{Start: a.span.End, End: b.span.Start}
		if between.Len() > 5 || !rangeBetween.MatchString(between.Slice(text)) {
			continue
		}
		a.percent = b.percent
		if b.scale != 1 {
			plain := slices.Clone(a.values)
			a.scaled(b.scale)
			a.values = append(a.values, plain...) // "3 and 4 million" may be three
		}
	}
	return all
}
