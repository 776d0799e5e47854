package parse

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// maxInstruction bounds the instruction of a field of Word, in bytes.
const maxInstruction = 4 << 10

// shownByField returns what a field of Word shows by its instruction alone: a character of a
// font (SYMBOL), or a formula (EQ). It is "" for any other.
func shownByField(instruction string) (string, script.Look) {
	name, rest, _ := strings.Cut(strings.TrimSpace(instruction), " ")
	switch strings.ToUpper(name) {
	case "SYMBOL":
		return symbolOfField(rest), script.Plain
	case "EQ":
		e := equation{rest: rest}
		return tidyLine(e.all(0)), script.Formula
	}
	return "", script.Plain
}

func symbolOfField(arguments string) string {
	words := strings.Fields(arguments)
	if len(words) == 0 {
		return ""
	}
	code, err := strconv.ParseInt(words[0], 0, 32)
	if err != nil {
		if r, size := utf8.DecodeRuneInString(words[0]); size == len(words[0]) {
			code = int64(r)
		}
	}
	font := ""
	if _, after, ok := strings.Cut(arguments, `\f`); ok {
		font, _, _ = strings.Cut(strings.TrimLeft(after, ` "`), `"`)
	}
	if symbol, ok := script.Symbol(font, rune(code)); ok {
		return string(symbol)
	}
	if code < ' ' || code > utf8.MaxRune || script.IsSymbolFont(font) {
		return ""
	}
	if code < 256 && !strings.Contains(arguments, `\u`) {
		return encodingOf("windows-1252").decode([]byte{byte(code)})
	}
	return string(rune(code))
}

// An equation reads the instruction of an EQ field.
type equation struct{ rest string }

// all returns what stands before a comma or a bracket that ends an argument.
func (e *equation) all(depth int) string {
	var b strings.Builder
	for e.rest != "" {
		switch c := e.rest[0]; {
		case depth > 0 && strings.IndexByte(",;)", c) >= 0:
			return b.String()
		case c == '\\' && len(e.rest) > 1 && !unicode.IsLetter(rune(e.rest[1])):
			b.WriteByte(e.rest[1])
			e.rest = e.rest[2:]
		case c == '\\' && depth < maxTables:
			s := e.element(depth)
			if s = strings.TrimSpace(s); strings.HasPrefix(s, "^") || strings.HasPrefix(s, "_") {
				base := b.String()
				b.Reset()
				b.WriteString(strings.TrimRight(base, " "))
			}
			b.WriteString(raisedBySign(s))
		default:
			r, size := utf8.DecodeRuneInString(e.rest)
			b.WriteRune(r)
			e.rest = e.rest[size:]
		}
	}
	return b.String()
}

// raisedBySign returns figures behind a sign as raised ones.
func raisedBySign(s string) string {
	if up, ok := strings.CutPrefix(s, "^"); ok {
		return strings.TrimPrefix(script.Scripts("x", "", up), "x")
	}
	if low, ok := strings.CutPrefix(s, "_"); ok {
		return strings.TrimPrefix(script.Scripts("x", low, ""), "x")
	}
	return s
}

// switches returns the names of switches that stand one after the other.
func (e *equation) switches() (names []string) {
	for strings.HasPrefix(e.rest, `\`) && len(e.rest) > 1 && (unicode.IsLetter(rune(e.rest[1])) || e.rest[1] == '*') {
		end := 1
		for end < len(e.rest) && strings.IndexByte("( \\", e.rest[end]) < 0 {
			end++
		}
		name := strings.ToLower(e.rest[1:end])
		e.rest = strings.TrimLeft(e.rest[end:], " ")
		names = append(names, strings.TrimRight(name, "0123456789-"))
		e.rest = strings.TrimLeft(e.rest, "0123456789 ")
		if len(name) == 2 && name[1] == 'c' && strings.HasPrefix(e.rest, `\`) && len(e.rest) > 1 { // a bracket: \bc\{
			e.rest = e.rest[2:]
		}
	}
	return names
}

// element returns a switch with its arguments.
func (e *equation) element(depth int) string {
	names, arguments := e.switches(), e.arguments(depth)
	if len(names) == 0 || arguments == nil {
		return strings.Join(arguments, ", ")
	}
	at := func(i int) string {
		if i < len(arguments) {
			return strings.TrimSpace(arguments[i])
		}
		return ""
	}
	switch names[0] {
	case "f":
		return script.Fraction(at(0), at(1))
	case "r":
		if len(arguments) == 1 {
			return script.Root("", at(0))
		}
		return script.Root(at(0), at(1))
	case "s":
		if slices.Contains(names, "do") {
			return "_" + at(0)
		}
		return "^" + at(0)
	case "i":
		sign := "∫"
		if slices.Contains(names, "su") {
			sign = "∑"
		} else if slices.Contains(names, "pr") {
			sign = "∏"
		}
		return script.Large(sign, at(0), at(1), at(2))
	case "b":
		return "(" + at(0) + ")"
	case "a":
		return "[" + strings.Join(arguments, "; ") + "]"
	case "o":
		return strings.Join(arguments, " ")
	}
	return strings.Join(arguments, ", ")
}

// arguments returns what stands between brackets, nil if nothing does.
func (e *equation) arguments(depth int) []string {
	rest, ok := strings.CutPrefix(e.rest, "(")
	if !ok {
		return nil
	}
	e.rest = rest
	list := []string{}
	for {
		list = append(list, e.all(depth+1))
		if e.rest == "" {
			return list
		}
		end := e.rest[0] == ')'
		e.rest = e.rest[1:]
		if end {
			return list
		}
	}
}
