package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clewhq/clew/internal/domain"
)

// Corpus is what is searched: passages, and what was embedded of them.
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
	Vector []float32 `json:"-"` // of title, line break and text; nil when none is stored
}

// Sentence is a sentence of a passage that was embedded.
type Sentence struct {
	Passage string    `json:"passage"` // its id
	Text    string    `json:"text"`
	Vector  []float32 `json:"-"` // of title, ": " and sentence
}

// Question is what retrieval gets to see of a question.
type Question struct {
	Text   string    `json:"question"`
	Vector []float32 `json:"-"`
}

// Judgement is what scoring needs of a question.
type Judgement struct {
	Gold    []string `json:"gold"`   // ids of the passages that are needed
	Answer  string   `json:"answer"` // "" when it isn't known
	Aliases []string `json:"aliases"`
}

// LoadCorpus reads the passages of a folder, and the vectors that it holds.
// An error of kind Invalid says what the folder lacks.
func LoadCorpus(dir string) (Corpus, error) {
	var c Corpus
	var err error
	if c.Passages, err = readLines[Passage](filepath.Join(dir, "passages.jsonl.gz")); err != nil {
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

// LoadQuestions reads the questions of a folder, without anything that tells
// their answers, not even their ids.
func LoadQuestions(dir string) ([]Question, error) {
	questions, err := readLines[Question](filepath.Join(dir, "questions.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	_, err = eachVector(dir, "questions", len(questions), func(i int, v []float32) { questions[i].Vector = v })
	return questions, err
}

// LoadJudgements reads which passages the questions of a folder need, in the
// order of LoadQuestions.
func LoadJudgements(dir string) ([]Judgement, error) {
	return readLines[Judgement](filepath.Join(dir, "questions.jsonl.gz"))
}

// eachVector calls f with every row of name.f16.npy or name.i8.npy, and
// reports whether there is one.
func eachVector(dir, name string, n int, f func(int, []float32)) (bool, error) {
	for _, ending := range []string{".f16.npy", ".i8.npy"} { // a row's scale vanishes in the unit length
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

// maxLine bounds a line of a file of lines.
const maxLine = 16 << 20

// readLines reads a gzipped file of JSON lines.
func readLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, domain.Errorf(domain.Invalid, "The folder has no %s: %w", filepath.Base(path), err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	var list []T
	lines := bufio.NewScanner(unzipped)
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
