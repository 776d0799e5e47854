package retrieve

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// linked returns the names mentioned in a text, each once, by matching the
// longest runs of words that are the key of a name.
func (s *snapshot) linked(text string) []int32 {
	words := prose.Words(text)
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = prose.Key(w.Text)
	}
	plain := text == strings.ToLower(text)
	var found []int32
	for i := 0; i < len(words); {
		names, n := s.longestRun(words[i:], keys[i:], plain)
		for _, name := range names {
			if !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
		i += max(n, 1)
	}
	return found
}

// longestRun returns the names of the longest prefix of words that is a key, and
// the length of that prefix.
func (s *snapshot) longestRun(words []prose.Token, keys []string, plain bool) (names []int32, n int) {
	for n = min(len(words), s.longest+1); n > 0; n-- {
		if !namelike(words[:n], plain) {
			continue
		}
		key := strings.Join(keys[:n], " ")
		if n > 1 {
			key = strings.TrimPrefix(key, "the ")
		}
		if names = s.byKey[key]; len(names) > 0 {
			return names, n
		}
	}
	return nil, 0
}

// namelike reports whether words can be a name: a content word starts with a
// capital or a digit, or there are at least three content words. In plain text,
// which has no capitals, any content word will do.
func namelike(words []prose.Token, plain bool) bool {
	content := 0
	for _, w := range words {
		if prose.IsStopWord(w.Text) && !prose.IsAcronym(w.Text) {
			continue
		}
		content++
		if plain || w.Text != strings.ToLower(w.Text) || len(words) > 1 && '0' <= w.Text[0] && w.Text[0] <= '9' {
			return true
		}
	}
	return content > 2
}
