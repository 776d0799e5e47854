package extract

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/llm"
)

// fields are the members of a JSON object in order.
type fields []field

type field struct {
	name  string
	value any // string, fields or []any
}

// The errors are part of the repair prompt.
var (
	errNoJSON = errors.New("it holds no JSON of the form asked for")
	errCut    = errors.New("it was cut off before its first item ended")
)

var (
	// thoughtEnd matches a thought whose beginning is not marked.
	thoughtEnd = regexp.MustCompile(`(?s)^.*</(think|thinking|reasoning|thought)>`)

	unicodeEscapes = regexp.MustCompile(`^(\\u[0-9a-fA-F]{4})+`)
)

// lenient parses the first JSON list or object in text that accept accepts. It
// allows what models do to JSON: text and code fences around it, trailing or
// missing commas, single or curly quotes, names without quotes, line breaks in
// strings, comments. Of truncated text it returns the list items that are
// whole, and whole is false. Scalars become strings, null "".
func lenient(text string, accept func(any) bool) (v any, whole bool, err error) {
	text = thoughtEnd.ReplaceAllString(llm.WithoutThoughts(text), "")
	for range 64 {
		start := strings.IndexAny(text, "{[")
		if start < 0 {
			break
		}
		d := decoder{rest: text[start:]}
		v, whole := d.value(0)
		if accept(v) {
			return v, whole, nil
		}
		text = text[start+1:]
	}
	return nil, false, errNoJSON
}

// decoder reads one value from the beginning of rest.
type decoder struct{ rest string }

// maxDepth bounds the nesting of lists and objects.
const maxDepth = 32

// value reads any value. whole is false when the text is truncated.
func (d *decoder) value(depth int) (v any, whole bool) {
	d.space()
	switch {
	case d.rest == "" || depth > maxDepth:
		d.rest = ""
		return "", false
	case d.rest[0] == '{':
		return d.object(depth)
	case d.rest[0] == '[':
		return d.list(depth)
	}
	return d.text()
}

func (d *decoder) object(depth int) (fields, bool) {
	d.rest = d.rest[1:]
	f := fields{}
	for {
		if d.skip(","); d.rest == "" {
			return f, false
		}
		if d.eat('}') {
			return f, true
		}
		if d.eat(']') { // the wrong bracket
			return f, true
		}
		name, whole := d.name()
		if !whole {
			return f, false
		}
		if d.skip(":="); d.rest == "" {
			return f, false
		}
		v, whole := d.value(depth + 1)
		if _, isText := v.(string); whole || !isText {
			f = append(f, field{name, v})
		}
		if !whole {
			return f, false
		}
	}
}

func (d *decoder) list(depth int) ([]any, bool) {
	d.rest = d.rest[1:]
	items := []any{}
	for {
		if d.skip(","); d.rest == "" {
			return items, false
		}
		if d.eat(']') {
			return items, true
		}
		if d.rest[0] == '}' { // the object ends, and the list in it was never closed
			return items, true
		}
		v, whole := d.value(depth + 1)
		if !whole {
			return items, false
		}
		items = append(items, v)
	}
}

// name reads the name of a member, with or without quotes.
func (d *decoder) name() (string, bool) {
	if quoteOf(d.rest) != "" {
		return d.quoted()
	}
	end := strings.IndexAny(d.rest, ":=,}]\n")
	if end <= 0 {
		end = min(1, len(d.rest)) // always advance
	}
	name := strings.TrimSpace(d.rest[:end])
	d.rest = d.rest[end:]
	return name, d.rest != ""
}

// text reads a string or a bare word: a number, true, null.
func (d *decoder) text() (string, bool) {
	if quoteOf(d.rest) != "" {
		return d.quoted()
	}
	end := strings.IndexAny(d.rest, ",}]\n")
	if end < 0 {
		d.rest = ""
		return "", false
	}
	word := strings.TrimSpace(d.rest[:end])
	if end == 0 {
		end = min(1, len(d.rest))
		if strings.ContainsAny(d.rest[:1], "}],") {
			end = 0
		}
	}
	d.rest = d.rest[end:]
	if word == "null" || word == "None" {
		word = ""
	}
	return word, true
}

// quotes are the pairs that enclose a string.
var quotes = []struct{ open, end string }{{`"`, `"`}, {`'`, `'`}, {"“", "”"}, {"`", "`"}}

// quoteOf returns the closing quote for the quote that s begins with, "" when
// it begins with none.
func quoteOf(s string) string {
	for _, q := range quotes {
		if strings.HasPrefix(s, q.open) {
			return q.end
		}
	}
	return ""
}

// quoted reads a string. What follows tells the closing quote from an
// unescaped one within the string.
func (d *decoder) quoted() (string, bool) {
	end := quoteOf(d.rest)
	_, first := utf8.DecodeRuneInString(d.rest)
	d.rest = d.rest[first:]
	var b strings.Builder
	for d.rest != "" {
		if strings.HasPrefix(d.rest, end) && closes(d.rest[len(end):]) {
			d.rest = d.rest[len(end):]
			return strings.TrimSpace(b.String()), true
		}
		if d.rest[0] == '\\' && len(d.rest) > 1 {
			d.escape(&b)
			continue
		}
		_, n := utf8.DecodeRuneInString(d.rest)
		b.WriteString(d.rest[:n])
		d.rest = d.rest[n:]
	}
	return "", false
}

// closes reports whether s may follow a string.
func closes(s string) bool {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	return s == "" || strings.ContainsRune(",:}]=", rune(s[0])) || quoteOf(s) != "" || strings.HasPrefix(s, "//")
}

func (d *decoder) escape(b *strings.Builder) {
	if escapes := unicodeEscapes.FindString(d.rest); escapes != "" {
		var s string
		_ = json.Unmarshal([]byte(`"`+escapes+`"`), &s) // the pattern is valid JSON
		b.WriteString(s)
		d.rest = d.rest[len(escapes):]
		return
	}
	_, n := utf8.DecodeRuneInString(d.rest[1:])
	switch d.rest[1] {
	case 'n', 't', 'r':
		b.WriteByte(' ')
	case 'b', 'f':
	default:
		b.WriteString(d.rest[1 : 1+n])
	}
	d.rest = d.rest[1+n:]
}

// skip drops white space, comments and the given characters.
func (d *decoder) skip(chars string) {
	for {
		d.space()
		if d.rest == "" || !strings.ContainsRune(chars, rune(d.rest[0])) {
			return
		}
		d.rest = d.rest[1:]
	}
}

func (d *decoder) space() {
	for {
		d.rest = strings.TrimLeftFunc(d.rest, unicode.IsSpace)
		if !strings.HasPrefix(d.rest, "//") {
			return
		}
		_, after, _ := strings.Cut(d.rest, "\n")
		d.rest = after
	}
}

func (d *decoder) eat(c byte) bool {
	if d.rest[0] != c {
		return false
	}
	d.rest = d.rest[1:]
	return true
}
