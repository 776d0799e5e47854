package neo4j

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
)

// maxWord bounds a word in code points: the index cuts longer ones up.
const maxWord = 100

// wordsOf are the tokens that an entity is found by: its workspace, its keys
// and the words of its names. The index parts them at spaces and leaves them
// as they are, so that what is a word is decided here alone, for all servers.
func wordsOf(ws domain.WorkspaceID, e domain.Entity, aliasKeys []string) string {
	tokens := []string{workspaceToken(ws), keyToken(e.Key)}
	for _, key := range aliasKeys {
		tokens = append(tokens, keyToken(key))
	}
	seen := map[string]bool{}
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		for _, word := range words(name) {
			if !seen[word] {
				seen[word] = true
				tokens = append(tokens, word)
			}
		}
	}
	return strings.Join(tokens, " ")
}

// A token of the program's own begins with _, which no word does.
func workspaceToken(ws domain.WorkspaceID) string { return "_w" + domain.Hash([]byte(ws))[:16] }
func keyToken(key string) string                  { return "_k" + domain.Hash([]byte(key))[:16] }

// words are the words of text, without case and accents.
func words(text string) []string {
	list := strings.FieldsFunc(fold(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	for i, word := range list {
		if runes := []rune(word); len(runes) > maxWord {
			list[i] = string(runes[:maxWord])
		}
	}
	return list
}

// fold drops case, and the marks that Latin, Greek and Cyrillic letters wear.
func fold(text string) string {
	bare := strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	return strings.ReplaceAll(strings.ToLower(norm.NFC.String(bare)), "ς", "σ")
}

// wordQuery asks the index for the entities of a workspace in whose names all
// of one or more words begin a word. Words hold nothing that means something in the
// index's language.
func wordQuery(ws domain.WorkspaceID, words []string) string {
	return "+" + workspaceToken(ws) + " +" + strings.Join(words, "* +") + "*"
}

// keyQuery asks the index for the entities of a workspace that have one of
// keys.
func keyQuery(ws domain.WorkspaceID, keys []string) string {
	tokens := make([]string, len(keys))
	for i, key := range keys {
		tokens[i] = keyToken(key)
	}
	return "+" + workspaceToken(ws) + " +(" + strings.Join(tokens, " ") + ")"
}
