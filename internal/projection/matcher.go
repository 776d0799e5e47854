package projection

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// matcher finds many titles in a text in one pass, by a tree whose branches
// are words.
type matcher struct {
	root   branch
	probes []string // the longest word of each title; nil when they are too many to try one by one
}

// maxProbes is up to how many titles a text is first searched for one word of
// each, which is ten times as fast as taking it apart.
const maxProbes = 16

// branch is a place in the tree: the words so far.
type branch struct {
	next   map[string]*branch
	titles []title // that end here
}

// newMatcher looks for those of titles that are searchable.
func newMatcher(titles []title) *matcher {
	m := &matcher{}
	for _, t := range titles {
		if searchable(t.form) {
			m.add(t)
			m.probes = append(m.probes, probe(t.form))
		}
	}
	if len(m.probes) > maxProbes || slices.Contains(m.probes, "") {
		m.probes = nil
	}
	return m
}

// probe is the longest word of a title, "" when it is not plain ASCII, whose
// letters keep their size in both cases.
func probe(form string) string {
	longest := ""
	for _, w := range tokenize(form) {
		if len(w.word) > len(longest) {
			longest = w.word
		}
	}
	if strings.ContainsFunc(longest, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return ""
	}
	return longest
}

// mayHold reports whether text may hold one of the titles.
func (m *matcher) mayHold(text string) bool {
	return m.probes == nil || slices.ContainsFunc(m.probes, func(probe string) bool { return holdsFolded(text, probe) })
}

// holdsFolded reports whether text holds word with its first letter as it is
// and the others in any case.
func holdsFolded(text, word string) bool {
	for {
		i := strings.IndexByte(text, word[0])
		if i < 0 || len(text)-i < len(word) {
			return false
		}
		if strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
		text = text[i+1:]
	}
}

func (m *matcher) add(t title) {
	at := &m.root
	for i, w := range tokenize(t.form) {
		step := w.step(i == 0)
		if at.next == nil {
			at.next = map[string]*branch{}
		}
		if at.next[step] == nil {
			at.next[step] = &branch{}
		}
		at = at.next[step]
	}
	at.titles = append(at.titles, t)
}

// empty reports whether m looks for nothing.
func (m *matcher) empty() bool { return len(m.root.next) == 0 }

// find is where a document's chunk holds the titles of other documents: the
// spans by key.
func (m *matcher) find(c domain.Chunk) map[string][]domain.Span {
	if m.empty() || !m.mayHold(c.Text) {
		return nil
	}
	found := map[string][]domain.Span{}
	words := tokenize(c.Text)
	for i, first := range words {
		at := m.root.next[first.step(true)]
		for j := i; at != nil; {
			span := domain.Span{Start: c.Span.Start + first.start, End: c.Span.Start + words[j].end}
			for _, t := range at.titles {
				if t.document != c.Document && !slices.Contains(found[t.key], span) {
					found[t.key] = append(found[t.key], span)
				}
			}
			if j++; j == len(words) || at.next == nil {
				break
			}
			at = at.next[words[j].step(false)]
		}
	}
	return found
}

// token is a word of a text with what stands before it.
type token struct {
	word       string // its first letter as written, the others in lower case
	gap        string // signs and white space between the word before and this one
	start, end int    // code points
}

// step is the token's name in the tree. What stands between the words counts:
// "New York" is not found in "is new. York".
func (t token) step(first bool) string {
	if first {
		return t.word
	}
	return t.gap + t.word
}

// tokenize splits a text into runs of letters, marks and digits.
func tokenize(text string) []token {
	words := make([]token, 0, len(text)/6+1)
	at, gapFrom, wordFrom, wordStart := 0, 0, -1, 0
	for i, r := range text {
		if isWordRune(r) {
			if wordFrom < 0 {
				wordFrom, wordStart = i, at
			}
		} else if wordFrom >= 0 {
			words = append(words, token{foldWord(text[wordFrom:i]), foldGap(text[gapFrom:wordFrom]), wordStart, at})
			gapFrom, wordFrom = i, -1
		}
		at++
	}
	if wordFrom >= 0 {
		words = append(words, token{foldWord(text[wordFrom:]), foldGap(text[gapFrom:wordFrom]), wordStart, at})
	}
	return words
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

func foldWord(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	rest := w[n:]
	if lower := strings.ToLower(rest); lower != rest {
		return w[:n] + lower
	}
	return w
}

// foldGap makes white space one blank and the typographic signs plain.
func foldGap(gap string) string {
	if gap == " " || gap == "" {
		return gap
	}
	folded := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '’' || r == '‘':
			return '\''
		case r == '–' || r == '—' || r == '‑' || r == '‐':
			return '-'
		}
		return r
	}, gap)
	for strings.Contains(folded, "  ") {
		folded = strings.ReplaceAll(folded, "  ", " ")
	}
	return folded
}
