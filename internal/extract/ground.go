package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// found is where a text names an entity.
type found struct {
	spans []domain.Span
	exact bool // by the name itself, not by another form
}

// ground looks a name up in the passage: as it is written but for case,
// accents and signs, and by its other forms; failing that by a part of it, by
// its initials, or as it may have been misspelt. No spans mean that the text
// does not name it.
func (p passage) ground(name, label string, aliases []string) found {
	parts := pieces(name)
	f := found{spans: p.occurrences(parts)}
	if len(f.spans) == 0 && len(parts) > 1 && parts[0].key == "the" {
		f.spans = p.occurrences(parts[1:])
	}
	f.exact = len(f.spans) > 0
	for _, a := range aliases {
		f.spans = union(f.spans, p.occurrences(pieces(a)))
	}
	if len(f.spans) > 0 {
		return f
	}
	for _, look := range []func() []domain.Span{
		func() []domain.Span { return p.part(parts, label) },
		func() []domain.Span { return p.initials(parts) },
		func() []domain.Span { return p.misspelt(parts) },
	} {
		if f.spans = look(); len(f.spans) > 0 {
			return f
		}
	}
	return f
}

// part finds the longest run of a name's words that the text has. A single
// word is enough only for a person, whose surname or first name it is.
func (p passage) part(name []piece, label string) []domain.Span {
	person := Label(label) == "Person" || Label(label) == domain.UnknownLabel
	for length := len(name) - 1; length >= 1; length-- {
		for start := len(name) - length; start >= 0; start-- {
			run := name[start : start+length]
			atEdge := start == 0 || start+length == len(name)
			if content(run) < 2 && !(person && length == 1 && atEdge && content(run) == 1) {
				continue
			}
			if spans := p.capitalised(p.occurrences(run)); len(spans) > 0 {
				return spans
			}
		}
	}
	return nil
}

// content counts the words that mean something.
func content(run []piece) int {
	n := 0
	for _, w := range run {
		if !prose.IsStopWord(w.key) && utf8.RuneCountInString(w.key) > 1 {
			n++
		}
	}
	return n
}

// capitalised keeps the places that look like a name: every script without
// capitals does.
func (p passage) capitalised(spans []domain.Span) []domain.Span {
	var out []domain.Span
	for _, s := range spans {
		if first := p.runes[s.Start]; !unicode.IsLower(first) {
			out = append(out, s)
		}
	}
	return out
}

// initials finds the short form made of a name's first letters, with or
// without its small words.
func (p passage) initials(name []piece) []domain.Span {
	if len(name) < 2 {
		return nil
	}
	var all, main strings.Builder
	for _, w := range name {
		r, _ := utf8.DecodeRuneInString(w.key)
		all.WriteRune(unicode.ToUpper(r))
		if !prose.IsStopWord(w.key) {
			main.WriteRune(unicode.ToUpper(r))
		}
	}
	return p.windows(1, func(at int) bool {
		text := strings.ReplaceAll(p.pieces[at].word.Text, ".", "")
		return utf8.RuneCountInString(text) >= 2 && (text == all.String() || text == main.String())
	})
}

// misspelt finds places that differ from the name in at most one letter of
// seven. Numbers must agree: 1911 is not 1912.
func (p passage) misspelt(name []piece) []domain.Span {
	want := []rune(joined(name))
	allowed := len(want) / 7
	if allowed == 0 {
		return nil
	}
	return p.windows(len(name), func(at int) bool {
		have := []rune(joined(p.pieces[at : at+len(name)]))
		return digits(have) == digits(want) && abs(len(have)-len(want)) <= allowed && distance(have, want) <= allowed
	})
}

func joined(name []piece) string {
	keys := make([]string, len(name))
	for i, w := range name {
		keys[i] = w.key
	}
	return strings.Join(keys, " ")
}

// distance counts the letters to change, add or drop to get from a to b
// (Levenshtein).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			next := diagonal
			if x != y {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// digits are the digits of a text alone.
func digits(s []rune) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, string(s))
}

func abs(n int) int { return max(n, -n) }
