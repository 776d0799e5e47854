package neo4j

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

// maxWord bounds a word in code points; the index splits longer ones.
const maxWord = 100

// wordsOf returns the tokens that find an entity: its workspace, its
// keys and the words of its names. The index splits at spaces only, so the
// definition of a word is here and the same for all servers.
func wordsOf(ws domain.WorkspaceID, e domain.Entity, aliasKeys []string) string {
	tokens := []string{workspaceToken(ws), keyToken(e.Key)}
	for _, key := range aliasKeys {
		tokens = append(tokens, keyToken(key))
	}
	return strings.Join(append(tokens, words(append([]string{e.Name}, e.Aliases...)...)...), " ")
}

// workspaceToken returns a token that no word equals, because it starts with _.
func workspaceToken(ws domain.WorkspaceID) string { return "_w" + domain.Hash([]byte(ws))[:16] }
func keyToken(key string) string                  { return "_k" + domain.Hash([]byte(key))[:16] }

// words returns the distinct words of texts, without case and accents.
func words(texts ...string) []string {
	var list []string
	seen := map[string]bool{}
	for _, word := range strings.FieldsFunc(fold(strings.Join(texts, "\n")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		if runes := []rune(word); len(runes) > maxWord {
			word = string(runes[:maxWord])
		}
		if !seen[word] {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// fold drops case, and the diacritics of Latin, Greek and Cyrillic letters.
func fold(text string) string {
	bare := strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	return strings.ReplaceAll(strings.ToLower(norm.NFC.String(bare)), "ς", "σ")
}

// wordQuery returns an index query for the entities of a workspace whose names
// contain all words as prefixes. Words contain nothing special to the index's
// syntax.
func wordQuery(ws domain.WorkspaceID, words []string) string {
	return "+" + workspaceToken(ws) + " +" + strings.Join(words[:min(len(words), graphstore.MaxWords)], "* +") + "*"
}

// keyQuery returns an index query for the entities of a workspace with one of
// keys.
func keyQuery(ws domain.WorkspaceID, keys []string) string {
	return "+" + workspaceToken(ws) + " +(" + strings.Join(lists.Map(keys, keyToken), " ") + ")"
}
