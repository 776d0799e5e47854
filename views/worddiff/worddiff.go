// Package worddiff finds the words, or lines, removed from and added to a text.
package worddiff

import (
	"slices"
	"strings"
)

// A Part is a run of words or lines that stayed, went or came.
type Part struct {
	Kind  Kind
	Text  string
	Tight bool // no space precedes it
}

// A Kind is what happened to a part.
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
			parts = append(parts, Part{Kind: kind, Text: strings.Join(lines, "\n")})
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
	var parts []Part
	for _, m := range align(a, b, same) {
		word := m.came
		if m.kind == Gone {
			word = m.gone
		}
		parts = add(parts, m.kind, word, between)
	}
	return parts
}

// move is a word or line of one text, or of both.
type move struct {
	kind       Kind
	gone, came string // in the old and the new text
}

// align goes through two texts along their longest common subsequence.
func align(a, b []string, same func(a, b string) bool) []move {
	common := Common(a, b, same)
	var moves []move
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && same(a[i], b[j]):
			moves = append(moves, move{Same, a[i], b[j]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			moves = append(moves, move{kind: Gone, gone: a[i]})
			i++
		default:
			moves = append(moves, move{kind: New, came: b[j]})
			j++
		}
	}
	return moves
}

// Common returns the length of the longest common subsequence of every pair of
// tails.
func Common[T any](a, b []T, same func(a, b T) bool) [][]int {
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
	return append(parts, Part{Kind: kind, Text: word})
}
