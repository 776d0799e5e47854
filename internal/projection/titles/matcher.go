package titles

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// Matcher finds many titles in a text in one pass, by a tree (trie) of words.
type Matcher struct {
	root   node
	probes []string // the longest word of each title; nil to skip the probing
}

// maxProbes is the largest number of titles for which a text is first searched
// for one word of each, which is ten times as fast as tokenizing it.
const maxProbes = 16

// node stands for the words on the path to it.
type node struct {
	next   map[string]*node
	titles []Title // that end here
}

// NewMatcher returns a matcher for the searchable titles.
func NewMatcher(titles []Title) *Matcher {
	m := &Matcher{}
	for _, t := range titles {
		if searchable(t.Form) {
			m.add(t)
			m.probes = append(m.probes, probe(t.Form))
		}
	}
	if len(m.probes) > maxProbes || slices.Contains(m.probes, "") {
		m.probes = nil
	}
	return m
}

func (m *Matcher) add(t Title) {
	at := &m.root
	for i, w := range tokenize(t.Form) {
		label := w.label(i == 0)
		if at.next == nil {
			at.next = map[string]*node{}
		}
		if at.next[label] == nil {
			at.next[label] = &node{}
		}
		at = at.next[label]
	}
	at.titles = append(at.titles, t)
}

// probe returns the longest word of a title, or "" if it is not plain ASCII:
// other letters may change their size with their case.
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

// mayContain reports whether text may contain one of the titles.
func (m *Matcher) mayContain(text string) bool {
	return m.probes == nil || slices.ContainsFunc(m.probes, func(probe string) bool { return containsFolded(text, probe) })
}

// containsFolded reports whether text contains word, with the same first
// letter and the others in any case.
func containsFolded(text, word string) bool {
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

// Empty reports whether the matcher has no titles.
func (m *Matcher) Empty() bool { return len(m.root.next) == 0 }

// Find returns the spans at which a chunk contains titles of other documents,
// by the titles' keys.
func (m *Matcher) Find(c domain.Chunk) map[string][]domain.Span {
	if m.Empty() || !m.mayContain(c.Text) {
		return nil
	}
	found := map[string][]domain.Span{}
	words := tokenize(c.Text)
	for i, first := range words {
		at := m.root.next[first.label(true)]
		for j := i; at != nil; {
			span := domain.Span{Start: c.Span.Start + first.start, End: c.Span.Start + words[j].end}
			for _, t := range at.titles {
				if t.Document != c.Document && !slices.Contains(found[t.Key], span) {
					found[t.Key] = append(found[t.Key], span)
				}
			}
			if j++; j == len(words) || at.next == nil {
				break
			}
			at = at.next[words[j].label(false)]
		}
	}
	return found
}
