package chart

import (
	"regexp"
	"strconv"
	"strings"
)

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

// commaIsDecimal reports whether most decimal signs of a text are commas.
func commaIsDecimal(text string) bool {
	return len(commaDecimal.FindAllString(text, 50)) > len(pointDecimal.FindAllString(text, 50))
}
