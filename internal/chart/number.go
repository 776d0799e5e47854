package chart

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// A quantity is a number in a text.
type quantity struct {
	values   []float64   // possible values with the scale applied, most likely first
	span     domain.Span // of its digits
	scale    float64     // 1e6 of "3.4 million"; 1 for none
	percent  bool
	currency string // a code such as "EUR", or ""
	date     bool   // part of a date or a time
}

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

// quantities returns the numbers of a text in order.
func quantities(text string) []quantity {
	if len(text) > maxText {
		return nil
	}
	r := numberReader{text: text, dates: dateSpans(text), comma: commaIsDecimal(text)}
	for _, numeral := range []*regexp.Regexp{spacedNumeral, plainNumeral} {
		for _, at := range numeral.FindAllStringIndex(text, -1) {
			r.add(at[0], at[1])
		}
	}
	slices.SortStableFunc(r.found, func(a, b quantity) int { return a.span.Start - b.span.Start })
	return completeRanges(text, r.found)
}

// A numberReader collects the numbers of a text.
type numberReader struct {
	text  string
	dates [][]int // byte ranges
	comma bool    // the text writes 3,5 for 3.5
	found []quantity
	bytes int // before which there are runes code points
	runes int
}

// add reads the numeral at a byte range, unless it is part of a word such as
// "B12" or "19th".
func (r *numberReader) add(start, end int) {
	before, _ := utf8.DecodeLastRuneInString(r.text[:start])
	after := r.text[end:]
	if unicode.IsLetter(before) || unicode.IsDigit(before) || before == '_' || ordinal.MatchString(after) || isPartial(r.text[:start], after) {
		return
	}
	values := readings(r.text[start:end], r.comma)
	if len(values) == 0 || compound.MatchString(r.text[max(0, start-8):start]) {
		return
	}
	inDate := slices.ContainsFunc(r.dates, func(d []int) bool { return d[0] <= start && end <= d[1] })
	q := quantity{values: values, scale: 1, date: inDate}
	q.readUnit(r.text[:start], after)
	if minusBefore.MatchString(r.text[:start]) {
		q.multiply(-1)
	}
	first := r.runesAt(start)
	q.span = domain.Span{Start: first, End: first + utf8.RuneCountInString(r.text[start:end])}
	r.found = append(r.found, q)
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
func (r *numberReader) runesAt(at int) int {
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
func (q *quantity) readUnit(before, after string) {
	if m := scaleBehind.FindStringSubmatchIndex(after); m != nil {
		if factor, ok := scales[strings.ToLower(after[m[2]:m[3]])]; ok && (m[2] == 0 || m[3]-m[2] > 1) { // "5k", and not "5 K"
			q.scale = factor
			q.multiply(factor)
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

func (q *quantity) multiply(factor float64) {
	for i := range q.values {
		q.values[i] *= factor
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

// scaleOf returns the scale that a unit names, or 1.
func scaleOf(unit string) float64 {
	for _, word := range strings.FieldsFunc(strings.ToLower(unit), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if factor, ok := scales[word]; ok {
			return factor
		}
	}
	return 1
}

func isPercent(unit string) bool {
	return percentSign.MatchString(unit) || strings.Contains(unit, "%")
}

// currencyOf returns the code of the currency that a unit names, or "".
func currencyOf(unit string) string {
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
func completeRanges(text string, all []quantity) []quantity {
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
			a.scale = b.scale
			a.multiply(b.scale)
			a.values = append(a.values, plain...) // "3 and 4 million" may be three
		}
	}
	return all
}
