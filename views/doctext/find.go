package doctext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// Find returns the places of words in a text, in code points, ignoring case and the kind and length of white space.
func Find(content, words string) []domain.Span {
	wanted, _ := even(words)
	wanted = strings.TrimSpace(wanted)
	if wanted == "" {
		return nil
	}
	text, at := even(content)
	var found []domain.Span
	length, n := utf8.RuneCountInString(wanted), 0
	for from := 0; ; {
		i := strings.Index(text[from:], wanted)
		if i < 0 {
			return found
		}
		n += utf8.RuneCountInString(text[from : from+i])
		found = append(found, domain.Span{Start: at[n], End: at[n+length-1] + 1})
		n += length
		from += i + len(wanted)
	}
}

// even returns a text in lower case with single spaces, and the original position of each of its code points.
func even(content string) (string, []int) {
	var s strings.Builder
	s.Grow(len(content))
	at := make([]int, 0, len(content))
	n, space := 0, false
	for _, r := range content {
		blank := unicode.IsSpace(r)
		if blank {
			r = ' '
		}
		if !blank || !space {
			s.WriteRune(unicode.ToLower(r))
			at = append(at, n)
		}
		space = blank
		n++
	}
	return s.String(), at
}
