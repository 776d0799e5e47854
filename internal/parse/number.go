package parse

import (
	"strconv"
	"strings"
)

// A numbering is how the numbers of a list are written.
type numbering byte

// The numberings, which HTML calls by these letters.
const (
	decimal     numbering = '1'
	lowerLetter numbering = 'a'
	upperLetter numbering = 'A'
	lowerRoman  numbering = 'i'
	upperRoman  numbering = 'I'
	padded      numbering = '0' // 01, 02
	bullet      numbering = '-'
	unnumbered  numbering = ' '
)

// numberingOf returns the numbering that HTML, Word, PowerPoint or OpenDocument
// calls so; decimal for one that is not known.
func numberingOf(name string) numbering {
	switch lower := strings.ToLower(name); {
	case name == "a", name == "A", name == "i", name == "I":
		return numbering(name[0])
	case lower == "bullet":
		return bullet
	case lower == "none":
		return unnumbered
	case lower == "decimalzero":
		return padded
	case strings.HasPrefix(lower, "lowerletter"), strings.HasPrefix(lower, "alphalc"):
		return lowerLetter
	case strings.HasPrefix(lower, "upperletter"), strings.HasPrefix(lower, "alphauc"):
		return upperLetter
	case strings.HasPrefix(lower, "lowerroman"), strings.HasPrefix(lower, "romanlc"):
		return lowerRoman
	case strings.HasPrefix(lower, "upperroman"), strings.HasPrefix(lower, "romanuc"):
		return upperRoman
	}
	return decimal
}

// text returns a number. Those that a numbering has no form for are decimal.
func (n numbering) text(number int) string {
	switch {
	case n == bullet:
		return "-"
	case n == unnumbered:
		return ""
	case n == padded && number >= 0 && number < 10:
		return "0" + strconv.Itoa(number)
	case number < 1 || number > 3999:
		return strconv.Itoa(number)
	}
	switch n {
	case lowerLetter:
		return lettered(number)
	case upperLetter:
		return strings.ToUpper(lettered(number))
	case lowerRoman:
		return strings.ToLower(romanOf(number))
	case upperRoman:
		return romanOf(number)
	}
	return strconv.Itoa(number)
}

// lettered returns a to z, then aa, bb and so on.
func lettered(number int) string {
	return strings.Repeat(string(rune('a'+(number-1)%26)), 1+(number-1)/26)
}

func romanOf(number int) string {
	var b strings.Builder
	for _, r := range []struct {
		value int
		text  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for number >= r.value {
			b.WriteString(r.text)
			number -= r.value
		}
	}
	return b.String()
}
