// Package worddiff finds the words removed from and added to a text.
package worddiff

import (
	"slices"
	"strings"
)

// A Part is a run of words that stayed, went or came, with the space that
// follows.
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
	a, b := strings.Fields(before), strings.Fields(after)
	common := table(a, b)
	var parts []Part
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			parts = add(parts, Same, a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			parts = add(parts, Gone, a[i])
			i++
		default:
			parts = add(parts, New, b[j])
			j++
		}
	}
	return parts
}

// table returns the length of the longest common subsequence of every pair of
// tails.
func table(a, b []string) [][]int {
	t := make([][]int, len(a)+1)
	for i := range t {
		t[i] = make([]int, len(b)+1)
	}
	for i, gone := range slices.Backward(a) {
		for j, came := range slices.Backward(b) {
			if gone == came {
				t[i][j] = t[i+1][j+1] + 1
			} else {
				t[i][j] = max(t[i+1][j], t[i][j+1])
			}
		}
	}
	return t
}

func add(parts []Part, kind Kind, word string) []Part {
	if n := len(parts); n > 0 && parts[n-1].Kind == kind {
		parts[n-1].Text += " " + word
		return parts
	}
	return append(parts, Part{kind, word})
}
