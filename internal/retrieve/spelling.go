package retrieve

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/prose"
)

// The letters that a word must have to be taken for another: by itself, and next
// to words that are spelt right.
const surelyLong, longEnough = 7, 5

// misspelt returns the names that a text mentions with one letter wrong: missing,
// added, changed, or swapped with its neighbour. A capitalised word that occurs in
// no name is read as each word of a name that differs so, and counts if it
// completes a name.
func (s *snapshot) misspelt(text string) []int32 {
	words := prose.Words(text)
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = prose.Key(w.Text)
	}
	var found []int32
	for i, w := range words {
		if !prose.IsCapitalised(w.Text) || prose.IsStopWord(w.Text) || utf8.RuneCountInString(keys[i]) < longEnough || s.spelt[keys[i]] {
			continue
		}
		wrong := keys[i]
		for right := range s.spelt {
			if !oneLetterApart(wrong, right) {
				continue
			}
			keys[i] = right
			for from := max(0, i-s.longest+1); from <= i; from++ {
				names, n := s.longestRun(words[from:], keys[from:], false)
				if from+n > i && (n > 1 || utf8.RuneCountInString(right) >= surelyLong) {
					found = append(found, names...)
					break
				}
			}
		}
		keys[i] = wrong
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// oneLetterApart reports whether one letter makes the difference between two
// words that begin alike.
func oneLetterApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == "" || a[0] != b[0] {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if i == len(a) {
		return len(a) < len(b)
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	return swapped || a[i+1:] == b[i+1:]
}

// spellings returns the words of keys of names.
func spellings(keys map[string][]int32) map[string]bool {
	spelt := make(map[string]bool, len(keys))
	for key := range keys {
		for word := range strings.SplitSeq(key, " ") {
			spelt[word] = true
		}
	}
	return spelt
}
