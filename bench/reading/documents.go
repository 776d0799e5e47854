package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/eval"
)

// charsPerToken is how many characters count as a token, of text and of what is
// sent alike.
const charsPerToken = 4

// writeDocuments joins passages of a set to documents of about that many words, and
// returns their paths and the tokens of all.
func writeDocuments(set, to string, documents, words int) (files []string, tokens int, err error) {
	corpus, err := eval.LoadCorpus(set)
	if err != nil {
		return nil, 0, err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, 0, err
	}
	var text strings.Builder
	have := 0
	for _, p := range corpus.Passages {
		if len(files) == documents {
			break
		}
		fmt.Fprintf(&text, "## %s\n\n%s\n\n", p.Title, p.Text)
		if have += len(strings.Fields(p.Text)); have < words {
			continue
		}
		path := filepath.Join(to, fmt.Sprintf("%04d.md", len(files)+1))
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			return nil, 0, err
		}
		files, tokens, have = append(files, path), tokens+text.Len()/charsPerToken, 0
		text.Reset()
	}
	if len(files) < documents {
		return nil, 0, fmt.Errorf("there are passages for only %d documents", len(files))
	}
	return files, tokens, nil
}
