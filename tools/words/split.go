package main

import (
	"regexp"
	"strings"
)

// A splitter cuts the pieces of a template, in their order, into markup and words: text, and the attributes that are read by or to
// people. The zero value begins outside of any element.
type splitter struct {
	inTag bool
	exact int // of elements that stand as they are and are not closed
}

var (
	// tag is an opening or closing tag, or the end of one.
	tagName = regexp.MustCompile(`^<(/?)([a-z0-9]+)`)
	// spoken is an attribute that people read or hear.
	spoken = regexp.MustCompile(`( (?:aria-label|aria-description|title|placeholder|alt|data-busy|label)=")([^"]*)(")`)
	worded = regexp.MustCompile(`\p{L}{2}`)
)

// exact are the elements whose text is no language's.
var exact = map[string]bool{"code": true, "kbd": true, "pre": true, "script": true, "style": true}

// split returns a piece as markup and words by turns, beginning with markup; what has no words is one part.
func (s *splitter) split(piece string) (parts []string) {
	markup := ""
	say := func(words string) {
		text := strings.TrimSpace(words)
		if s.exact > 0 || !worded.MatchString(text) {
			markup += words
			return
		}
		before, after, _ := strings.Cut(words, text)
		parts = append(parts, markup+before, text)
		markup = after
	}
	for rest := piece; rest != ""; {
		var part string
		if s.inTag {
			part, rest = through(rest, '>')
			s.inTag = !strings.HasSuffix(part, ">")
			s.tag(part, &markup, say)
		} else {
			part, rest = until(rest, '<')
			say(part)
			s.inTag = rest != ""
		}
	}
	if markup != "" || len(parts) == 0 {
		parts = append(parts, markup)
	}
	return parts
}

// tag reads a tag, or what a piece has of it, with its spoken attributes.
func (s *splitter) tag(part string, markup *string, say func(words string)) {
	if m := tagName.FindStringSubmatch(part); m != nil && exact[m[2]] {
		if m[1] == "" {
			s.exact++
		} else {
			s.exact--
		}
	}
	from := 0
	for _, m := range spoken.FindAllStringSubmatchIndex(part, -1) {
		*markup += part[from:m[3]]
		say(part[m[4]:m[5]])
		from = m[5]
	}
	*markup += part[from:]
}

// through cuts text after the first end, and until before it.
func through(text string, end byte) (part, rest string) {
	if i := strings.IndexByte(text, end); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, ""
}

func until(text string, end byte) (part, rest string) {
	if i := strings.IndexByte(text, end); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}
