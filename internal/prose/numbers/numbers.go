// Package numbers reads the numbers in texts as written in several languages: with their scale, sign and unit.
package numbers

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// A Number is a number in a text.
type Number struct {
	Values   []float64   // possible values with the scale applied, most likely first; never empty
	Span     domain.Span // of its digits, in code points
	Scale    float64     // 1e6 for "3.4 million"; 1 if there is none
	Percent  bool
	Currency string // a code such as "EUR"; may be ""
	Date     bool   // part of a date or a time
	Year     bool   // a year on its own
}

// Value returns the most likely value.
func (n Number) Value() float64 { return n.Values[0] }

// Dated reports whether a number is a year, or part of a date or a time, and so no amount.
func (n Number) Dated() bool { return n.Date || n.Year }

// Numerals. "1 234" is read both as one and as two, because spaces also separate
// the cells of a table.
var (
	plainNumeral  = regexp.MustCompile(`\d+(?:[.,'’]\d+)*`)
	spacedNumeral = regexp.MustCompile(`\d{1,3}(?:[ \x{2009}\x{202f}\x{00a0}]\d{3})+(?:[.,]\d+)?`)
)

const (
	maxText    = 1 << 20 // bytes; passages are far shorter
	maxNumeral = 40      // digits
)

// Read returns the numbers of a text in order, none of a text of more than a megabyte. Where 1.234 can be two numbers, it is read as
// most numbers of the text are written, or, where none shows it, as its language writes them, a code such as "de" or "" for unknown.
func Read(text, language string) []Number {
	if len(text) > maxText {
		return nil
	}
	r := reader{text: text, dates: wholeDates.FindAllStringIndex(text, -1), years: yearSpans(text), comma: commaIsDecimal(text, language)}
	for _, numeral := range []*regexp.Regexp{spacedNumeral, plainNumeral} {
		for _, at := range numeral.FindAllStringIndex(text, -1) {
			r.add(at[0], at[1])
		}
	}
	slices.SortStableFunc(r.found, func(a, b Number) int { return a.Span.Start - b.Span.Start })
	return completeRanges(text, r.found)
}

// A reader collects the numbers of a text.
type reader struct {
	text  string
	dates [][]int // byte ranges
	years [][]int
	comma bool // the text writes 3,5 for 3.5
	found []Number
	bytes int // byte offset of the first runes code points
	runes int
}

// add reads the numeral at a byte range, unless it is part of a word such as
// "B12" or "19th".
func (r *reader) add(start, end int) {
	before, _ := utf8.DecodeLastRuneInString(r.text[:start])
	after := r.text[end:]
	if unicode.IsLetter(before) || unicode.IsDigit(before) || before == '_' || ordinal.MatchString(after) || isPartial(r.text[:start], after) {
		return
	}
	values := readings(r.text[start:end], r.comma)
	if len(values) == 0 || compound.MatchString(r.text[max(0, start-8):start]) {
		return
	}
	in := func(ranges [][]int) bool {
		return slices.ContainsFunc(ranges, func(at []int) bool { return at[0] <= start && end <= at[1] })
	}
	n := Number{Values: values, Scale: 1, Date: in(r.dates), Year: in(r.years)}
	n.readUnit(r.text[:start], after)
	if minusBefore.MatchString(r.text[:start]) {
		n.multiply(-1)
	}
	first := r.runesAt(start)
	n.Span = domain.Span{Start: first, End: first + utf8.RuneCountInString(r.text[start:end])}
	r.found = append(r.found, n)
}

