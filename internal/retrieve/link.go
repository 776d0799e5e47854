package retrieve

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
)

// The limits of the names that are looked for in a question.
const (
	longestName = 12   // words
	mostRuns    = 1000 // runs of words looked up as names
	mostWrong   = 4    // words that may be misspelt
)

// named returns the names in the question, which it reads: those that are spelt as the
// graph has them, then those with a letter wrong.
func (s *search) named(p *patch) ([]int32, error) {
	words := prose.Words(s.Text)
	known, err := s.lookUp(p, runs(words, -1))
	if err != nil {
		return nil, err
	}
	named := linked(words, known)
	wrong, err := s.misspelt(p, words, named)
	if err != nil {
		return nil, err
	}
	for _, n := range wrong {
		if !slices.Contains(named, n) {
			named = append(named, n)
		}
	}
	if err := s.read(p, named, nil); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(named, func(n int32) bool { return p.names[n].entity == "" }), nil // deleted since
}

// lookUp returns a function that finds the names of keys: the name with that key, or else those with an alias that has
// it.
func (s *search) lookUp(p *patch, keys []string) (func(key string) []int32, error) {
	if len(keys) == 0 {
		return func(string) []int32 { return nil }, nil
	}
	slices.Sort(keys)
	found, err := s.Graph.ByKey(s.ctx, s.workspace, slices.Compact(keys))
	byKey, byAlias := map[string][]int32{}, map[string][]int32{}
	for _, e := range found {
		n := p.nameOf(e.Key)
		byKey[e.Key] = []int32{n}
		for _, alias := range e.Aliases {
			if key := prose.Key(alias); !slices.Contains(byAlias[key], n) {
				byAlias[key] = append(byAlias[key], n)
			}
		}
	}
	return func(key string) []int32 {
		if names := byKey[key]; len(names) > 0 {
			return names
		}
		return byAlias[key]
	}, err
}

// runs returns the keys of the runs of words that may be a name: all of them, or those with the word at a position.
func runs(words []prose.Token, with int) []string {
	plain := isPlain(words)
	var keys []string
	for from := range words {
		for n := min(longestName, len(words)-from); n > 0; n-- {
			if with >= 0 && (from > with || from+n <= with) || !namelike(words[from:from+n], plain) {
				continue
			}
			if len(keys) == mostRuns {
				return keys
			}
			keys = append(keys, keyOf(words[from:from+n]))
		}
	}
	return keys
}

// keyOf returns the key of a name of some words.
func keyOf(words []prose.Token) string {
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = prose.Key(w.Text)
	}
	key := strings.Join(keys, " ")
	if len(words) > 1 {
		key = strings.TrimPrefix(key, "the ")
	}
	return key
}

// isPlain reports whether words have no capitals.
func isPlain(words []prose.Token) bool {
	return !slices.ContainsFunc(words, func(w prose.Token) bool { return w.Text != strings.ToLower(w.Text) })
}

// linked returns the names mentioned in a text, each once, by matching the
// longest runs of words that are the key of a name.
func linked(words []prose.Token, known func(key string) []int32) []int32 {
	plain := isPlain(words)
	var found []int32
	for i := 0; i < len(words); {
		names, n := longestRun(words[i:], plain, known)
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
func longestRun(words []prose.Token, plain bool, known func(key string) []int32) (names []int32, n int) {
	for n = min(len(words), longestName); n > 0; n-- {
		if !namelike(words[:n], plain) {
			continue
		}
		if names = known(keyOf(words[:n])); len(names) > 0 {
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

// The number of letters that a word must have to be taken for another: alone, and next to correctly spelt words.
const surelyLong, longEnough = 7, 5

// misspelt returns the names that a text mentions with one letter wrong: missing,
// added, changed, or swapped with its neighbour. A capitalised word that occurs in
// no name is read as each word of a name that differs so, and counts if it
// completes a name.
func (s *search) misspelt(p *patch, words []prose.Token, named []int32) ([]int32, error) {
	wrong := p.doubtful(words, named)
	if len(wrong) == 0 {
		return nil, nil
	}
	at, err := s.stateOfGraph()
	if err != nil {
		return nil, err
	}
	spelt, err := s.spelt(s.ctx, s.workspace, at, wrong)
	if err != nil {
		return nil, err
	}
	var keys []string
	var variants []variant
	for i, w := range words {
		key := prose.Key(w.Text)
		if !slices.Contains(wrong, key) || slices.Contains(spelt, key) {
			continue
		}
		for _, right := range spelt {
			if graphstore.OneLetterApart(key, right) {
				mended := slices.Clone(words)
				mended[i].Text = spelledLike(right, w.Text)
				variants = append(variants, variant{mended, i})
				keys = append(keys, runs(mended, i)...)
			}
		}
	}
	known, err := s.lookUp(p, keys[:min(len(keys), mostRuns)])
	found := lists.Flat(variants, func(v variant) []int32 { return v.names(known) })
	slices.SortFunc(found, func(a, b int32) int { return cmp.Compare(p.names[a].key, p.names[b].key) })
	return slices.Compact(found), err
}

// doubtful returns the keys of the capitalised words that are in none of the names.
func (p *patch) doubtful(words []prose.Token, named []int32) []string {
	var keys []string
	for _, w := range words {
		key := prose.Key(w.Text)
		if !prose.IsCapitalised(w.Text) || prose.IsStopWord(w.Text) || utf8.RuneCountInString(key) < longEnough || strings.Contains(key, " ") {
			continue
		}
		in := func(n int32) bool { return slices.Contains(strings.Fields(p.names[n].key), key) }
		if !slices.ContainsFunc(named, in) && !slices.Contains(keys, key) && len(keys) < mostWrong {
			keys = append(keys, key)
		}
	}
	return keys
}

// variant is a text with another spelling of one word.
type variant struct {
	words []prose.Token
	at    int
}

// names returns the names that the word completes.
func (v variant) names(known func(key string) []int32) []int32 {
	for from := max(0, v.at-longestName+1); from <= v.at; from++ {
		names, n := longestRun(v.words[from:], false, known)
		if from+n > v.at && (n > 1 || utf8.RuneCountInString(v.words[v.at].Text) >= surelyLong) {
			return names
		}
	}
	return nil
}
