package worddiff

import (
	"cmp"
	"strings"
	"unicode"
)

// Wordings compares two wordings of a question like Words, but takes words for the
// same that differ only in the signs at their ends. Those read as after. A sign stays
// where the words before it go or come, so that none is struck through with its comma.
func Wordings(before, after string) []Part {
	var parts []Part
	kind := Same // of the previous word
	for _, m := range align(tokens(before), tokens(after), func(a, b string) bool { return bare(a) == bare(b) }) {
		token := cmp.Or(m.came, m.gone)
		if !isSign(token) {
			kind = m.kind
			parts = add(parts, kind, token, " ")
			continue
		}
		of := m.kind
		if kind == Same { // as in the new text
			of = Same
		}
		if kind != Same || m.kind != Gone {
			parts = addSign(parts, of, token)
		}
	}
	return parts
}

// tokens divides a text into words and, each on its own, the signs that follow them.
func tokens(text string) []string {
	var out []string
	for word := range strings.FieldsSeq(text) {
		begins := strings.TrimRightFunc(word, unicode.IsPunct)
		if begins == "" { // punctuation between spaces is a word
			out = append(out, word)
			continue
		}
		out = append(out, begins)
		if signs := word[len(begins):]; signs != "" {
			out = append(out, sign+signs)
		}
	}
	return out
}

// sign marks tokens that follow a word without a space.
const sign = "\x00"

func isSign(token string) bool { return strings.HasPrefix(token, sign) }

// addSign adds signs to the parts, behind the word before.
func addSign(parts []Part, kind Kind, token string) []Part {
	text := strings.TrimPrefix(token, sign)
	if n := len(parts); n > 0 && parts[n-1].Kind == kind {
		parts[n-1].Text += text
		return parts
	}
	return append(parts, Part{Kind: kind, Text: text, Tight: true})
}

// bare returns a word without the signs at its ends, or signs without a word.
func bare(word string) string {
	return cmp.Or(strings.TrimFunc(word, unicode.IsPunct), word)
}
