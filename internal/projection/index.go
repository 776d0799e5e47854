package projection

import (
	"context"
	"fmt"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/vectorstore"
)

// A batch of the index ends with the document that reaches one of these sizes,
// which bounds the memory that filling an empty index takes.
const (
	batchPoints = 2_000   // points, or documents to delete
	batchBytes  = 4 << 20 // of the points' titles and texts
	pageChanges = 1_000   // changes read at once
)

// EmbeddedTexts returns every text that is embedded for a chunk: its own and
// those of its sentences, which sentences splits it into.
func EmbeddedTexts(title, text string, sentences func(string) []domain.Span) []string {
	return append([]string{nearest.PassageText(title, text)}, SentenceTexts(title, text, sentences)...)
}

// SentenceTexts returns the texts that are embedded for the sentences of a chunk.
func SentenceTexts(title, text string, sentences func(string) []domain.Span) []string {
	spans := sentences(text)
	return lists.Map(spans, func(s domain.Span) string { return nearest.SentenceText(title, s.Slice(text)) })
}

// SentenceID returns the id of a chunk's nth sentence, from 0.
func SentenceID(c domain.ChunkID, n int) string { return string(c) + "#" + strconv.Itoa(n) }

// updateIndex brings the index to where the graph is, at most a page of
// changes further. Its points follow from documents alone: each changed
// document is deleted with all its points and, if it is still published,
// written again. Where only vectors were made, they are added to its points. It
// returns the last change.
func (p *Projector) updateIndex(ctx context.Context, ws domain.WorkspaceID, at Progress, token int64) (int64, error) {
	changes, err := p.Ledger.Changes(ctx, ws, at.Vectors, int(min(at.Graph-at.Vectors, pageChanges)))
	if err != nil {
		return 0, err
	}
	if len(changes) == 0 {
		return 0, missingChanges(at.Head, at.Vectors)
	}
	rows, err := p.Ledger.TitlesOf(ctx, ws, documentsOf(changes))
	if err != nil {
		return 0, err
	}
	titles := titlesByDocument(rows)
	after := at.Vectors
	for len(changes) > 0 {
		b := indexBatch{Projector: p, workspace: ws, titles: titles, seen: map[domain.DocumentID]bool{}, again: map[domain.DocumentID]bool{}}
		n, err := b.fill(ctx, changes)
		if err != nil {
			return 0, err
		}
		points, err := p.embed(ctx, b.points)
		if err != nil {
			return 0, fmt.Errorf("read vectors: %w", err)
		}
		cursor := changes[n-1].Seq
		batch := vectorstore.Batch{Token: token, After: after, Cursor: cursor, DeleteDocuments: b.deleted, Upsert: points}
		if err := p.Vectors.Apply(ctx, ws, batch); err != nil {
			return 0, err
		}
		changes, after = changes[n:], cursor
	}
	return after, nil
}

// indexBatch gathers the points of one batch.
type indexBatch struct {
	*Projector
	workspace domain.WorkspaceID
	titles    map[domain.DocumentID]ledger.TitleRow // of the published documents

	seen    map[domain.DocumentID]bool
	chunks  map[domain.DocumentID][]domain.Chunk // of the next documents
	again   map[domain.DocumentID]bool           // documents for which more than vectors was made
	deleted []domain.DocumentID
	points  []point
	bytes   int

	passages bool // leave sentences out
}

// fill gathers the documents of changes until the batch is large enough, and
// returns how many changes it covers.
func (b *indexBatch) fill(ctx context.Context, changes []ledger.Change) (int, error) {
	for _, c := range changes {
		b.again[c.Document] = b.again[c.Document] || !c.Vectors
	}
	for i, c := range changes {
		if c.Document != "" && !b.seen[c.Document] {
			if err := b.add(ctx, c.Document, func() []domain.DocumentID { return documentsOf(changes[i:]) }); err != nil {
				return 0, err
			}
		}
		if max(len(b.points), len(b.deleted)) >= batchPoints || b.bytes >= batchBytes {
			return i + 1, nil
		}
	}
	return len(changes), nil
}

