package script

import (
	"strconv"
	"strings"
)

// A Numbering is how the numbers of a list or of pages are written.
type Numbering byte

// The numberings, which HTML calls by these letters.
const (
	Decimal     Numbering = '1'
	LowerLetter Numbering = 'a'
	UpperLetter Numbering = 'A'
	LowerRoman  Numbering = 'i'
	UpperRoman  Numbering = 'I'
	Padded      Numbering = '0' // 01, 02
	Bullet      Numbering = '-'
	Unnumbered  Numbering = ' '
)

// NumberingOf returns the numbering that HTML, Word, PowerPoint or OpenDocument
// calls so; decimal for one that is not known.
func NumberingOf(name string) Numbering {
	if len(name) == 1 && strings.Contains("aAiI", name) {
		return Numbering(name[0])
	}
	lower := strings.ToLower(name)
	for _, n := range []struct {
		prefix string
		of     Numbering
	}{
		{"bullet", Bullet}, {"none", Unnumbered}, {"decimalzero", Padded}, {"lowerletter", LowerLetter}, {"alphalc", LowerLetter}, {"upperletter", UpperLetter},
		{"alphauc", UpperLetter}, {"lowerroman", LowerRoman}, {"romanlc", LowerRoman}, {"upperroman", UpperRoman}, {"romanuc", UpperRoman},
	} {
		if strings.HasPrefix(lower, n.prefix) {
			return n.of
		}
	}
	return Decimal
}

// Text returns a number. Those that a numbering has no form for are decimal.
func (n Numbering) Text(number int) string {
	digits := strconv.Itoa(number)
	switch {
	case n == Bullet:
		return "-"
	case n == Unnumbered:
		return ""
	case n == Padded && number >= 0 && number < 10:
		return "0" + digits
	case number < 1 || number > 3999:
		return digits
	}
	switch n {
	case LowerLetter: // a to z, then aa, bb and so on
		return strings.Repeat(string(rune('a'+(number-1)%26)), 1+(number-1)/26)
	case LowerRoman:
		return lowerRoman(number)
	case UpperLetter, UpperRoman:
		return strings.ToUpper((n | ' ').Text(number)) // the small form
	}
	return digits
}

func lowerRoman(number int) string {
	var b strings.Builder
	for _, r := range []struct {
		value int
		text  string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		b.WriteString(strings.Repeat(r.text, number/r.value))
		number %= r.value
	}
	return b.String()
}
