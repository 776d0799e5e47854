package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/bench/measure"
)

// documentWords is the length from which a document is full.
const documentWords = 1000

// library is the input of both sides.
type library struct {
	data      string // folder of ours, with the documents read
	passages  string // file of JSON lines for LangGraph
	questions []string
	asked     string // file with the questions
}

// makeLibrary reads passages of a set as n documents of about 1,000 words. What
// is in the folder already is kept.
func makeLibrary(clew, set, dir string, n int) (library, error) {
	l := library{data: filepath.Join(dir, "data"), passages: filepath.Join(dir, "passages.jsonl"), asked: filepath.Join(dir, "questions.json")}
	corpus, err := measure.LoadCorpus(set)
	if err != nil {
		return l, err
	}
	questions, err := measure.LoadQuestions(set)
	if err != nil {
		return l, err
	}
	for _, q := range questions {
		l.questions = append(l.questions, q.Text)
	}
	asked, err := json.Marshal(l.questions)
	if err != nil {
		return l, err
	}
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(files, 0o755); err != nil {
		return l, err
	}
	lines, err := writeDocuments(corpus.Passages, files, n)
	if err != nil {
		return l, err
	}
	if err := errors.Join(os.WriteFile(l.asked, asked, 0o644), os.WriteFile(l.passages, lines, 0o644)); err != nil {
		return l, err
	}
	if _, err := os.Stat(filepath.Join(l.data, "read")); err == nil {
		return l, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	out, err := exec.Command(clew, "ingest", "--data", l.data, "--json", files).CombinedOutput()
	if err != nil {
		return l, fmt.Errorf("%s ingest: %w: %.500s", clew, err, out)
	}
	return l, os.WriteFile(filepath.Join(l.data, "read"), nil, 0o644)
}

// writeDocuments joins passages to n documents, and returns the passages used as
// lines of JSON. It begins again with the first passage when there are too few,
// under other titles.
func writeDocuments(passages []measure.Passage, to string, n int) ([]byte, error) {
	var lines []byte
	at := 0
	for i := range n {
		var text strings.Builder
		for words := 0; words < documentWords; at++ {
			p := passages[at%len(passages)]
			if again := at / len(passages); again > 0 {
				p.Title = fmt.Sprintf("%s, part %d", p.Title, again+1)
			}
			words += len(strings.Fields(p.Text))
			fmt.Fprintf(&text, "# %s\n\n%s\n\n", p.Title, p.Text)
			line, err := json.Marshal(map[string]string{"title": p.Title, "text": p.Text})
			if err != nil {
				return nil, err
			}
			lines = append(append(lines, line...), '\n')
		}
		if err := os.WriteFile(filepath.Join(to, fmt.Sprintf("%03d.md", i+1)), []byte(text.String()), 0o644); err != nil {
			return nil, err
		}
	}
	return lines, nil
}
