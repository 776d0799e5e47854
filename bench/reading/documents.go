package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/bench/measure"
)

// charsPerToken is how many characters count as a token, of text and of what is
// sent alike.
const charsPerToken = 4

// passagesOf reads the passages of all sets in a folder, by the names of the sets.
func passagesOf(folder string) (all []measure.Passage, err error) {
	sets, err := filepath.Glob(filepath.Join(folder, "*", "passages.jsonl.gz"))
	if err != nil || len(sets) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s holds no set of passages", folder))
	}
	for _, set := range sets {
		corpus, err := measure.LoadCorpus(filepath.Dir(set))
		if err != nil {
			return nil, err
		}
		all = append(all, corpus.Passages...)
	}
	return all, nil
}

// writeDocuments joins passages to documents of about that many words, and returns
// their paths and the tokens of all.
func writeDocuments(passages []measure.Passage, to string, documents, words int) (files []string, tokens int, err error) {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, 0, err
	}
	var text strings.Builder
	have := 0
	for _, p := range passages {
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