// isPartial reports whether a numeral is a piece of something longer.
func isPartial(before, after string) bool {
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

// runesAt counts the code points before a byte.
func (r *reader) runesAt(at int) int {
	if at < r.bytes {
		r.bytes, r.runes = 0, 0
	}
	r.runes += utf8.RuneCountInString(r.text[r.bytes:at])
	r.bytes = at
	return r.runes
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

// readUnit sets scale, percent and currency from the text around a numeral.
func (n *Number) readUnit(before, after string) {
	if m := scaleBehind.FindStringSubmatchIndex(after); m != nil {
		if factor, ok := scales[strings.ToLower(after[m[2]:m[3]])]; ok && (m[2] == 0 || m[3]-m[2] > 1) { // "5k", but not "5 K"
			n.Scale = factor
			n.multiply(factor)
			after = after[m[1]:]
		}
	}
	n.Percent = percentSign.MatchString(after)
	if m := moneyBehind.FindStringSubmatch(after); m != nil {
		n.Currency = currencies[strings.ToLower(m[1])]
	}
	if m := moneyBefore.FindStringSubmatch(before); m != nil {
		n.Currency = currencies[strings.ToLower(m[1])]
	}
}

func (n *Number) multiply(factor float64) {
	for i := range n.Values {
		n.Values[i] *= factor
	}
}

// scales maps words to the factor that they apply to the number before them.
var scales = map[string]float64{
	"hundred": 100, "hundert": 100,
	"thousand": 1e3, "thousands": 1e3, "tausend": 1e3, "tsd": 1e3, "mille": 1e3, "mil": 1e3, "mila": 1e3, "milliers": 1e3, "k": 1e3,
	"million": 1e6, "millions": 1e6, "millionen": 1e6, "mio": 1e6, "mln": 1e6, "mn": 1e6, "millón": 1e6, "millones": 1e6, "milione": 1e6, "milioni": 1e6,
	"billion": 1e9, "billions": 1e9, "bn": 1e9, "bln": 1e9, "mrd": 1e9, "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9,
	"miliardo": 1e9, "miliardi": 1e9, "trillion": 1e12, "trillions": 1e12, "billionen": 1e12,
}

// ScaleOf returns the scale that a unit such as "million tons" names, or 1.
func ScaleOf(unit string) float64 {
	for _, word := range strings.FieldsFunc(strings.ToLower(unit), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if factor, ok := scales[word]; ok {
			return factor
		}
	}
	return 1
}

// IsPercent reports whether a unit is per cent.
func IsPercent(unit string) bool {
	return percentSign.MatchString(unit) || strings.Contains(unit, "%")
}

// CurrencyOf returns the code of the currency that a unit names, or "".
func CurrencyOf(unit string) string {
	for _, word := range strings.FieldsFunc(strings.ToLower(unit), func(r rune) bool { return strings.ContainsRune(" /.,()", r) }) {
		if code, ok := currencies[word]; ok {
			return code
		}
	}
	return ""
}

var rangeBetween = regexp.MustCompile(`^(?i)\s*(?:[-–—−]|to|and|bis|und|à|et|a|y|e)\s*$`)

// completeRanges applies the scale of "3 to 4 million" and the sign of "10–12 %"
// to the first number too.
func completeRanges(text string, all []Number) []Number {
	for i := len(all) - 2; i >= 0; i-- {
		a, b := &all[i], all[i+1]
		if b.Scale == 1 && !b.Percent || a.Scale != 1 || a.Percent || a.Span.End > b.Span.Start || a.Dated() {
			continue
		}
		between := domain.Span{Start: a.Span.End, End: b.Span.Start}
		if between.Len() > 5 || !rangeBetween.MatchString(between.Slice(text)) {
			continue
		}
		a.Percent = b.Percent
		if b.Scale != 1 {
			plain := slices.Clone(a.Values)
			a.Scale = b.Scale
			a.multiply(b.Scale)
			a.Values = append(a.Values, plain...) // in "3 and 4 million", 3 may just be three
		}
	}
	return all
}

// readings returns the possible values of a numeral, most likely first. There
// are none for 12.03.1812 or 1.2.3.
func readings(digits string, comma bool) []float64 {
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
		return parseFloat(digits)
	case dots > 0 && commas > 0:
		return readMixed(digits, dots, commas)
	case dots+commas > 1:
		if !isGrouped(digits) {
			return nil
		}
		return parseFloat(groupSigns.Replace(digits))
	}
	whole, fraction, _ := strings.Cut(strings.ReplaceAll(digits, ",", "."), ".")
	decimal := parseFloat(whole + "." + fraction)
	if len(fraction) != 3 || len(whole) > 3 || whole[0] == '0' {
		return decimal
	}
	if (commas == 1) == comma { // the decimal sign of this text
		return append(decimal, parseFloat(whole+fraction)...)
	}
	return append(parseFloat(whole+fraction), decimal...)
}

// readMixed reads a numeral with both signs, of which the last is the decimal
// sign and occurs once.
func readMixed(digits string, dots, commas int) []float64 {
	last, group := ".", ","
	if strings.LastIndex(digits, ",") > strings.LastIndex(digits, ".") {
		last, group = ",", "."
	}
	if last == "." && dots > 1 || last == "," && commas > 1 {
		return nil
	}
	whole, fraction, _ := strings.Cut(digits, last)
	if !isGrouped(strings.ReplaceAll(whole, group, ",")) {
		return nil
	}
	return parseFloat(groupSigns.Replace(whole) + "." + fraction)
}

var groups = regexp.MustCompile(`^\d{1,3}(?:([.,])\d{2,3})*[.,]\d{3}$`)

// isGrouped reports whether the signs in a numeral are the same and separate
// groups of three digits, or of two and a last one of three as in 1,23,456.
func isGrouped(digits string) bool {
	return groups.MatchString(digits) && !(strings.Contains(digits, ".") && strings.Contains(digits, ","))
}

var groupSigns = strings.NewReplacer(".", "", ",", "")

func parseFloat(digits string) []float64 {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || len(digits) > maxNumeral {
		return nil
	}
	return []float64{v}
}

var (
	commaDecimal = regexp.MustCompile(`\b\d+,\d{1,2}(?:\D|$)|\d\.\d{3},\d`)
	pointDecimal = regexp.MustCompile(`\b\d+\.\d{1,2}(?:[^\d.]|$)|\d,\d{3}\.\d`)
)

// commaIsDecimal reports whether most decimal signs of a text are commas, or would be in its language.
func commaIsDecimal(text, language string) bool {
	commas, points := len(commaDecimal.FindAllString(text, 50)), len(pointDecimal.FindAllString(text, 50))
	return commas > points || commas == points && slices.Contains(commaLanguages, language)
}

// commaLanguages are the languages that write a comma before decimals.
var commaLanguages = []string{"de", "fr", "es", "it", "nl", "pt"}

// Dates and years are categories, not amounts.
var (
	wholeDates = regexp.MustCompile(`(?i)\b\d{4}-\d{1,2}(?:-\d{1,2})?\b|\b\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|` +
		`\b\d{1,2}\.?(?:st|nd|rd|th|er)?\s(?:of\s|de\s)?(?:` + months + `)\b\.?(?:,?\s(?:de\s)?\d{4})?|\b(?:` + months + `)\b\.?\s(?:\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s\d{4})?|(?:de\s)?\d{4}\b)`)
	yearRange = regexp.MustCompile(`\b([12]\d{3})\s?(?:[-–—/]|to|bis|and|und|à|a)\s?([12]\d{3}|\d{2})\b`)
	yearAlone = regexp.MustCompile(`(?i)(?:\b(?:in|since|until|till|from|year|years|anno|of|im|jahr|jahre|seit|ab|en|depuis|jusqu'en|année|desde|hasta|año|nel|dal|fino al|before|after|around|circa|c\.|early|late|mid|about|vor|nach|um|avant|après|antes de|después de|prima del|dopo il)\s|\()([12]\d{3})(?:s\b|\b)`)
	decades   = regexp.MustCompile(`\b[12]\d{3}s\b`)
	firstCell = regexp.MustCompile(`(?m)^\s*\|?\s*([12]\d{3})\s*(?:\||:|\t|$)`)
)

const months = `jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|febrero|febbraio|mar(?:ch|s|zo)?|märz|apr(?:il|ile)?|avril|abril|may|mai|mayo|maggio|jun(?:e|i|io)?|juin|giugno|` +
	`jul(?:y|i|io)?|juillet|luglio|aug(?:ust)?|août|agosto|sep(?:t|tember|tembre)?|septiembre|settembre|oct(?:ober|obre)?|okt(?:ober)?|octubre|ottobre|nov(?:ember|embre)?|noviembre|dec(?:ember)?|dez(?:ember)?|décembre|diciembre|dicembre|enero|gennaio`

// yearSpans returns the byte ranges of years and decades that are not part of a longer date.
func yearSpans(text string) [][]int {
	out := decades.FindAllStringIndex(text, -1)
	for _, m := range yearRange.FindAllStringSubmatchIndex(text, -1) {
		if isYearRange(text[m[2]:m[3]], text[m[4]:m[5]]) {
			out = append(out, m[:2])
		}
	}
	for _, pattern := range []*regexp.Regexp{yearAlone, firstCell} {
		for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
			if isYear(text[m[2]:m[3]]) && !unitAfter.MatchString(text[m[3]:]) {
				out = append(out, m[2:4])
			}
		}
	}
	return out
}

// isYear reports whether four digits may be a year.
func isYear(digits string) bool {
	n, err := strconv.Atoi(digits)
	return err == nil && n >= 1000 && n < 2200
}

func isYearRange(first, second string) bool {
	if len(second) == 2 {
		second = first[:2] + second
	}
	return isYear(first) && isYear(second) && first < second
}

// unitAfter matches a unit behind a number, which is then not a year.
var unitAfter = regexp.MustCompile(`^(?i)\s?(?:%|€|\$|£|¥|percent\b|prozent\b|(?:kg|km|m|cm|mm|t|l|g|tons?|tonnes?|tonnen|metres?|meters?|people|inhabitants|pieces|copies|euros?|dollars?|pounds?|francs?|marks?|million|thousand|billion)\b)`)

// IsYear reports whether a text is a year of four digits.
func IsYear(text string) bool { return len(text) == 4 && isYear(text) }
