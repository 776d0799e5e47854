package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// charsPerToken is how many characters count as a token, of text and of what is
// sent alike.
const charsPerToken = 4

// writeDocuments joins passages to documents of about so many words, and returns
// their paths and the tokens of all.
func writeDocuments(passages, to string, documents, words int) (files []string, tokens int, err error) {
	f, err := os.Open(passages)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, 0, err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, 0, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	var text strings.Builder
	for have := 0; len(files) < documents && lines.Scan(); {
		var p struct{ Title, Text string }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, 0, err
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
	if err := lines.Err(); err != nil {
		return nil, 0, err
	}
	if len(files) < documents {
		return nil, 0, errors.New("there are passages for only " + fmt.Sprint(len(files)) + " documents")
	}
	return files, tokens, nil
}
