package partial

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// A place is the position of a citation in a sentence.
type place struct {
	at int // bytes before it
	n  int // number of the citation
}

var citeMark = regexp.MustCompile(`^\[(\d{1,3})\]`)

// places returns the positions of each sentence's citations: at their marks in the answer's text, or else at the end,
// before the final punctuation.
func places(text string, sentences []domain.Sentence) [][]place {
	marked := marks(text, sentences)
	out := make([][]place, len(sentences))
	for i, s := range sentences {
		missing := slices.Clone(s.Citations)
		if marked != nil {
			for _, p := range marked[i] {
				if at := slices.Index(missing, p.n); at >= 0 {
					missing = slices.Delete(missing, at, at+1)
					out[i] = append(out[i], place{beforeSigns(s.Text, p.at), p.n})
				}
			}
		}
		for _, n := range missing {
			out[i] = append(out[i], place{beforeSigns(s.Text, len(s.Text)), n})
		}
	}
	return out
}

// marks finds the marks of the sentences in the text they were cut from, ignoring white space. It returns nil if the
// texts differ.
func marks(text string, sentences []domain.Sentence) [][]place {
	out := make([][]place, len(sentences))
	k, at := 0, 0 // the sentence, and how much of it was found
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeftFunc(text, unicode.IsSpace) {
		rest := ""
		if k < len(sentences) {
			rest = strings.TrimLeftFunc(sentences[k].Text[at:], unicode.IsSpace)
		}
		if m := citeMark.FindStringSubmatch(text); m != nil && !strings.HasPrefix(rest, m[0]) && k < len(sentences) {
			n, _ := strconv.Atoi(m[1])
			out[k] = append(out[k], place{at, n})
			text = text[len(m[0]):]
			continue
		}
		if rest == "" {
			if k++; k >= len(sentences) {
				return nil
			}
			rest = sentences[k].Text
		}
		r, width := utf8.DecodeRuneInString(text)
		if got, _ := utf8.DecodeRuneInString(rest); got != r {
			return nil
		}
		at, text = len(sentences[k].Text)-len(rest)+width, text[width:]
	}
	return out
}

// beforeSigns moves a place at the end of a word's signs before them.
func beforeSigns(text string, at int) int {
	if next, _ := utf8.DecodeRuneInString(text[at:]); at < len(text) && !unicode.IsSpace(next) {
		return at
	}
	if word := len(strings.TrimRight(text[:at], ".,;:!?…。！？，；：")); word > 0 {
		return word
	}
	return at
}
