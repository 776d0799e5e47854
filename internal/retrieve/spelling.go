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
		if !prose.IsCapitalised(w.Text) || prose.IsStopWord(w.Text) || utf8.RuneCountInString(keys[i]) < longEnough || s.spelt.has(keys[i]) {
			continue
		}
		wrong := keys[i]
		for _, right := range s.spelt.near(wrong) {
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

// spellings are the words of keys of names.
type spellings struct {
	all map[string]bool
	by  map[start][]string
}

// start is what words have in common that may be one letter apart.
type start struct {
	letter byte // the first
	length int  // or one more or less
}

func newSpellings(keys map[string][]int32) *spellings {
	s := &spellings{all: make(map[string]bool, len(keys)), by: map[start][]string{}}
	for key := range keys {
		for word := range strings.SplitSeq(key, " ") {
			if word == "" || s.all[word] {
				continue
			}
			s.all[word] = true
			k := start{word[0], len(word)}
			s.by[k] = append(s.by[k], word)
		}
	}
	return s
}

func (s *spellings) has(word string) bool { return s.all[word] }

// near returns the words that are one letter apart from one that is not empty.
func (s *spellings) near(wrong string) (near []string) {
	for length := len(wrong) - 1; length <= len(wrong)+1; length++ {
		for _, right := range s.by[start{wrong[0], length}] {
			if oneLetterApart(wrong, right) {
				near = append(near, right)
			}
		}
	}
	return near
}
