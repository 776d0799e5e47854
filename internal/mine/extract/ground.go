package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
)

// mentions are the places where a text names an entity.
type mentions struct {
	spans []domain.Span
	exact bool // some are the name itself, not another form
}

// find looks for a name in the passage, by the name and its aliases without
// case, accents and punctuation. Failing that it tries a part of the name, its
// initials, and a misspelling.
func (p passage) find(name, label string, aliases []string) mentions {
	parts := pieces(name)
	m := mentions{spans: p.occurrences(parts)}
	if len(m.spans) == 0 && len(parts) > 1 && parts[0].key == "the" {
		m.spans = p.occurrences(parts[1:])
	}
	m.exact = len(m.spans) > 0
	for _, a := range aliases {
		m.spans = union(m.spans, p.occurrences(pieces(a)))
	}
	if len(m.spans) == 0 {
		m.spans = p.part(parts, label)
	}
	if len(m.spans) == 0 {
		m.spans = p.initials(parts)
	}
	if len(m.spans) == 0 {
		m.spans = p.misspelt(parts)
	}
	return m
}

// part finds the longest sequence of a name's words in the text. A single word
// suffices only for a person's surname or first name.
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

// content counts the words that are not stop words.
func content(run []piece) int {
	return lists.CountFunc(run, func(w piece) bool { return !prose.IsStopWord(w.key) && utf8.RuneCountInString(w.key) > 1 })
}

// capitalised drops the spans that begin with a lower-case letter.
func (p passage) capitalised(spans []domain.Span) []domain.Span {
	var out []domain.Span
	for _, s := range spans {
		if first := p.runes[s.Start]; !unicode.IsLower(first) {
			out = append(out, s)
		}
	}
	return out
}

// initials finds the acronym of a name, with or without its stop words.
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

// misspelt finds spans that differ from the name in at most one letter in
// seven. Digits must be equal: 1911 is not 1912.
func (p passage) misspelt(name []piece) []domain.Span {
	want := []rune(joined(name))
	allowed := len(want) / 7
	if allowed == 0 {
		return nil
	}
	return p.windows(len(name), func(at int) bool {
		have := []rune(joined(p.pieces[at : at+len(name)]))
		return digits(have) == digits(want) && abs(len(have)-len(want)) <= allowed && domain.Distance(have, want) <= allowed
	})
}

func joined(name []piece) string {
	return strings.Join(lists.Map(name, func(w piece) string { return w.key }), " ")
}

// digits removes everything but digits.
func digits(s []rune) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, string(s))
}

func abs(n int) int { return max(n, -n) }
