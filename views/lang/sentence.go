package lang

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Sentence returns a text that was formatted in English, such as that of an error or what is recorded of a run, in the language of
// the page: by the key of the catalogue that has its format, or sentence by sentence. What has no key stays as it is.
func Sentence(ctx context.Context, text string) string {
	l := Of(ctx)
	if l.words == nil || text == "" || len(text) > maxSentence {
		return text
	}
	return l.text(ctx, text, 0)
}

// text looks up a text whole, or else each of its sentences.
func (l *Language) text(ctx context.Context, text string, depth int) string {
	if said, ok := l.sentence(ctx, text, depth); ok {
		return said
	}
	var out strings.Builder
	for _, part := range sentences(text) {
		said, _ := l.sentence(ctx, strings.TrimSpace(part), depth)
		out.WriteString(said + part[len(strings.TrimRight(part, " \n")):])
	}
	return out.String()
}

// maxSentence is the size in bytes of a text that is looked up, maxNested how deep sentences stand in it.
const maxSentence, maxNested = 8 << 10, 3

// A pattern is a key that takes values.
type pattern struct {
	key     string
	parts   []string // around the values
	places  []int    // of the values, by the parts before them
	numbers []bool   // the values that are written as digits
	quoted  []bool   // values in quotation marks, which are therefore names
	weight  int      // bytes of the parts
}

// verb matches what a format takes.
var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+#0-9.]*([a-zA-Z%])`)

// patternOf takes a key apart.
func patternOf(key string) pattern {
	p, at, next := pattern{key: key, parts: []string{""}}, 0, 0
	for _, m := range verb.FindAllStringSubmatchIndex(key, -1) {
		last := &p.parts[len(p.parts)-1]
		*last += key[at:m[0]]
		kind := key[m[4]]
		if at = m[1]; kind == '%' {
			*last += "%"
			continue
		}
		if m[2] >= 0 {
			next, _ = strconv.Atoi(key[m[2]:m[3]])
			next--
		}
		mark := ""
		if kind == 'q' {
			mark = `"`
		}
		*last += mark
		p.quoted = append(p.quoted, strings.HasSuffix(*last, `"`) || strings.HasSuffix(*last, "“"))
		p.places, p.numbers, p.parts = append(p.places, next), append(p.numbers, kind == 'd'), append(p.parts, mark)
		next++
	}
	p.parts[len(p.parts)-1] += key[at:]
	for _, part := range p.parts {
		p.weight += len(part)
	}
	return p
}

// patterns returns the keys that take values, by the word they begin with, or "" if that is a value.
func (l *Language) patterns() map[string][]pattern {
	l.once.Do(func() { l.formats = l.readPatterns() })
	return l.formats
}

func (l *Language) readPatterns() map[string][]pattern {
	by := map[string][]pattern{}
	for key := range l.words {
		if p := patternOf(key); len(p.places) > 0 && p.weight > 1 {
			word, _, whole := strings.Cut(p.parts[0], " ")
			if !whole {
				word = ""
			}
			by[word] = append(by[word], p)
		}
	}
	return by
}

// sentence looks up a text, as it is or by its pattern, of those the one with the most words of its own.
func (l *Language) sentence(ctx context.Context, text string, depth int) (string, bool) {
	if own, ok := l.words[text]; ok {
		return own, true
	}
	word, _, _ := strings.Cut(text, " ")
	var best *pattern
	var values []string
	for _, bucket := range [][]pattern{l.patterns()[word], l.patterns()[""]} {
		for i := range bucket {
			p := &bucket[i]
			if best != nil && (p.weight < best.weight || p.weight == best.weight && p.key > best.key) {
				continue
			}
			if found, ok := p.match(text); ok {
				best, values = p, found
			}
		}
	}
	if best == nil {
		return l.afterColon(ctx, text, depth)
	}
	if !strings.Contains(best.key, ": ") {
		if before, _, two := strings.Cut(text, ": "); two && l.words[before] != "" {
			return l.afterColon(ctx, text, depth)
		}
	}
	own, isLabel := strings.CutSuffix(l.words[best.key], known)
	for i, v := range values {
		if say, ok := l.words[v]; ok && (isLabel || !ends(best.key)) {
			values[i] = say
		} else {
			values[i] = l.value(ctx, v, best.quoted[i], depth)
		}
	}
	return decline(best.fill(own, values)), true
}

