package domain

import (
	"strings"
	"unicode/utf8"
)

// A Span is a half-open range of Unicode code points in a document's stored text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Len returns the number of code points in s.
func (s Span) Len() int { return s.End - s.Start }

// Empty reports whether s has no code point.
func (s Span) Empty() bool { return s.End <= s.Start }

// Contains reports whether o lies within s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Overlaps reports whether s and o share a code point.
func (s Span) Overlaps(o Span) bool { return s.Start < o.End && o.Start < s.End }

// Shift returns s moved by n code points.
func (s Span) Shift(n int) Span { return Span{s.Start + n, s.End + n} }

// Slice returns the code points of text that s covers, clamped to the text.
func (s Span) Slice(text string) string {
	start := byteOffset(text, s.Start)
	return text[start : start+byteOffset(text[start:], s.End-max(s.Start, 0))]
}

// byteOffset returns the byte position of the n-th code point of text, at most
// len(text).
func byteOffset(text string, n int) int {
	if n <= 0 {
		return 0
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// Runes returns the number of code points in text.
func Runes(text string) int { return utf8.RuneCountInString(text) }

// Cut shortens text to at most most code points, ending in an ellipsis if anything was cut.
func Cut(text string, most int) string {
	if Runes(text) <= most {
		return text
	}
	return Span{End: most - 1}.Slice(text) + "…"
}

// OneLine returns the words of text with single spaces between them.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
