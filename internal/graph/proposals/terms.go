package proposals

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
)

// withoutTerms leaves out the proposals between two terms. A term is a name of words
// that the documents which mention it also write small: a contract defines "the Work"
// and goes on about works. Whether two of them are the same says nothing about the
// world, and a library with a few licences would have a queue of little else.
func (s *Service) withoutTerms(ctx context.Context, w domain.WorkspaceID, l library, list []ledger.Proposal) ([]ledger.Proposal, error) {
	small := map[domain.DocumentID]map[string]bool{} // stems of the words that a document writes small
	for _, p := range list {
		for _, id := range []domain.EntityID{p.A, p.B} {
			for _, chunk := range l.first[l.at[id]] {
				if d := l.document[chunk]; small[d] == nil {
					passages, err := s.Ledger.Passages(ctx, w, l.chunks[d])
					if err != nil {
						return nil, err
					}
					small[d] = smallWords(passages)
				}
			}
		}
	}
	isTerm := func(id domain.EntityID) bool {
		i := l.at[id]
		return isTerm(l.entities[i].Name, func(stem string) bool {
			return slices.ContainsFunc(l.first[i], func(c domain.ChunkID) bool { return small[l.document[c]][stem] })
		})
	}
	return slices.DeleteFunc(list, func(p ledger.Proposal) bool { return isTerm(p.A) && isTerm(p.B) }), nil
}

// isTerm reports whether a name has words with a capital, and each of them is written
// small elsewhere.
func isTerm(name string, writtenSmall func(stem string) bool) bool {
	capitals := 0
	for _, word := range wordsOf(name) {
		if first := []rune(word)[0]; !unicode.IsUpper(first) {
			if !unicode.IsLower(first) {
				return false // a script without small letters, or a number
			}
			continue
		}
		if capitals++; !writtenSmall(prose.Stem(strings.ToLower(word))) {
			return false
		}
	}
	return capitals > 0
}

func smallWords(passages []domain.Passage) map[string]bool {
	stems := map[string]bool{}
	for _, p := range passages {
		for _, word := range wordsOf(p.Text) {
			if unicode.IsLower([]rune(word)[0]) {
				stems[prose.Stem(word)] = true
			}
		}
	}
	return stems
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
