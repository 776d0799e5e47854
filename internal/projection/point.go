package projection

import (
	"context"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// ChunkText is what is embedded of a chunk.
func ChunkText(title, text string) string { return title + "\n" + text }

// SentenceText is what is embedded of a sentence.
func SentenceText(title, sentence string) string { return title + ": " + sentence }

// EntityText is what is embedded of an entity.
func EntityText(name string) string { return name }

// RelationText is what is embedded, and searched, of a relation: "Ann Lee
// works for Acme".
func RelationText(source, kind, target string) string {
	return source + " " + strings.ToLower(strings.ReplaceAll(kind, "_", " ")) + " " + target
}

// SentenceID names a sentence of a chunk by its place among the chunk's
// sentences, from 0.
func SentenceID(c domain.ChunkID, n int) string { return string(c) + "#" + strconv.Itoa(n) }

// point is a point with what is embedded of it.
type point struct {
	vectorstore.Point
	embedded string
}

// documentPoints are the chunks and sentences of documents.
func (p *Projector) documentPoints(documents []document) []point {
	var points []point
	for _, d := range documents {
		for _, c := range d.Chunks {
			points = append(points, point{vectorstore.Point{
				Ref:      vectorstore.Ref{Collection: vectorstore.Chunks, ID: string(c.ID)},
				Document: d.ID, Title: d.Title, Text: c.Text,
			}, ChunkText(d.Title, c.Text)})
			for n, span := range p.Sentences(c.Text) {
				sentence := span.Slice(c.Text)
				points = append(points, point{vectorstore.Point{
					Ref:      vectorstore.Ref{Collection: vectorstore.Sentences, ID: SentenceID(c.ID, n)},
					Document: d.ID, Title: d.Title, Text: sentence,
				}, SentenceText(d.Title, sentence)})
			}
		}
	}
	return points
}

func entityPoint(e domain.Entity) point {
	return point{vectorstore.Point{
		Ref:   vectorstore.Ref{Collection: vectorstore.Entities, ID: string(e.ID)},
		Label: e.Label, Text: strings.Join(append([]string{e.Name}, e.Aliases...), "\n"),
	}, EntityText(e.Name)}
}

func (r relation) point() point {
	text := RelationText(r.source, r.Type, r.target)
	return point{vectorstore.Point{Ref: vectorstore.Ref{Collection: vectorstore.Relations, ID: string(r.ID)}, Label: r.Type, Text: text}, text}
}

// embeds reports whether the points get vectors. An index that holds those of
// another model has to be built anew; until then it takes the points without,
// and they are found by their words.
func (p *Projector) embeds(ctx context.Context) (bool, error) {
	if p.Embedding.Model == "" {
		return false, nil
	}
	have, err := p.Vectors.Embedding(ctx)
	return have.Model == "" || have.Model == p.Embedding.Model, err
}

// embed gives points the vectors that are recorded for them.
func (p *Projector) embed(ctx context.Context, points []point) ([]vectorstore.Point, error) {
	embeds, err := p.embeds(ctx)
	if err != nil {
		return nil, err
	}
	vectors := map[string][]float32{}
	hashes := make([]string, len(points))
	if embeds {
		for i, pt := range points {
			hashes[i] = domain.Hash([]byte(pt.embedded))
		}
		if vectors, err = p.Ledger.Embeddings(ctx, p.Embedding.Model, hashes); err != nil {
			return nil, err
		}
	}
	out := make([]vectorstore.Point, len(points))
	for i, pt := range points {
		out[i] = pt.Point
		out[i].Vector = vectors[hashes[i]]
	}
	return out, nil
}
