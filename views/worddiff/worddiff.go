// Package worddiff finds the words, or lines, removed from and added to a text.
package worddiff

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A Part is a run of words or lines that stayed, went or came.
type Part struct {
	Kind Kind
	Text string
}

// A Kind tells what happened to a part.
type Kind int

// The kinds of part.
const (
	Same Kind = iota
	Gone
	New
)

// Words compares two texts word by word by their longest common subsequence.
// Without the added parts the result reads as before, without the removed ones
// as after, up to white space.
func Words(before, after string) []Part {
	return compare(strings.Fields(before), strings.Fields(after), " ", equal)
}

// Wordings compares two wordings of a question like Words, but takes words for the
// same that differ only in the signs at their ends. Those read as after.
func Wordings(before, after string) []Part {
	return compare(strings.Fields(before), strings.Fields(after), " ", func(a, b string) bool { return bare(a) == bare(b) })
}

// bare returns a word without the signs at its ends, or signs that stand alone.
func bare(word string) string {
	return cmp.Or(strings.TrimFunc(word, unicode.IsPunct), word)
}

func equal(a, b string) bool { return a == b }

// maxLines bounds the lines that are compared one by one.
const maxLines = 2000

// Lines compares two texts line by line in the same way. Where too many lines in
// a row differ, all of them went, and all of the others came.
func Lines(before, after string) []Part {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	var parts []Part
	several := func(kind Kind, lines []string) {
		if len(lines) > 0 {
			parts = append(parts, Part{kind, strings.Join(lines, "\n")})
		}
	}
	gone, came := a[start:len(a)-end], b[start:len(b)-end]
	several(Same, a[:start])
	if len(gone) > maxLines || len(came) > maxLines {
		several(Gone, gone)
		several(New, came)
	} else {
		parts = append(parts, compare(gone, came, "\n", equal)...)
	}
	several(Same, a[len(a)-end:])
	return parts
}

func compare(a, b []string, between string, same func(a, b string) bool) []Part {
	common := table(a, b, same)
	var parts []Part
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && same(a[i], b[j]):
			parts = add(parts, Same, b[j], between)
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			parts = add(parts, Gone, a[i], between)
			i++
		default:
			parts = add(parts, New, b[j], between)
			j++
		}
	}
	return parts
}

// table returns the length of the longest common subsequence of every pair of
// tails.
func table(a, b []string, same func(a, b string) bool) [][]int {
	t := make([][]int, len(a)+1)
	for i := range t {
		t[i] = make([]int, len(b)+1)
	}
	for i, gone := range slices.Backward(a) {
		for j, came := range slices.Backward(b) {
			if same(gone, came) {
				t[i][j] = t[i+1][j+1] + 1
			} else {
				t[i][j] = max(t[i+1][j], t[i][j+1])
			}
		}
	}
	return t
}

func add(parts []Part, kind Kind, word, between string) []Part {
	if n := len(parts); n > 0 && parts[n-1].Kind == kind {
		parts[n-1].Text += between + word
		return parts
	}
	return append(parts, Part{kind, word})
}
