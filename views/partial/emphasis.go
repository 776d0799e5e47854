package partial

import (
	"context"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// emphasis is text between two asterisks or pairs of them, as models set titles and what they stress.
var emphasis = regexp.MustCompile(`(\*{1,2})([^\s*](?:[^*\n]*[^\s*])?)(\*{1,2})`)

// said writes a sentence with its emphasis, and what follows it.
func said(text string, after templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var b strings.Builder
		at := 0
		for _, m := range emphasis.FindAllStringSubmatchIndex(text, -1) {
			opening, closing := text[m[2]:m[3]], text[m[6]:m[7]]
			before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
			next, _ := utf8.DecodeRuneInString(text[m[1]:])
			if opening != closing || isWord(before) || isWord(next) { // a product, or a name with an asterisk
				continue
			}
			tag := []string{"em", "strong"}[len(opening)-1]
			b.WriteString(templ.EscapeString(text[at:m[0]]) + "<" + tag + ">" + templ.EscapeString(text[m[4]:m[5]]) + "</" + tag + ">")
			at = m[1]
		}
		b.WriteString(templ.EscapeString(text[at:]))
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
		return after.Render(ctx, w)
	})
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
