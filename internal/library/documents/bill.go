package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
)

// A Bill is the cost of reading a file, worked out before anything is paid.
type Bill struct {
	Name    string            `json:"name"`
	Format  domain.Format     `json:"format,omitempty"`
	Chunks  int               `json:"chunks"`
	Calls   int               `json:"calls"` // at least; an answer that can't be read is requested again
	Tokens  costs.Range       `json:"tokens"`
	Money   *costs.MoneyRange `json:"money,omitempty"` // nil if no model is asked, so it is free
	Seconds costs.Range       `json:"seconds"`
	Known   bool              `json:"known,omitempty"`   // the library has this content: it is not read again
	Problem string            `json:"problem,omitempty"` // why it can't be read

	First    []domain.Chunk `json:"-"` // the first chunks, at most MaxPreview
	Warnings []string       `json:"-"` // about guesses and omissions
	again    bool           // content that the library already has is split too
}

// MaxPreview is how many chunks are shown of a file before it is read.
const MaxPreview = 10

// Bill parses and splits a file without storing it, and returns the cost of reading it, with its first chunks. A file
// that would be refused has a problem in its bill.
func (s *Service) Bill(ctx context.Context, w domain.WorkspaceID, name string, how domain.Chunking, r io.Reader) (Bill, error) {
	b := Bill{Name: name}
	chunks, err := s.cut(ctx, w, &b, how, r)
	if message, ok := domain.MessageOf(err); ok && !domain.Temporary(err) {
		b.Problem = message
		return b, nil
	}
	if err != nil || b.Known {
		return b, err
	}
	b.Chunks, b.First = len(chunks), chunks[:min(len(chunks), MaxPreview)]
	return b, s.price(ctx, w, &b, chunks, s.Embeds)
}

// Preview parses and splits a file without storing it, and returns its first chunks and their number, without their
// price. The error is that of a file that can't be read.
func (s *Service) Preview(ctx context.Context, w domain.WorkspaceID, name string, how domain.Chunking, r io.Reader) (Bill, error) {
	b := Bill{Name: name, again: true}
	chunks, err := s.cut(ctx, w, &b, how, r)
	b.Chunks, b.First = len(chunks), chunks[:min(len(chunks), MaxPreview)]
	return b, err
}

// BillAgain returns the cost of reading again the documents that Outdated lists, and their number. Embedded texts stay.
func (s *Service) BillAgain(ctx context.Context, w domain.WorkspaceID) (b Bill, documents int, err error) {
	reader, err := s.reader(ctx, w)
	if err != nil {
		return b, 0, err
	}
	documents, chunks, err := s.Ledger.OutdatedChunks(ctx, w, reader)
	if err != nil {
		return b, 0, err
	}
	b.Chunks = len(chunks)
	return b, documents, s.price(ctx, w, &b, chunks, false)
}

// BillFor returns the cost of reading again the documents that a query selects. What the current reader has mined is
// not paid for twice.
func (s *Service) BillFor(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) (b Bill, err error) {
	reader, err := s.reader(ctx, w)
	if err != nil {
		return b, err
	}
	chunks, err := s.Ledger.UnreadChunks(ctx, w, q, reader)
	if err != nil {
		return b, err
	}
	b.Chunks = len(chunks)
	return b, s.price(ctx, w, &b, chunks, false)
}

// Default bounds on the seconds of a call, until there are measurements.
const leastCall, mostCall = 1.0, 10.0

// price adds the cost of mining chunks to a bill, and of embedding them if embeds is set.
func (s *Service) price(ctx context.Context, w domain.WorkspaceID, b *Bill, chunks []domain.Chunk, embeds bool) error {
	var least, most domain.Usage
	use := func(calls int, low, high domain.Usage) {
		b.Calls, least, most = b.Calls+calls, least.Plus(low), most.Plus(high)
	}
	if s.Extractor.Asks() && b.Format != domain.FormatGraph {
		for _, window := range extract.Windows(chunks, s.Window) {
			use(extract.Estimate(window, 0, 0))
		}
		lengths := map[domain.DocumentID]int{}
		for _, c := range chunks {
			lengths[c.Document] += c.Tokens
		}
		guide, err := curate.LibraryGuide(ctx, s.Ledger, w)
		if err != nil {
			return err
		}
		for _, length := range lengths {
			use(extract.EstimateFields(guide.Fields, length))
		}
	}
	if embeds {
		for _, c := range chunks { // each is embedded whole and again by sentence, with the title
			least.Embedded, most.Embedded = least.Embedded+2*c.Tokens, most.Embedded+3*c.Tokens
		}
	}
	if s.Price == nil {
		return nil
	}
	money, free, err := s.Price(ctx, least, most)
	if err != nil || free {
		return err
	}
	b.Money = &money
	b.Tokens = costs.Range{From: least.Tokens(), To: most.Tokens()}
	atOnce := float64(max(1, s.AtOnce))
	b.Seconds = costs.Range{From: int(leastCall * float64(b.Calls) / atOnce), To: int(mostCall*float64(b.Calls)/atOnce) + 1}
	return nil
}

