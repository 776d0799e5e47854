package neo4j

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
)

const (
	// maxWord bounds a word in code points: the index cuts longer ones up.
	maxWord = 100
	// maxQueryWords bounds how many words a search asks for; further ones are
	// passed over. The index takes 1,024.
	maxQueryWords = 64
)

// wordsOf are the tokens that an entity is found by: its workspace, its keys
// and the words of its names. The index parts them at spaces and leaves them
// as they are, so that what is a word is decided here alone, for all servers.
func wordsOf(ws domain.WorkspaceID, e domain.Entity, aliasKeys []string) string {
	tokens := []string{workspaceToken(ws), keyToken(e.Key)}
	for _, key := range aliasKeys {
		tokens = append(tokens, keyToken(key))
	}
	return strings.Join(append(tokens, words(append([]string{e.Name}, e.Aliases...)...)...), " ")
}

// A token of the program's own begins with _, which no word does.
func workspaceToken(ws domain.WorkspaceID) string { return "_w" + domain.Hash([]byte(ws))[:16] }
func keyToken(key string) string                  { return "_k" + domain.Hash([]byte(key))[:16] }

// words are the words of texts, each once, without case and accents.
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
	return "+" + workspaceToken(ws) + " +" + strings.Join(words[:min(len(words), maxQueryWords)], "* +") + "*"
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
