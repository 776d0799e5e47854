// Package minilm embeds texts on this machine with the model all-MiniLM-L6-v2 (Reimers
// and Gurevych 2019, "Sentence-BERT"; Wang et al. 2020, "MiniLM"), whose files Fetch
// gets. To embed, nothing but Go is needed: weights and activations have eight bits.
package minilm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Name is the model's name, also of its vectors.
const Name = "all-MiniLM-L6-v2-int8"

// A file of the model.
type file struct {
	name string
	size int64
	hash string // SHA-256
}

func (f file) is(content []byte) bool {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) == f.hash
}

var (
	weightsFile = file{"model.onnx", 22_928_619, "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"}
	wordsFile   = file{"tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"}

	files = []file{weightsFile, wordsFile}
)

const (
	maxPieces = 256 // of a text; what is beyond them has no part in its vector
	maxAtOnce = 512 // pieces of several texts
)

// An Embedder is the model. Its files are read when it is first asked.
type Embedder struct{ load func() (model, error) }

var _ llm.Embedder = (*Embedder)(nil)

type model struct {
	vocabulary
	network
}

// New returns the model whose files are in a folder. If one of them is missing or of
// another size, the error is Invalid and says how to get it.
func New(dir string) (*Embedder, error) {
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		switch found, err := os.Stat(path); {
		case err != nil:
			return nil, domain.Because(domain.Invalid, err, "The built-in embedding model lacks its file %s: run clew model fetch, or copy the folder from a machine on which that has run.", path)
		case found.Size() != f.size:
			return nil, another(path)
		}
	}
	return &Embedder{sync.OnceValues(func() (model, error) { return load(dir) })}, nil
}

func another(path string) error {
	return domain.Errorf(domain.Invalid, "The file %s is not the one of the embedding model: run clew model fetch, which replaces it.", path)
}

func load(dir string) (m model, err error) {
	words, err := read(dir, wordsFile)
	if err != nil {
		return m, err
	}
	weights, err := read(dir, weightsFile)
	if err != nil {
		return m, err
	}
	return parse(words, weights)
}

// read returns a file's content if it has the hash.
func read(dir string, f file) ([]byte, error) {
	path := filepath.Join(dir, f.name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The model's file %s can't be read: run clew model fetch.", path)
	}
	if !f.is(data) {
		return nil, another(path)
	}
	return data, nil
}

func parse(words, file []byte) (m model, err error) {
	if m.vocabulary, err = readVocabulary(words); err != nil {
		return m, fmt.Errorf("read the model's vocabulary: %w", err)
	}
	tensors, err := readTensors(file)
	if err == nil {
		m.network, err = newNetwork(tensors)
	}
	if err != nil {
		return m, fmt.Errorf("read the model: %w", err)
	}
	return m, nil
}

// Model implements llm.Embedder.
func (e *Embedder) Model() string { return Name }

// Embed implements llm.Embedder. It takes one core.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m, err := e.load()
	if err != nil {
		return nil, &llm.Error{Fault: llm.Misdirected, Message: "The built-in embedding model can't be read: run clew model fetch, or copy its folder from a machine on which that has run.", Err: &llm.Located{Sentence: domain.InWords(err), Err: err}}
	}
	vectors := make([][]float32, 0, len(texts))
	s := workspace{kernels: fastest()}
	var batch [][]int32
	pieces := 0
	for i, text := range texts {
		ids := m.split(text, maxPieces)
		batch, pieces = append(batch, ids), pieces+len(ids)
		if pieces+maxPieces <= maxAtOnce && i+1 < len(texts) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, llm.Stopped(err)
		}
		vectors = append(vectors, m.vectors(&s, batch)...)
		batch, pieces = batch[:0], 0
	}
	return vectors, nil
}
