package extract

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/read/graphtext"
)

// WithGraphs returns an Extractor that takes the lines of a graph as they are, if the guide's schema allows them, and
// leaves all other documents to next.
func WithGraphs(next Extractor) Extractor { return graphs{next} }

type graphs struct{ Extractor }

// Extract implements Extractor.
func (g graphs) Extract(ctx context.Context, r Request) ([]Result, error) {
	if r.Document.Format != domain.FormatGraph {
		return g.Extractor.Extract(ctx, r)
	}
	found := make([]Result, len(r.Chunks))
	for i, c := range r.Chunks {
		graph, warnings := readLines(c)
		found[i] = r.Guide.Conform(Mined{Graph: graph})
		found[i].Warnings = append(found[i].Warnings, warnings...)
	}
	return found, ctx.Err()
}

// readLines reads the rows in a chunk of a graph.
func readLines(c domain.Chunk) (domain.GraphDocument, []string) {
	b := lineReader{at: map[[2]string]int{}}
	start, left := c.Span.Start, 0
	for line := range strings.SplitSeq(c.Text, "\n") {
		span := domain.Span{Start: start, End: start + utf8.RuneCountInString(line)}
		start = span.End + 1
		row, ok := graphtext.Read(line)
		switch {
		case !ok && line != "":
			left++
		case ok:
			b.add(row, span)
		}
	}
	if left == 0 {
		return b.graph, nil
	}
	return b.graph, []string{fmt.Sprintf("Some rows are longer than a chunk and were left out (%d pieces of them here). Raise CHUNK_TOKENS and read the document again.", left)}
}

// lineReader collects what rows say.
type lineReader struct {
	graph domain.GraphDocument
	at    map[[2]string]int // nodes by key and label
}

func (b *lineReader) add(r graphtext.Row, line domain.Span) {
	source, named := b.node(r.Entity, line.Start)
	if r.Type == "" || !named {
		return
	}
	target, named := b.node(r.Target, line.Start)
	if !named || source == target {
		return
	}
	kind := Type(r.Type)
	var stated domain.Properties
	for _, p := range r.Stated {
		stated = append(stated, domain.Property(p))
	}
	for i := range b.graph.Relationships {
		if known := &b.graph.Relationships[i]; known.Source == source && known.Target == target && known.Type == kind {
			known.Spans = append(known.Spans, line)
			known.Properties = withProperties(known.Properties, stated)
			return
		}
	}
	b.graph.Relationships = append(b.graph.Relationships, domain.GraphRelationship{
		Source: source, Target: target, Type: kind, Raw: r.Type, Properties: stated, Spans: []domain.Span{line},
	})
}

// node adds a row's statements about an entity, and returns false for a name without a letter or digit.
func (b *lineReader) node(e graphtext.Entity, start int) (int, bool) {
	key, label := prose.Key(e.Name), Label(e.Label)
	if key == "" {
		return 0, false
	}
	i, known := b.at[[2]string{key, label}]
	if !known {
		i = len(b.graph.Nodes)
		b.at[[2]string{key, label}] = i
		b.graph.Nodes = append(b.graph.Nodes, domain.GraphNode{Name: e.Name, Label: label})
	}
	n := &b.graph.Nodes[i]
	n.Aliases = unique(append(n.Aliases, e.Aliases...))
	for _, p := range e.Properties {
		n.Properties = append(n.Properties, domain.Property(p))
	}
	n.Spans = append(n.Spans, domain.Span{Start: start + e.Start, End: start + e.End})
	return i, true
}
