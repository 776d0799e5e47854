package stores

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/chunk"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/extract"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/nearest"
)

// document is a synthetic document with everything the stores need.
type document struct {
	domain.Document
	content string
	text    domain.Text
	chunks  []domain.Chunk
	given   []ledger.Contribution
}

var (
	starts   = strings.Fields("Al Bren Cor Dal Ers Fen Gar Hol Ing Jor Kel Lor Mar Nor Os Pel Quin Ros Sten Tor")
	ends     = strings.Fields("ander bury cott dale ewick field grave holm ish kin lund mere ney over pool quist ridge sham ton wold")
	forename = strings.Fields("Agnes Boris Clara Daniel Edith Felix Greta Henrik Irene Jacob Karin Leonard Martha Nils Olive Peter Rosa Samuel Thea Victor")
	trades   = strings.Fields("bridges bells clocks harbours lenses looms organs pumps ships windmills")
	lines    = []string{
		"%[1]s was born in %[3]s and learned to build %[5]s there.",
		"In %[6]d %[1]s moved to %[4]s, where %[2]s kept a workshop near the old market.",
		"%[2]s married a cousin of %[1]s and founded the %[4]s Museum with what was left.",
		"The council of %[3]s paid for new %[5]s after the flood of %[6]d, and nobody asked for the bill.",
		"%[1]s wrote to %[2]s every month, mostly about money and the weather on the coast.",
		"A fire in %[6]d destroyed the drawings; two of them were found again in %[3]s.",
		"%[2]s works for the %[3]s Company and still repairs %[5]s on Sundays.",
		"When %[1]s died, the papers went from %[4]s to the library of %[3]s.",
	}
)

// place returns one of 400 town names; few are frequent.
func place(r *rand.Rand) string {
	n := int(400 * r.Float64() * r.Float64() * r.Float64())
	return starts[n%20] + ends[n/20]
}

// person returns the nth of 8,000 people, or a namesake beyond.
func person(n int) string {
	m := n % 8000 * 4801 % 8000 // neighbours share no name
	name := forename[m%20] + " " + starts[m/20%20] + ends[m/400]
	if n >= 8000 {
		name += fmt.Sprintf(" %s", []string{"the Younger", "the Third", "the Fourth"}[min(n/8000, 3)-1])
	}
	return name
}

// write generates the nth document of a library, deterministically.
func write(n, of int) (title, content string) {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	title = person(n)
	var b strings.Builder
	b.WriteString("# " + title + "\n")
	for range 4 + r.IntN(5) {
		b.WriteString("\n")
		for range 3 + r.IntN(4) {
			fmt.Fprintf(&b, lines[r.IntN(len(lines))]+" ", title, person(r.IntN(of)), place(r), place(r), trades[r.IntN(len(trades))], 1700+r.IntN(250))
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
