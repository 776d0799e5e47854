package graphstore

import (
	"slices"
	"unicode"
)

// OneLetterApart reports whether one letter makes the difference between two
// words that begin alike.
func OneLetterApart(a, b string) bool {
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

// OneLetterFrom returns the words that are one letter apart from a word in lower case, and
// the word itself, in no order and some twice. Letters come from the alphabets of the word.
func OneLetterFrom(word string) []string {
	from, letters := []rune(word), alphabet(word)
	all := []string{word}
	add := func(parts ...[]rune) { all = append(all, string(slices.Concat(parts...))) }
	for i := 1; i <= len(from); i++ {
		for _, letter := range letters {
			add(from[:i], []rune{letter}, from[i:])
			if i < len(from) {
				add(from[:i], []rune{letter}, from[i+1:])
			}
		}
		if i < len(from) {
			add(from[:i], from[i+1:])
		}
		if i+1 < len(from) {
			add(from[:i], []rune{from[i+1], from[i]}, from[i+2:])
		}
	}
	return all
}

// alphabet returns the small letters of the blocks of 128 characters that a word is written in.
func alphabet(word string) []rune {
	var letters, blocks []rune
	for _, r := range word {
		block := r &^ 0x7f
		if slices.Contains(blocks, block) {
			continue
		}
		blocks = append(blocks, block)
		for letter := block; letter < block+0x80; letter++ {
			if unicode.IsLower(letter) {
				letters = append(letters, letter)
			}
		}
	}
	return letters
}

// SpeltAlike returns those of the words of names that Reader.Spelt finds for words.
func SpeltAlike(words, ofNames []string) []string {
	var found []string
	for _, word := range words {
		if slices.Contains(ofNames, word) {
			found = append(found, word)
			continue
		}
		for _, other := range ofNames {
			if OneLetterApart(word, other) {
				found = append(found, other)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
