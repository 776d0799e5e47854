package testkit

import (
	"cmp"
	"context"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prose"
)

// An Extractor mines by two predictable rules: consecutive capitalised words are a person's name, and consecutive names in a
// sentence are related.
type Extractor struct {
	Name string // the reader's name; "" means "scripted/1"

	// Before is called before chunks are mined. Extract returns its error.
	Before func(ctx context.Context, r extract.Request) error

	mu    sync.Mutex
	calls []domain.Chunk
}

var _ extract.Extractor = (*Extractor)(nil)

// Reader returns the name of the extractor, which is local.
func (e *Extractor) Reader(g extract.Guide) string {
	return extract.Local(nil, cmp.Or(e.Name, "scripted/1")).Reader(g)
}

// Asks returns false.
func (e *Extractor) Asks() bool { return false }

// Calls lists the chunks of all calls so far.
func (e *Extractor) Calls() []domain.Chunk {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]domain.Chunk(nil), e.calls...)
}

// Extract mines the chunks.
func (e *Extractor) Extract(ctx context.Context, r extract.Request) ([]extract.Result, error) {
	e.mu.Lock()
	e.calls = append(e.calls, r.Chunks...)
	e.mu.Unlock()
	if e.Before != nil {
		if err := e.Before(ctx, r); err != nil {
			return nil, err
		}
	}
	found := make([]extract.Result, len(r.Chunks))
	for i, c := range r.Chunks {
		found[i] = r.Guide.Conform(extract.Mined{Graph: mine(c)})
	}
	return found, ctx.Err()
}

var capitalised = regexp.MustCompile(`\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*`)

func mine(c domain.Chunk) domain.GraphDocument {
	var g domain.GraphDocument
	at := map[string]int{}
	for _, s := range prose.Sentences(c.Text) {
		text, last := s.Slice(c.Text), -1
		for _, place := range capitalised.FindAllStringIndex(text, -1) {
			name := text[place[0]:place[1]]
			start := c.Span.Start + s.Start + utf8.RuneCountInString(text[:place[0]])
			i, ok := at[name]
			if !ok {
				i = len(g.Nodes)
				at[name] = i
				g.Nodes = append(g.Nodes, domain.GraphNode{Name: name, Label: "Person"})
			}
			g.Nodes[i].Spans = append(g.Nodes[i].Spans, domain.Span{Start: start, End: start + domain.Runes(name)})
			if last >= 0 && last != i {
				g.Relationships = append(g.Relationships, domain.GraphRelationship{
					Source: last, Target: i, Type: "MET", Raw: "met", Spans: []domain.Span{s.Shift(c.Span.Start)},
				})
			}
			last = i
		}
	}
	return g
}
