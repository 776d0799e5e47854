package stores

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/clewhq/clew/bench/made"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// document is a synthetic document with everything the stores need.
type document struct {
	domain.Document
	content string
	text    domain.Text
	chunks  []domain.Chunk
	given   []ledger.Contribution
}

// write generates the nth document of a library, deterministically.
func write(n, of int) (title, content string) {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	title = made.Person(n)
	var b strings.Builder
	b.WriteString("# " + title + "\n")
	for range 4 + r.IntN(5) {
		b.WriteString("\n")
		for range 3 + r.IntN(4) {
			b.WriteString(made.Sentence(r, title, of, 0) + " ")
		}
		b.WriteString("\n")
	}
	return title, b.String()
}

// make returns the nth document, split and extracted, so that only the stores'
// work remains to be measured.
func (l *library) make(ctx context.Context, n, of int) (d document, err error) {
	title, content := write(n, of)
	id := domain.NewDocumentID(domain.DefaultWorkspace, domain.Hash([]byte(content)))
	d = document{content: content, text: domain.Text{Title: title, Content: content}, Document: domain.Document{
		Workspace: domain.DefaultWorkspace, ID: id, Name: fmt.Sprintf("%05d.md", n), Title: title, Format: domain.FormatMarkdown,
		Size: int64(len(content)), Status: domain.DocumentReady, CreatedAt: time.Now(),
	}}
	if d.chunks, err = chunk.Split(ctx, id, d.text, chunk.Options{Counter: l.tokens}); err != nil {
		return d, err
	}
	for _, c := range d.chunks {
		found, err := extract.One(ctx, l.miner, extract.Request{Document: d.Document, Title: title, Chunks: []domain.Chunk{c}})
		if err != nil {
			return d, err
		}
		d.given = append(d.given, ledger.Contribution{Chunk: c.ID, Document: id, Reader: builtin.Reader, Graph: found.Graph})
	}
	return d, nil
}

// embeddings returns deterministic synthetic vectors for the document's chunks,
// by the hash of the embedded text.
func (d document) embeddings(dimensions int) map[string][]float32 {
	vectors := map[string][]float32{}
	for _, c := range d.chunks {
		hash := domain.Hash([]byte(nearest.PassageText(d.text.Title, c.Text)))
		r := rand.New(rand.NewChaCha8([32]byte([]byte(hash)[:32])))
		v := make([]float32, dimensions)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		vectors[hash] = v
	}
	return vectors
}

// library is the documents that every set of stores receives.
type library struct {
	tokens    *chunk.Tokenizer
	miner     extract.Extractor
	documents []document
	chunks    int
	bytes     int64
}

func newLibrary(ctx context.Context, n int) (*library, error) { return newPart(ctx, 0, n, n) }

// newPart returns the documents of a library of n from one number to another.
func newPart(ctx context.Context, from, to, n int) (*library, error) {
	l := &library{tokens: chunk.NewTokenizer(), miner: extract.Local(new(builtin.Miner).Mine, builtin.Reader)}
	for i := from; i < to; i++ {
		d, err := l.make(ctx, i, n)
		if err != nil {
			return nil, err
		}
		l.documents = append(l.documents, d)
		l.chunks += len(d.chunks)
		l.bytes += d.Size
	}
	return l, nil
}
