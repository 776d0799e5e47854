package measure

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Corpus holds the passages that are searched, with their vectors.
type Corpus struct {
	Passages  []Passage
	Sentences []Sentence
	Embedded  bool // the passages have vectors
}

// Passage is a paragraph with a title.
type Passage struct {
	ID     string    `json:"id"`
	Title  string    `json:"title"`
	Text   string    `json:"text"`
	Vector []float32 `json:"-"` // of title, line break and text; nil when the folder has none
}

// Sentence is an embedded sentence of a passage.
type Sentence struct {
	Passage string    `json:"passage"` // its id
	Text    string    `json:"text"`
	Vector  []float32 `json:"-"` // of title, ": " and sentence
}

// Question is the part of a question that retrieval sees.
type Question struct {
	Text   string    `json:"question"`
	Vector []float32 `json:"-"`
}

// Judgement is the part of a question that scoring needs.
type Judgement struct {
	Gold    []string `json:"gold"`   // ids of the needed passages
	Answer  string   `json:"answer"` // "" when unknown
	Aliases []string `json:"aliases"`
}

const corpusFile = "passages.jsonl.gz"

// LoadCorpus reads the passages and the vectors of a folder. An Invalid error
// says what the folder lacks.
func LoadCorpus(dir string) (Corpus, error) {
	var c Corpus
	var err error
	if c.Passages, err = readLines[Passage](filepath.Join(dir, corpusFile)); err != nil {
		return c, err
	}
	c.Embedded, err = eachVector(dir, "passages", len(c.Passages), func(i int, v []float32) { c.Passages[i].Vector = v })
	if err != nil {
		return c, err
	}
	c.Sentences, err = readLines[Sentence](filepath.Join(dir, "sentences.jsonl.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	_, err = eachVector(dir, "sentences", len(c.Sentences), func(i int, v []float32) { c.Sentences[i].Vector = v })
	return c, err
}

// LoadQuestions reads the questions of a folder without their ids, which may
// give away the answers.
func LoadQuestions(dir string) ([]Question, error) {
	questions, err := readLines[Question](filepath.Join(dir, "questions.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	_, err = eachVector(dir, "questions", len(questions), func(i int, v []float32) { questions[i].Vector = v })
	return questions, err
}

// LoadJudgements reads the judgements of a folder in the order of LoadQuestions.
func LoadJudgements(dir string) ([]Judgement, error) {
	return readLines[Judgement](filepath.Join(dir, "questions.jsonl.gz"))
}

// eachVector calls f with every row of name.f16.npy or name.i8.npy, and reports
// whether one of the files exists.
func eachVector(dir, name string, n int, f func(int, []float32)) (bool, error) {
	for _, ending := range []string{".f16.npy", ".i8.npy"} { // unit length makes the scale of a row irrelevant
		path := filepath.Join(dir, name+ending)
		a, err := readArray(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		if a.rows != n {
			return false, domain.Errorf(domain.Invalid, "%s has %d rows, but there are %d %s.", path, a.rows, n, name)
		}
		for i := range n {
			f(i, a.unit(i))
		}
		return true, nil
	}
	return false, nil
}

// maxLine bounds the bytes of a line.
const maxLine = 16 << 20

// readLines reads a file of JSON lines, gzipped if its name ends in .gz.
func readLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, domain.Errorf(domain.Invalid, "The folder has no %s: %w", filepath.Base(path), err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	var list []T
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var item T
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			return nil, fmt.Errorf("read %s, line %d: %w", path, len(list)+1, err)
		}
		list = append(list, item)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return list, nil
}
