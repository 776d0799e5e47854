package llm

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// An Object is a JSON object with its members in order. Their values are strings,
// Objects and lists ([]any).
type Object []Member

// A Member is a member of an Object.
type Member struct {
	Name  string
	Value any
}

// ErrNoJSON is returned for a text without JSON of the form asked for.
var ErrNoJSON = errors.New("it holds no JSON of the form asked for")

var unicodeEscapes = regexp.MustCompile(`^(\\u[0-9a-fA-F]{4})+`)

// Limits on the search for JSON in a text.
const (
	mostStarts  = 64 // brackets that may begin the JSON
	mostEncoded = 3  // how often JSON may be encoded in a string

	mostText = 2 << 20 // bytes; the rest counts as truncated
)

// ReadJSON parses the first JSON list or object in a model's text that accept accepts.
// It allows what models do to JSON: text and code fences around it, trailing or missing
// commas, single or curly quotes, names without quotes, line breaks in strings,
// comments, JSON in a string. Of truncated text it returns the list items that are
// whole, and whole is false. Scalars become strings, null "".
func ReadJSON(text string, accept func(any) bool) (v any, whole bool, err error) {
	text = decodeStrings(text[:min(len(text), mostText)])
	for range mostStarts {
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
	return nil, false, ErrNoJSON
}

// ReadObject parses the first JSON object in a text that has a member of one of the
// names, as ReadJSON.
func ReadObject(text string, names ...string) (o Object, whole, ok bool) {
	v, whole, err := ReadJSON(text, func(v any) bool {
		o, ok := v.(Object)
		return ok && o.Has(names...)
	})
	if err != nil {
		return nil, false, false
	}
	o, ok = v.(Object)
	return o, whole, ok
}

// decodeStrings decodes a text that is a JSON string, or several times one.
func decodeStrings(text string) string {
	for range mostEncoded {
		var inner string
		if json.Unmarshal([]byte(unfenced(text)), &inner) != nil {
			return text
		}
		text = inner
	}
	return text
}

// fence matches a text that is one code block.
var fence = regexp.MustCompile("(?s)^\\s*```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```\\s*$")

// unfenced returns the contents of a code block, or a text that is not one.
func unfenced(text string) string {
	if at := fence.FindStringSubmatch(text); at != nil && !strings.Contains(at[1], "```") {
		return at[1]
	}
	return text
}

// Find returns the member with the first of the names that occurs, ignoring case.
func (o Object) Find(names ...string) (any, bool) {
	for _, name := range names {
		for _, m := range o {
			if strings.EqualFold(m.Name, name) {
				return m.Value, true
			}
		}
	}
	return nil, false
}

// Has reports whether there is a member of one of the names.
func (o Object) Has(names ...string) bool {
	_, ok := o.Find(names...)
	return ok
}

// Text returns a member as text, or "" if there is none.
func (o Object) Text(names ...string) string {
	v, _ := o.Find(names...)
	return Scalar(v)
}

// List returns the items of a member; a single value is a list of one.
func (o Object) List(names ...string) []any {
	v, ok := o.Find(names...)
	if items, isList := v.([]any); isList {
		return items
	}
	if !ok || v == "" {
		return nil
	}
	return []any{v}
}

// Numbers returns the values of a member that are whole numbers.
func (o Object) Numbers(names ...string) []int {
	var out []int
	for _, item := range o.List(names...) {
		for _, word := range strings.FieldsFunc(Scalar(item), func(r rune) bool { return strings.ContainsRune(", []#", r) }) {
			if n, err := strconv.Atoi(word); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// Scalar returns a value as text: a list of texts is joined, an object is "".
func Scalar(v any) string {
	switch v := v.(type) {
	case string:
		return domain.OneLine(v)
	case []any:
		var parts []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
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
	v, whole = d.text()
	if text, ok := v.(string); ok && whole && encoded.MatchString(text) && json.Valid([]byte(text)) {
		inner := decoder{rest: text}
		return inner.value(depth + 1)
	}
	return v, whole
}

// encoded matches what may be JSON in a string.
var encoded = regexp.MustCompile(`^(?:\{\s*["}]|\[\s*[{"\[])`)

func (d *decoder) object(depth int) (Object, bool) {
	d.rest = d.rest[1:]
	f := Object{}
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
			f = append(f, Member{name, v})
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
		if d.rest[0] == '}' { // the object ends, but the list in it was never closed
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
	d.rest = d.rest[end:]
	if word == "null" || word == "None" {
		word = ""
	}
	return word, true
}

// quotes are the pairs that enclose a string.
var quotes = []struct{ open, end string }{{`"`, `"`}, {`'`, `'`}, {"“", "”"}, {"`", "`"}}

// quoteOf returns the closing quote for the quote that s begins with, or "" if it begins with none.
func quoteOf(s string) string {
	for _, q := range quotes {
		if strings.HasPrefix(s, q.open) {
			return q.end
		}
	}
	return ""
}

// quoted reads a string. The text after a quote decides whether it closes the string or is an unescaped quote within.
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
