package curate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prose"
)

// A Source is a stretch of a document that a curator marked. The zero Source
// stands for none.
type Source struct {
	Document domain.DocumentID
	Span     domain.Span // in code points of the document's text
}

// Find returns where a document has exactly these words, white space aside: the
// place nearest to code point near. The error is Invalid if it doesn't have them.
func (c *Curator) Find(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, words string, near int) (Source, error) {
	chunks, err := c.chunks(ctx, w, id)
	if err != nil {
		return Source{}, err
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
	if !best.Empty() {
		return Source{id, best}, nil
	}
	return Source{}, domain.Errorf(domain.Invalid, "The document does not have these words, or a page or a section ends between them. Copy them from its text as they stand.")
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

// stretch returns a source as the log keeps it, and its words. whole extends it
// to whole sentences.
func (c *Curator) stretch(ctx context.Context, w domain.WorkspaceID, s Source, whole bool) (ledger.Stretch, string, error) {
	if s.Document == "" {
		return ledger.Stretch{}, "", nil
	}
	chunks, err := c.chunks(ctx, w, s.Document)
	if err != nil {
		return ledger.Stretch{}, "", err
	}
	i := slices.IndexFunc(chunks, func(chunk domain.Chunk) bool { return chunk.Span.Contains(s.Span) })
	if i < 0 || s.Span.Empty() {
		return ledger.Stretch{}, "", domain.Errorf(domain.Invalid, "Mark words within one paragraph of the document.")
	}
	chunk := chunks[i]
	span := tight(s.Span.Shift(-chunk.Span.Start), chunk.Text)
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

// Create adds an entity, or a mention of one: the words of a source, under
// another name unless that is "", or a name without a source. It goes with the
// source's document; without a source it stays until it is undone. The error is
// Conflict when there is nothing to add.
func (c *Curator) Create(ctx context.Context, w domain.WorkspaceID, who string, from Source, name, label string) (ledger.Curation, error) {
	entry := ledger.Curation{Who: who, Kind: ledger.CurationCreate}
	name, err := oneLine(name, "A name", MaxName)
	if err != nil {
		return entry, err
	}
	if err := short(cmp.Or(label, domain.UnknownLabel), "A label"); err != nil {
		return entry, err
	}
	at, words, err := c.stretch(ctx, w, from, false)
	if err != nil {
		return entry, err
	}
	if words, err = oneLine(words, "A name", MaxName); err != nil {
		return entry, err
	}
	if name == words {
		name = "" // the words are the document's
	}
	key := c.Projector.Key(cmp.Or(name, words))
	if key == "" || !strings.ContainsFunc(key, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return entry, domain.Errorf(domain.Invalid, "A name needs at least one letter or digit.")
	}
	entry.Stretch, entry.Name, entry.Label = at, name, domain.UnknownLabel
	if label != "" {
		entry.Label = extract.Label(label)
	}
	entry.Entity = domain.NewEntityID(w, entry.Label, key)
	if entry.Seen, err = c.known(ctx, w); err != nil {
		return entry, err
	}
	if err := c.isNew(ctx, w, entry); err != nil {
		return entry, err
	}
	return c.store(ctx, w, entry, map[domain.EntityID]string{entry.Entity: key})
}

// isNew refuses an entity or a mention that is there already.
func (c *Curator) isNew(ctx context.Context, w domain.WorkspaceID, entry ledger.Curation) error {
	e, err := c.Entity(ctx, w, entry.Entity)
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if entry.Stretch.Chunk == "" {
		return domain.Errorf(domain.Conflict, "“%s” is in the graph already, with this label. Open it to change it.", e.Name)
	}
	links, err := c.Graph.Links(ctx, w, e.ID, 0)
	if slices.ContainsFunc(links, func(l graphstore.Link) bool {
		return l.Chunk == entry.Stretch.Chunk && slices.ContainsFunc(l.Spans, entry.Stretch.Span.Overlaps)
	}) {
		return domain.Errorf(domain.Conflict, "These words stand for “%s” already.", e.Name)
	}
	return err
}

// Relate adds a relation between two entities. A source states it, with the
// whole sentence; it goes with the source's document. Without a source it stays
// until it is undone. The error is Conflict when there is nothing to add.
func (c *Curator) Relate(ctx context.Context, w domain.WorkspaceID, who string, source domain.EntityID, kind string, target domain.EntityID, from Source) (ledger.Curation, error) {
	entry := ledger.Curation{Who: who, Kind: ledger.CurationRelate, Operation: ledger.Operation{Entity: source, Target: target}}
	if source == target {
		return entry, domain.Errorf(domain.Invalid, "Choose two different entities to relate.")
	}
	if err := short(kind, "A relation's type"); err != nil {
		return entry, err
	}
	at, _, err := c.stretch(ctx, w, from, true)
	if err != nil {
		return entry, err
	}
	entry.Type, entry.Stretch = extract.Type(kind), at
	edge, err := c.Relation(ctx, w, source, domain.NewRelationID(source, entry.Type, target))
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return entry, err
	}
	if err == nil && (at.Chunk == "" || slices.ContainsFunc(edge.Evidence, func(e domain.Evidence) bool {
		return e.Chunk == at.Chunk && slices.ContainsFunc(e.Spans, at.Span.Overlaps)
	})) {
		return entry, domain.Errorf(domain.Conflict, "The graph has this relation already.")
	}
	return c.decide(ctx, w, entry, "")
}

// Marked is a marked stretch of a source.
type Marked struct {
	Span     domain.Span // of the document
	Words    string
	Sentence string      // around the words
	Mark     domain.Span // of the words in Sentence
}

// Marked returns the name of a source's document and, if it has a span, what it
// marks. whole extends the words to whole sentences.
func (c *Curator) Marked(ctx context.Context, w domain.WorkspaceID, s Source, whole bool) (string, Marked, error) {
	d, err := c.Ledger.Document(ctx, w, s.Document)
	if err != nil || s.Span.Empty() {
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