// afterColon looks up the two sides of the first colon of a text: what follows words of the catalogue may be anything, what follows
// another text has to be known too.
func (l *Language) afterColon(ctx context.Context, text string, depth int) (string, bool) {
	before, after, two := strings.Cut(text, ": ")
	if own, known := l.words[before]; two && known {
		return own + ": " + l.text(ctx, after, depth), true
	}
	if !two || depth == maxNested {
		return text, false
	}
	first, ok := l.sentence(ctx, before, depth)
	if !ok {
		return text, false
	}
	second, ok := l.sentence(ctx, after, depth)
	if !ok {
		return text, false
	}
	return first + ": " + second, true
}

// value returns a value of a sentence: a name as it is, anything else in the language where that is known.
func (l *Language) value(ctx context.Context, v string, name bool, depth int) string {
	if name {
		return strings.ReplaceAll(v, `\"`, `"`)
	}
	if t, err := time.Parse(moment, v); err == nil {
		return Moment(ctx, t)
	}
	if amount.MatchString(v) {
		return number(ctx, v)
	}
	if m := things.FindStringSubmatch(v); m != nil {
		return number(ctx, m[1]) + " " + l.T(m[2])
	}
	if first, _ := utf8.DecodeRuneInString(v); depth == maxNested || unicode.IsUpper(first) && !ends(v) {
		return v
	}
	said, _ := l.sentence(ctx, v, depth+1)
	return said
}

// known stands at the end of a translation whose values are words of the catalogue, though they stand in quotation marks.
const known = "⁑"

// amount is a number as it is written in English, with its unit or with a mark between thousands.
var amount = regexp.MustCompile(`^(?:[\d.,]+ [a-zA-Z]{1,3}|\d{1,3}(?:,\d{3})+)$`)

// things matches a number of things.
var things = regexp.MustCompile(`^([\d,]+) (\p{L}[\p{L} ]*)$`)

// match returns the values of a text that has the pattern.
func (p *pattern) match(text string) (values []string, ok bool) {
	n := len(p.parts) - 1
	last := p.parts[n]
	rest, ok := strings.CutPrefix(text, p.parts[0])
	if !ok || !strings.HasSuffix(rest, last) || last == "" && ends(text) && !leads.MatchString(p.parts[n-1]) {
		return nil, false
	}
	for i := range p.places {
		v := strings.TrimSuffix(rest, last)
		if i+1 < len(p.places) {
			if v, rest, ok = strings.Cut(rest, p.parts[i+1]); !ok {
				return nil, false
			}
		}
		if p.numbers[i] && strings.Trim(v, "-0123456789") != "" || !p.quoted[i] && !ends(v) && len(sentences(v)) > 1 ||
			i < n-1 && !ends(p.key) && strings.Contains(v, ": ") || v == "" && p.weight < 12 {
			return nil, false
		}
		values = append(values, v)
	}
	return values, len(rest) >= len(last)
}

// leads matches the text before a sentence that is the last value.
var leads = regexp.MustCompile(`[:.?] $`)

// fill puts values into a translation.
func (p *pattern) fill(own string, values []string) string {
	next := 0
	return verb.ReplaceAllStringFunc(own, func(v string) string {
		m := verb.FindStringSubmatch(v)
		if m[2] == "%" {
			return "%"
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
			next--
		}
		for i, place := range p.places {
			if place == next {
				next++
				return values[i]
			}
		}
		return v
	})
}

// ends reports whether a text ends as a sentence does.
func ends(text string) bool { return strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") }

// sentences splits a text behind its sentences.
func sentences(text string) (parts []string) {
	at := 0
	for _, m := range behind.FindAllStringSubmatchIndex(text, -1) {
		parts, at = append(parts, text[at:m[2]]), m[2]
	}
	return append(parts, text[at:])
}

// behind is where a sentence ends and another begins.
var behind = regexp.MustCompile(`[.?][ \n]+([A-Z“"])`)

// Where names a place in a document: what place says, else the page, else the document alone.
func Where(ctx context.Context, document string, page int, place string) string {
	switch {
	case place != "":
		return document + ", " + Sentence(ctx, place)
	case page > 0:
		return F(ctx, "%s, p. %d", document, page)
	}
	return document
}
