package script

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// group puts s into parentheses unless it is one number or word, or has some.
func group(s string) string {
	s = strings.TrimSpace(s)
	if isAtom(s) {
		return s
	}
	return "(" + s + ")"
}

// isAtom reports whether s is one number or word, with powers perhaps, or stands
// in parentheses.
func isAtom(s string) bool {
	if s == "" || enclosed(s) {
		return true
	}
	digits, letters := false, false
	for i, r := range s {
		switch {
		case unicode.IsDigit(r), r == '.' || r == ',', strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r):
			digits = true
		case unicode.IsLetter(r), unicode.IsMark(r), r == '_', r == '∞', r == '%', r == '°':
			if digits && !letters && i > 0 {
				return false // 2n
			}
			letters = true
		default:
			return false
		}
	}
	return true
}

// enclosed reports whether one pair of parentheses holds all of s.
func enclosed(s string) bool {
	if s[0] != '(' || s[len(s)-1] != ')' {
		return false
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			return false
		}
	}
	return true
}

// Fraction returns a fraction: 1/2, (a + b)/(2n).
func Fraction(above, below string) string { return group(above) + "/" + group(below) }

// Root returns a root: √x, ∛(x + 1), (x)^(1/n) for any other degree.
func Root(degree, x string) string {
	switch strings.TrimSpace(degree) {
	case "", "2":
		return "√" + group(x)
	case "3":
		return "∛" + group(x)
	case "4":
		return "∜" + group(x)
	}
	return group(x) + "^(1/" + group(degree) + ")"
}

// Scripts returns a base with an index and a power, both of which may be empty.
func Scripts(base, index, power string) string {
	base = strings.TrimSpace(base)
	if utf8.RuneCountInString(base) > 1 && (index != "" || power != "") && !isOperatorName(base) {
		base = group(base)
	}
	if strings.TrimSpace(index) != "" {
		base += Index(index)
	}
	if strings.TrimSpace(power) != "" {
		base += Power(power)
	}
	return base
}

func isOperatorName(s string) bool { return slices.Contains(functions, s) || isAtom(s) }

// Large returns a sum, product or integral with its bounds: ∑_(i=1)^n i.
func Large(sign, from, to, of string) string {
	return strings.TrimSpace(Scripts(sign, from, to) + " " + strings.TrimSpace(of))
}

// Function returns a function of an argument: sin x, sin(x + 1).
func Function(name, of string) string {
	of = strings.TrimSpace(of)
	if strings.HasPrefix(of, "(") {
		return strings.TrimSpace(name) + of
	}
	return strings.TrimSpace(strings.TrimSpace(name) + " " + of)
}

// Accent returns x below an accent: x̄, bar(x + 1).
func Accent(mark rune, x string) string {
	x = strings.TrimSpace(x)
	name, ok := accents[mark]
	switch {
	case !ok:
		return x + string(mark)
	case utf8.RuneCountInString(x) == 1:
		return x + string(name.mark)
	}
	return name.word + "(" + x + ")"
}

var accents = map[rune]struct {
	mark rune
	word string
}{
	'¯': {'\u0304', "bar"}, '‾': {'\u0304', "bar"}, '\u0304': {'\u0304', "bar"}, '\u0305': {'\u0304', "bar"}, '―': {'\u0304', "bar"}, '_': {'\u0332', "underbar"},
	'^': {'\u0302', "hat"}, '\u0302': {'\u0302', "hat"}, 'ˆ': {'\u0302', "hat"}, '~': {'\u0303', "tilde"}, '˜': {'\u0303', "tilde"}, '\u0303': {'\u0303', "tilde"},
	'→': {'\u20D7', "vec"}, '\u20D7': {'\u20D7', "vec"}, '˙': {'\u0307', "dot"}, '\u0307': {'\u0307', "dot"}, '¨': {'\u0308', "ddot"}, '\u0308': {'\u0308', "ddot"},
}

// Matrix returns rows of cells: [a, b; c, d].
func Matrix(rows [][]string) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = strings.Join(row, ", ")
	}
	return "[" + strings.Join(lines, "; ") + "]"
}
