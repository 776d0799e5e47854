package extract

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fields is a JSON object with its members in order.
type fields []field

type field struct {
	name  string
	value any // string, fields, []any
}

var (
	errNoJSON = errors.New("it holds no JSON of the form asked for")
	errCut    = errors.New("it was cut off before its first item ended")

	// thought is what a model thinks aloud. Where only its end is marked,
	// everything before is thought.
	thought   = regexp.MustCompile(`(?s)<(think|thinking|reasoning|thought)>.*?</(think|thinking|reasoning|thought)>`)
	thoughtTo = regexp.MustCompile(`(?s)^.*</(think|thinking|reasoning|thought)>`)
)

// lenient finds the first JSON list or object in text that accept takes and
// reads it, forgiving what models do to JSON: words and code fences around it,
// trailing or missing commas, single or curly quotes, names without quotes,
// line breaks within texts, comments. Text that breaks off gives what was
// whole before: an item of a list that is not is left out. whole reports
// whether nothing was missing. Scalars become texts; null is "".
func lenient(text string, accept func(any) bool) (v any, whole bool, err error) {
	text = thoughtTo.ReplaceAllString(thought.ReplaceAllString(text, ""), "")
	for range 64 {
		start := strings.IndexAny(text, "{[")
		if start < 0 {
			break
		}
		r := reader{rest: text[start:]}
		v, whole := r.value(0)
		if accept(v) {
			return v, whole, nil
		}
		text = text[start+1:]
	}
	return nil, false, errNoJSON
}

// reader reads one value from the beginning of rest.
type reader struct{ rest string }

// maxDepth bounds how deeply lists and objects may nest.
const maxDepth = 32

// value reads any value; whole is false when the text ended too early.
func (r *reader) value(depth int) (v any, whole bool) {
	r.space()
	switch {
	case r.rest == "" || depth > maxDepth:
		r.rest = ""
		return "", false
	case r.rest[0] == '{':
		return r.object(depth)
	case r.rest[0] == '[':
		return r.list(depth)
	}
	return r.text()
}

func (r *reader) object(depth int) (fields, bool) {
	r.rest = r.rest[1:]
	f := fields{}
	for {
		if r.skip(","); r.rest == "" {
			return f, false
		}
		if r.eat('}') {
			return f, true
		}
		if r.eat(']') { // one bracket for another
			return f, true
		}
		name, whole := r.name()
		if !whole {
			return f, false
		}
		if r.skip(":="); r.rest == "" {
			return f, false
		}
		v, whole := r.value(depth + 1)
		if _, isText := v.(string); whole || !isText {
			f = append(f, field{name, v})
		}
		if !whole {
			return f, false
		}
	}
}

func (r *reader) list(depth int) ([]any, bool) {
	r.rest = r.rest[1:]
	items := []any{}
	for {
		if r.skip(","); r.rest == "" {
			return items, false
		}
		if r.eat(']') {
			return items, true
		}
		if r.rest[0] == '}' { // the list was never closed, its object is
			return items, true
		}
		v, whole := r.value(depth + 1)
		if !whole {
			return items, false
		}
		items = append(items, v)
	}
}

// name reads the name of a member, with or without quotes.
func (r *reader) name() (string, bool) {
	if quoteOf(r.rest) != "" {
		return r.quoted()
	}
	end := strings.IndexAny(r.rest, ":=,}]\n")
	if end <= 0 {
		end = min(1, len(r.rest)) // always move on
	}
	name := strings.TrimSpace(r.rest[:end])
	r.rest = r.rest[end:]
	return name, r.rest != ""
}

// text reads a quoted text or a bare word: a number, true, null.
func (r *reader) text() (string, bool) {
	if quoteOf(r.rest) != "" {
		return r.quoted()
	}
	end := strings.IndexAny(r.rest, ",}]\n")
	if end < 0 {
		r.rest = ""
		return "", false
	}
	word := strings.TrimSpace(r.rest[:end])
	if end == 0 {
		end = min(1, len(r.rest))
		if strings.ContainsAny(r.rest[:1], "}],") {
			end = 0
		}
	}
	r.rest = r.rest[end:]
	if word == "null" || word == "None" {
		word = ""
	}
	return word, true
}

// quotes are what opens a text, with what closes it.
var quotes = []struct{ open, end string }{{`"`, `"`}, {`'`, `'`}, {"“", "”"}, {"`", "`"}}

// quoteOf is the closing quote for the quote at the beginning of s.
func quoteOf(s string) string {
	for _, q := range quotes {
		if strings.HasPrefix(s, q.open) {
			return q.end
		}
	}
	return ""
}

// quoted reads a text between quotes. A quote within it that was not escaped
// is told from the closing one by what follows.
func (r *reader) quoted() (string, bool) {
	end := quoteOf(r.rest)
	_, first := utf8.DecodeRuneInString(r.rest)
	r.rest = r.rest[first:]
	var b strings.Builder
	for r.rest != "" {
		if strings.HasPrefix(r.rest, end) && closes(r.rest[len(end):]) {
			r.rest = r.rest[len(end):]
			return strings.TrimSpace(b.String()), true
		}
		if r.rest[0] == '\\' && len(r.rest) > 1 {
			r.escape(&b)
			continue
		}
		_, n := utf8.DecodeRuneInString(r.rest)
		b.WriteString(r.rest[:n])
		r.rest = r.rest[n:]
	}
	return "", false
}

// closes reports whether what follows a quote may follow a text.
func closes(s string) bool {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	return s == "" || strings.ContainsRune(",:}]=", rune(s[0])) || quoteOf(s) != "" || strings.HasPrefix(s, "//")
}

func (r *reader) escape(b *strings.Builder) {
	c := r.rest[1]
	if c == 'u' {
		r.unicode(b)
		return
	}
	_, n := utf8.DecodeRuneInString(r.rest[1:])
	switch c {
	case 'n', 't', 'r':
		b.WriteByte(' ')
	case 'b', 'f':
	default:
		b.WriteString(r.rest[1 : 1+n])
	}
	r.rest = r.rest[1+n:]
}

// skip drops white space, comments and the given signs.
func (r *reader) skip(signs string) {
	for {
		r.space()
		if r.rest == "" || !strings.ContainsRune(signs, rune(r.rest[0])) {
			return
		}
		r.rest = r.rest[1:]
	}
}

func (r *reader) space() {
	for {
		r.rest = strings.TrimLeftFunc(r.rest, unicode.IsSpace)
		if !strings.HasPrefix(r.rest, "//") {
			return
		}
		_, after, _ := strings.Cut(r.rest, "\n")
		r.rest = after
	}
}

func (r *reader) eat(sign byte) bool {
	if r.rest[0] != sign {
		return false
	}
	r.rest = r.rest[1:]
	return true
}
