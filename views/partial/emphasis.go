package partial

import (
	"context"
	"io"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// emphasis matches text between one or two asterisks, as models mark titles and emphasis.
var emphasis = regexp.MustCompile(`(\*{1,2})([^\s*](?:[^*\n]*[^\s*])?)(\*{1,2})`)

// A note is a component within a text, after a number of its bytes.
type note struct {
	at int
	templ.Component
}

// said writes a sentence with its emphasis and its notes, which are in order.
func said(text string, notes ...note) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		s := setter{ctx, w, text, notes, 0, nil}
		for _, m := range emphasis.FindAllStringSubmatchIndex(text, -1) {
			opening, closing := text[m[2]:m[3]], text[m[6]:m[7]]
			before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
			next, _ := utf8.DecodeRuneInString(text[m[1]:])
			if opening != closing || isWord(before) || isWord(next) { // a product, or a name with an asterisk
				continue
			}
			tag := []string{"em", "strong"}[len(opening)-1]
			s.to(m[0])
			s.write("<" + tag + ">")
			s.at = m[4]
			s.to(m[5])
			s.write("</" + tag + ">")
			s.at = m[1]
		}
		s.to(len(text))
		return s.err
	})
}

// setter writes a text piece by piece, up to the first error.
type setter struct {
	ctx   context.Context
	w     io.Writer
	text  string
	notes []note
	at    int // bytes written
	err   error
}

// to writes the text and notes up to a byte.
func (s *setter) to(end int) {
	for len(s.notes) > 0 && s.notes[0].at <= end && s.err == nil {
		n := s.notes[0]
		s.notes = s.notes[1:]
		s.write(templ.EscapeString(s.text[s.at:max(s.at, n.at)]))
		s.at = max(s.at, n.at)
		if s.err == nil {
			s.err = n.Render(s.ctx, s.w)
		}
	}
	s.write(templ.EscapeString(s.text[s.at:end]))
	s.at = end
}

func (s *setter) write(html string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, html)
	}
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