// add adds a document. It reads the chunks of the next ones, which next lists from this one on, by the same statement.
func (b *indexBatch) add(ctx context.Context, id domain.DocumentID, next func() []domain.DocumentID) error {
	b.seen[id] = true
	if b.again[id] {
		b.deleted = append(b.deleted, id)
	}
	title, published := b.titles[id]
	if !published {
		return nil
	}
	chunks, done := b.chunks[id]
	if !done {
		ids := next()
		of, err := b.Ledger.ChunksOf(ctx, b.workspace, ids[:min(len(ids), documentsAtOnce)])
		if err != nil {
			return err
		}
		b.chunks, chunks = of, of[id]
	}
	for _, c := range chunks {
		b.addPoint(vectorstore.Chunks, string(c.ID), title, c.Text, nearest.PassageText(title.Title, c.Text))
		if b.passages {
			continue
		}
		for n, span := range b.Sentences(c.Text) {
			sentence := span.Slice(c.Text)
			b.addPoint(vectorstore.Sentences, SentenceID(c.ID, n), title, sentence, nearest.SentenceText(title.Title, sentence))
		}
	}
	return nil
}

func (b *indexBatch) addPoint(c vectorstore.Collection, id string, title ledger.TitleRow, text, embedded string) {
	b.bytes += len(title.Title) + len(text)
	b.points = append(b.points, point{vectorstore.Point{
		Ref: vectorstore.Ref{Collection: c, ID: id}, Document: title.Document, Title: title.Title, Text: text,
	}, embedded, b.again[title.Document]})
}

// point is a point with the text that is embedded for it.
type point struct {
	vectorstore.Point
	embedded string
	bare     bool // written even without a vector
}

// embed adds the recorded vectors to points, and leaves out those without that the index has already.
func (p *Projector) embed(ctx context.Context, points []point) ([]vectorstore.Point, error) {
	dimension, fits, err := p.modelFits(ctx)
	if err != nil {
		return nil, err
	}
	var vectors map[string][]float32
	hashes := make([]string, len(points))
	if fits {
		for i, pt := range points {
			hashes[i] = domain.Hash([]byte(pt.embedded))
		}
		if vectors, err = p.Ledger.Embeddings(ctx, p.Embedding.Model, dimension, hashes); err != nil {
			return nil, err
		}
	}
	out := make([]vectorstore.Point, 0, len(points))
	for i, pt := range points {
		pt.Vector = vectors[hashes[i]]
		if pt.bare || pt.Vector != nil {
			out = append(out, pt.Point)
		}
	}
	return out, nil
}

// modelFits reports whether the index accepts vectors of the projector's model, and
// of which dimension. One that holds vectors of another model gets points without
// vectors until it is rebuilt, and so do those whose vectors have another dimension.
func (p *Projector) modelFits(ctx context.Context) (dimension int, fits bool, err error) {
	if p.Embedding.Model == "" {
		return 0, false, nil
	}
	have, err := p.Vectors.Embedding(ctx)
	if have.Model == "" {
		return p.Embedding.Dimension, true, err
	}
	return have.Dimension, have.Model == p.Embedding.Model, err
}

// documentsOf lists the documents of changes, each once.
func documentsOf(changes []ledger.Change) []domain.DocumentID {
	seen := map[domain.DocumentID]bool{"": true} // a curation has no document
	var ids []domain.DocumentID
	for _, c := range changes {
		if !seen[c.Document] {
			seen[c.Document] = true
			ids = append(ids, c.Document)
		}
	}
	return ids
}

func titlesByDocument(rows []ledger.TitleRow) map[domain.DocumentID]ledger.TitleRow {
	return lists.By(rows, func(row ledger.TitleRow) domain.DocumentID { return row.Document })
}

func missingChanges(head, after int64) error {
	return domain.Errorf(domain.Invalid, "The ledger counts %d changes and holds none after number %d. Restore it from a backup.", head, after)
}
