package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/clewhq/clew/bench/measure"
	"github.com/clewhq/clew/internal/prose"
)

// dimensions is the length of the vectors of sentences, which are random.
const dimensions = 384

// measureRetrieval searches for the questions of all sets in a library of their
// passages and of copies in which other names stand, and returns the times of
// each method.
func measureRetrieval(ctx context.Context, sets, dir string, copies int) ([]measure.Score, int, error) {
	folders, err := filepath.Glob(filepath.Join(sets, "*", "passages.jsonl.gz"))
	if err != nil {
		return nil, 0, err
	}
	passages := 0
	for _, f := range folders {
		for k := range copies {
			from := filepath.Dir(f)
			n, err := writeCopy(from, filepath.Join(dir, fmt.Sprintf("%s-%d", filepath.Base(from), k)), uint64(k))
			if err != nil {
				return nil, 0, err
			}
			passages += n
		}
	}
	var all []measure.Score
	err = measure.Temporary(ctx, time.Now, func(p measure.Params) (err error) {
		all, err = measure.Retrieval(ctx, p, dir)
		return err
	})
	return slices.DeleteFunc(all, func(r measure.Score) bool { return r.Folder != "all" }), passages, err
}

// name matches a word that may be part of a name.
var name = regexp.MustCompile(`\p{Lu}\p{L}+`)

// writeCopy writes a set under other names, which it draws from its own, and
// gives each sentence a vector. Copy 0 keeps the names and the questions.
func writeCopy(from, to string, k uint64) (int, error) {
	corpus, err := measure.LoadCorpus(from)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return 0, err
	}
	random := rand.New(rand.NewPCG(k, 1))
	other := names(corpus.Passages, random, k > 0)
	rename := func(text string) string {
		return name.ReplaceAllStringFunc(text, func(s string) string { return other[s] })
	}
	var passages, sentences lines
	var vectors []byte
	for _, p := range corpus.Passages {
		p.Title, p.Text = rename(p.Title), rename(p.Text)
		passages.add(p)
		for _, span := range prose.Sentences(p.Text) {
			sentences.add(measure.Sentence{Passage: p.ID, Text: span.Slice(p.Text)})
			for range dimensions {
				vectors = append(vectors, byte(int8(random.IntN(255)-127)))
			}
		}
	}
	header := fmt.Sprintf("{'descr': '|i1', 'fortran_order': False, 'shape': (%d, %d), }\n", sentences.n, dimensions)
	array := append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), 0})+header), vectors...)
	err = errors.Join(passages.write(to, "passages"), sentences.write(to, "sentences"), os.WriteFile(filepath.Join(to, "sentences.i8.npy"), array, 0o644),
		copyFile(from, to, "passages.f16.npy"))
	if k > 0 {
		return len(corpus.Passages), errors.Join(err, new(lines).write(to, "questions"))
	}
	return len(corpus.Passages), errors.Join(err, copyFile(from, to, "questions.jsonl.gz"), copyFile(from, to, "questions.f16.npy"))
}

// names maps each name in the passages to its replacement.
func names(passages []measure.Passage, random *rand.Rand, shuffle bool) map[string]string {
	other := map[string]string{}
	var all []string
	for _, p := range passages {
		for _, s := range name.FindAllString(p.Title+" "+p.Text, -1) {
			if _, ok := other[s]; !ok {
				other[s] = s
				all = append(all, s)
			}
		}
	}
	if shuffle {
		for i, j := range random.Perm(len(all)) {
			other[all[i]] = all[j]
		}
	}
	return other
}

// lines gathers values as lines of JSON.
type lines struct {
	text []byte
	n    int
}

func (l *lines) add(v any) {
	line, _ := json.Marshal(v) // strings only
	l.text, l.n = append(append(l.text, line...), '\n'), l.n+1
}

// write writes the lines to name.jsonl.gz in a folder.
func (l *lines) write(dir, name string) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(l.text); err != nil {
		return err
	}
	return errors.Join(z.Close(), os.WriteFile(filepath.Join(dir, name+".jsonl.gz"), b.Bytes(), 0o644))
}

func copyFile(from, to, name string) error {
	b, err := os.ReadFile(filepath.Join(from, name))
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) == ".npy" { // a set without vectors
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, name), b, 0o644)
}
