// Package minilm embeds texts on this machine with the model all-MiniLM-L6-v2 (Reimers
// and Gurevych 2019, "Sentence-BERT"; Wang et al. 2020, "MiniLM"), whose files make
// model fetches. Nothing but Go is needed: weights and activations have eight bits, and
// three products are made with each multiplication.
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

// The files of the model, with their SHA-256.
const (
	weightsFile = "model.onnx"
	weightsHash = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
	wordsFile   = "tokenizer.json"
	wordsHash   = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
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

// New returns the model whose files are in a folder. If one of them is missing, the
// error is Invalid and says how to get it.
func New(dir string) (*Embedder, error) {
	for _, name := range []string{weightsFile, wordsFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return nil, domain.Because(domain.Invalid, err, "The built-in embedding model lacks its file %s: run make model, or copy the folder from a machine on which that has run.", filepath.Join(dir, name))
		}
	}
	return &Embedder{sync.OnceValues(func() (model, error) { return load(dir) })}, nil
}

func load(dir string) (m model, err error) {
	words, err := read(dir, wordsFile, wordsHash)
	if err != nil {
		return m, err
	}
	file, err := read(dir, weightsFile, weightsHash)
	if err != nil {
		return m, err
	}
	return parse(words, file)
}

// read returns a file's content if it has the hash.
func read(dir, name, hash string) ([]byte, error) {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The model's file %s can't be read: run make model.", path)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return nil, domain.Errorf(domain.Invalid, "The file %s is another one than the model's: delete it and run make model.", path)
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
		return nil, &llm.Error{Fault: llm.Misdirected, Message: "The built-in embedding model can't be read: run make model, or copy its folder from a machine on which that has run.", Err: &llm.Located{Sentence: domain.InWords(err), Err: err}}
	}
	vectors := make([][]float32, 0, len(texts))
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
		vectors = append(vectors, m.vectors(batch)...)
		batch, pieces = batch[:0], 0
	}
	return vectors, nil
}