// cut returns the chunks of a file, which is stored temporarily.
func (s *Service) cut(ctx context.Context, w domain.WorkspaceID, b *Bill, how domain.Chunking, r io.Reader) (chunks []domain.Chunk, err error) {
	if b.Name, err = SafeName(b.Name); err != nil {
		return nil, err
	}
	if r, b.Format, _, err = s.begin(b.Name, r); err != nil {
		return nil, err
	}
	err = withTemp("", "clew-bill-*", func(f *os.File) error {
		chunks, err = s.cutFrom(ctx, w, b, how, r, f)
		return err
	})
	return chunks, err
}

// cutFrom returns the chunks of the file that r reads, which it stores in f.
func (s *Service) cutFrom(ctx context.Context, w domain.WorkspaceID, b *Bill, how domain.Chunking, r io.Reader, f *os.File) ([]domain.Chunk, error) {
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, hash), io.LimitReader(r, s.MaxUpload+1))
	if err != nil {
		return nil, err
	}
	if size > s.MaxUpload {
		return nil, tooLarge(s.MaxUpload)
	}
	if size == 0 {
		return nil, domain.Errorf(domain.Invalid, "%s is empty: it contains nothing to read.", b.Name)
	}
	if b.Format == domain.FormatArchive || s.inParts(b.Format, size, How{}) {
		return s.cutPacked(ctx, w, b, how, f, size)
	}
	known, err := s.Ledger.DocumentsOfFile(ctx, w, hex.EncodeToString(hash.Sum(nil)))
	if b.Known = len(known) > 0; b.Known && !b.again || err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	fits := func() error { return nil }
	text, err := s.Parser.Parse(ctx, b.Format, how, f, size, fits)
	if err != nil {
		return nil, err
	}
	b.Warnings = text.Warnings
	return s.Parser.Split(ctx, "", text, how, fits)
}

// cutPacked returns the chunks of the files in an archive that are to be read, or of the parts of a long text.
func (s *Service) cutPacked(ctx context.Context, w domain.WorkspaceID, of *Bill, how domain.Chunking, f io.ReadSeeker, size int64) (chunks []domain.Chunk, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	add := func(name string, how domain.Chunking, r io.Reader) error {
		b := Bill{Name: name}
		inner, err := s.cut(ctx, w, &b, how, r)
		if _, refused := domain.MessageOf(err); err != nil && !refused {
			return err
		}
		chunks = append(chunks, inner...)
		for _, warning := range b.Warnings {
			if len(of.Warnings) < MaxPreview {
				of.Warnings = append(of.Warnings, b.Name+": "+warning)
			}
		}
		return nil
	}
	if of.Format != domain.FormatArchive {
		err = eachPart(of.Name, size, f, how.Encoding, s.TextPart, func(name, encoding string, r io.Reader) error {
			how := how
			how.Encoding = encoding
			return add(name, how, r)
		})
	} else {
		_, err = s.Parser.Unpack(ctx, of.Format, how, f, size, func(name string, r io.Reader) error { return add(name, how, r) })
	}
	return chunks, err
}

// String describes what reading would take, as a sentence without its end.
func (b Bill) String() string {
	chunks := domain.Counted(b.Chunks, "passage", "passages")
	if b.Money == nil {
		return chunks + ", free: no model is asked"
	}
	return fmt.Sprintf("%s, %s, %s to %s tokens, %s", chunks, domain.Counted(b.Calls, "call", "calls"),
		domain.Thousands(b.Tokens.From), domain.Thousands(b.Tokens.To), b.Money)
}

// Sum adds bills up, under the name "in all".
func Sum(bills []Bill) Bill {
	sum := Bill{Name: "in all"}
	for _, b := range bills {
		sum.Chunks, sum.Calls = sum.Chunks+b.Chunks, sum.Calls+b.Calls
		sum.Tokens, sum.Seconds = sum.Tokens.Plus(b.Tokens), sum.Seconds.Plus(b.Seconds)
		switch {
		case b.Money == nil:
		case sum.Money == nil:
			first := *b.Money
			sum.Money = &first
		default:
			sum.Money.From, sum.Money.To = sum.Money.From+b.Money.From, sum.Money.To+b.Money.To
		}
	}
	return sum
}
