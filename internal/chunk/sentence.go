package chunk

import (
	"strings"
	"unicode"
)

// abbreviations end in a full stop that does not end a sentence. The list is
// short because a wrong cut merely moves the end of a chunk.
const abbreviations = " mr mrs ms dr prof st sr jr no vs etc e.g i.e fig vol inc ltd co u.s u.k "

// sentenceEnd returns the position after the sentence that starts at start,
// including closing quotes and brackets.
func sentenceEnd(text []rune, start int) int {
	for i := start; i < len(text); i++ {
		if strings.ContainsRune("。！？", text[i]) {
			return afterClosers(text, i+1)
		}
		if !strings.ContainsRune(".!?…", text[i]) {
			continue
		}
		end := afterNotes(text, afterClosers(text, i+1))
		switch {
		case end < len(text) && !unicode.IsSpace(text[end]), beforeLower(text, end):
			i = end - 1 // nor do the marks in between end a sentence
		case !abbreviates(text, start, i):
			return end
		}
	}
	return len(text)
}

// beforeLower reports whether the next word after end is in lower case, so that
// the sentence goes on.
func beforeLower(text []rune, end int) bool {
	for end < len(text) && unicode.IsSpace(text[end]) {
		end++
	}
	return end < len(text) && unicode.IsLower(text[end])
}

// abbreviates reports whether the mark at i is the full stop of an initial or
// an abbreviation.
func abbreviates(text []rune, start, i int) bool {
	if text[i] != '.' {
		return false
	}
	word := i
	for word > start && !unicode.IsSpace(text[word-1]) {
		word--
	}
	last := strings.TrimLeft(strings.ToLower(string(text[word:i])), "(\"'“‘[")
	return len([]rune(last)) == 1 && unicode.IsUpper(text[i-1]) || strings.Contains(abbreviations, " "+last+" ")
}

// afterNotes skips the marks of notes, as in "in 1960.[2]" and "in 1960.[^2]".
func afterNotes(text []rune, i int) int {
	for i < len(text) && text[i] == '[' {
		end := i + 1
		for end < len(text) && end < i+6 && text[end] != ']' && text[end] != '\n' {
			end++
		}
		if end == len(text) || text[end] != ']' || text[i+1] != '^' && !unicode.IsDigit(text[i+1]) {
			break
		}
		i = end + 1
	}
	return i
}

// afterClosers skips closing marks.
func afterClosers(text []rune, i int) int {
	for i < len(text) && strings.ContainsRune(`.!?…"'”’»)]」』）`, text[i]) {
		i++
	}
	return i
}
