package chunk

import (
	"strings"
	"unicode"
)

// abbreviations end in a full stop that does not end a sentence. The list is
// short on purpose: a wrong cut merely moves the end of a chunk.
const abbreviations = " mr mrs ms dr prof st sr jr no vs etc e.g i.e fig vol inc ltd co u.s u.k "

// sentenceEnd is the position after the sentence that begins at start, with
// its closing quotes and brackets.
func sentenceEnd(text []rune, start int) int {
	for i := start; i < len(text); i++ {
		if strings.ContainsRune("。！？", text[i]) {
			return afterClosers(text, i+1)
		}
		if !strings.ContainsRune(".!?…", text[i]) {
			continue
		}
		end := afterClosers(text, i+1)
		if end < len(text) && !unicode.IsSpace(text[end]) || continues(text, start, i, end) {
			continue
		}
		return end
	}
	return len(text)
}

// continues reports whether the mark at i, with what follows from end on,
// stands within a sentence: the next word is in lower case, or the mark is the
// full stop of an initial or an abbreviation.
func continues(text []rune, start, i, end int) bool {
	for end < len(text) && unicode.IsSpace(text[end]) {
		end++
	}
	if end < len(text) && unicode.IsLower(text[end]) {
		return true
	}
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

// afterClosers skips the marks that close what a sentence opened.
func afterClosers(text []rune, i int) int {
	for i < len(text) && strings.ContainsRune(`.!?…"'”’»)]」』）`, text[i]) {
		i++
	}
	return i
}
