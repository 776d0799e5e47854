package curate

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
)

// Marking names words of a document, by their place or by themselves. The zero Marking names none.
type Marking struct {
	Document domain.DocumentID `json:"document" doc:"id of the document that states it; without it, it is added by hand"`
	Words    string            `json:"words" doc:"exact words of the document; the first place where they occur counts"`
	Start    int               `json:"start" doc:"code point of the document at which the words begin, instead of --words"`
	End      int               `json:"end" doc:"code point at which the words end"`
}

// Span returns where the words are, empty if only Words are known.
func (m Marking) Span() domain.Span { return domain.Span{Start: m.Start, End: m.End} }

// Find returns where a document has exactly these words, white space aside: the
// place nearest to code point near. The error is Invalid if it doesn't have them.
func (c *Curator) Find(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, words string, near int) (domain.Span, error) {
	chunks, err := c.chunks(ctx, w, id)
	if err != nil {
		return domain.Span{}, err
	}
	best, far := domain.Span{}, math.MaxInt
	for _, chunk := range chunks {
		for _, span := range find(chunk.Text, strings.Fields(words)) {
			span = span.Shift(chunk.Span.Start)
			if d := max(near-span.Start, span.Start-near); d < far {
				best, far = span, d
			}
		}
	}
	if best.Empty() {
		return best, domain.Errorf(domain.Invalid, "The document does not contain these words, or a page or section ends between them. Copy them exactly from its text.")
	}
	return best, nil
}

// find returns where a text has the words, with any white space between them.
func find(text string, words []string) []domain.Span {
	var found []domain.Span
	if len(words) == 0 {
		return nil
	}
	for at := 0; ; {
		i := strings.Index(text[at:], words[0])
		if i < 0 {
			return found
		}
		at += i
		if end := follow(text, at+len(words[0]), words[1:]); end > 0 {
			from := domain.Runes(text[:at])
			found = append(found, domain.Span{Start: from, End: from + domain.Runes(text[at:end])})
		}
		at += len(words[0])
	}
}

// follow returns where the words end that follow at a place, or 0.
func follow(text string, at int, words []string) int {
	for _, word := range words {
		rest := strings.TrimLeftFunc(text[at:], unicode.IsSpace)
		if len(rest) == len(text[at:]) || !strings.HasPrefix(rest, word) {
			return 0
		}
		at = len(text) - len(rest) + len(word)
	}
	return at
}

func (c *Curator) chunks(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]domain.Chunk, error) {
	if _, err := c.Ledger.Document(ctx, w, id); err != nil {
		return nil, err
	}
	return c.Ledger.Chunks(ctx, w, id)
}

// stretch returns marked words in the form of the log, and as they are in the text. whole extends them to whole
// sentences.
func (c *Curator) stretch(ctx context.Context, w domain.WorkspaceID, s Marking, whole bool) (ledger.Stretch, string, error) {
	if s.Document == "" {
		if s.Words != "" {
			return ledger.Stretch{}, "", domain.Errorf(domain.Invalid, "Name the document that has the words.")
		}
		return ledger.Stretch{}, "", nil
	}
	chunks, err := c.chunks(ctx, w, s.Document)
	at := s.Span()
	if err == nil && s.Words != "" {
		at, err = c.Find(ctx, w, s.Document, s.Words, 0)
	}
	if err != nil {
		return ledger.Stretch{}, "", err
	}
	i := slices.IndexFunc(chunks, func(chunk domain.Chunk) bool { return chunk.Span.Contains(at) })
	if i < 0 || at.Empty() {
		return ledger.Stretch{}, "", domain.Errorf(domain.Invalid, "Mark words within one paragraph of the document.")
	}
	chunk := chunks[i]
	span := tight(at.Shift(-chunk.Span.Start), chunk.Text)
	if whole {
		span = sentences(span, chunk.Text)
	}
	words := span.Slice(chunk.Text)
	if words == "" {
		return ledger.Stretch{}, "", domain.Errorf(domain.Invalid, "Mark at least one word.")
	}
	return ledger.Stretch{Document: s.Document, Chunk: chunk.ID, Span: span.Shift(chunk.Span.Start), Hash: domain.Hash([]byte(words))}, words, nil
}

// tight returns a span without the white space at its ends.
func tight(s domain.Span, text string) domain.Span {
	words := s.Slice(text)
	s.Start += domain.Runes(words) - domain.Runes(strings.TrimLeftFunc(words, unicode.IsSpace))
	s.End -= domain.Runes(words) - domain.Runes(strings.TrimRightFunc(words, unicode.IsSpace))
	return s
}

// sentences returns the sentences that a span touches.
func sentences(s domain.Span, text string) domain.Span {
	whole := s
	for _, sentence := range prose.Sentences(text) {
		if sentence.Overlaps(s) {
			whole.Start, whole.End = min(whole.Start, sentence.Start), max(whole.End, sentence.End)
		}
	}
	return tight(whole, text)
}

// Marked is a marked stretch of a document.
type Marked struct {
	Span     domain.Span // of the document
	Words    string
	Sentence string      // around the words
	Mark     domain.Span // of the words in Sentence
}

// Marked returns the name of the document of a marking and, if it has a span, what it
// marks. whole extends the words to whole sentences.
func (c *Curator) Marked(ctx context.Context, w domain.WorkspaceID, s Marking, whole bool) (string, Marked, error) {
	d, err := c.Ledger.Document(ctx, w, s.Document)
	if err != nil || s.Span().Empty() {
		return d.Name, Marked{}, err
	}
	at, words, err := c.stretch(ctx, w, s, whole)
	if err != nil {
		return d.Name, Marked{}, err
	}
	passages, err := c.Ledger.Passages(ctx, w, []domain.ChunkID{at.Chunk})
	if err != nil || len(passages) == 0 {
		return d.Name, Marked{}, err
	}
	in := at.Span.Shift(-passages[0].Span.Start)
	sentence := sentences(in, passages[0].Text)
	return d.Name, Marked{at.Span, words, sentence.Slice(passages[0].Text), in.Shift(-sentence.Start)}, nil
}
