package summarize

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// A citer ties the sentences of a final summary to spans of the parts that they
// were drawn from.
type citer struct {
	ctx       context.Context
	texts     Texts
	state     State
	document  domain.DocumentID // whose name and text are loaded
	loaded    domain.Text
	name      string
	version   int
	runes     []rune
	passages  map[int][]passage // by part
	sentences []domain.Sentence
	citations []domain.Citation
}

func (c *citer) cite(sentences []Sentence) error {
	c.sentences, c.citations, c.passages = []domain.Sentence{}, []domain.Citation{}, map[int][]passage{}
	for _, s := range sentences {
		terms := termsOf(s.Text)
		out := domain.Sentence{Text: s.Text, Citations: []int{}, Paragraph: s.Paragraph}
		for _, part := range s.Parts {
			n, err := c.citation(s, terms, part)
			if err != nil {
				return err
			}
			if n > 0 && !slices.Contains(out.Citations, n) {
				out.Citations = append(out.Citations, n)
			}
		}
		out.Supported = len(out.Citations) > 0
		c.sentences = append(c.sentences, out)
	}
	return nil
}

// citation returns the number of the citation of a sentence in a part, or 0 if
// there is no such part.
func (c *citer) citation(s Sentence, terms termSet, number int) (int, error) {
	i := slices.IndexFunc(c.state.Contents, func(p Part) bool { return p.N == number })
	if i < 0 {
		return 0, nil
	}
	part := c.state.Contents[i]
	if err := c.load(part.Document); err != nil {
		return 0, err
	}
	span := c.span(s, terms, part)
	for _, known := range c.citations {
		if known.DocumentID == part.Document && known.Span == span {
			return known.N, nil
		}
	}
	c.citations = append(c.citations, domain.Citation{
		N: len(c.citations) + 1, Document: c.name, DocumentID: part.Document, Version: c.version, Page: c.loaded.PageOf(span), Place: c.loaded.Place(span), Span: span, Text: c.slice(span),
	})
	return len(c.citations), nil
}

func (c *citer) load(id domain.DocumentID) error {
	if c.document == id {
		return nil
	}
	text, err := textOfDocument(c.ctx, c.texts, c.state, id)
	if err != nil {
		return err
	}
	d, err := c.texts.Document(c.ctx, c.state.Workspace, id)
	if err != nil {
		return err
	}
	c.document, c.name, c.version, c.loaded, c.runes = id, d.Name, d.Version, text, []rune(text.Content)
	return nil
}

// span returns the sentence's own span, or that of the passage of the part
// that supports it.
func (c *citer) span(s Sentence, terms termSet, part Part) domain.Span {
	if s.Span != nil && part.Span.Contains(*s.Span) {
		return *s.Span
	}
	if _, ok := c.passages[part.N]; !ok {
		c.passages[part.N] = passagesOf(c.slice(part.Span), part.Span.Start)
	}
	return supporting(terms, c.passages[part.N], part.Span)
}

func (c *citer) slice(s domain.Span) string {
	return string(c.runes[min(s.Start, len(c.runes)):min(s.End, len(c.runes))])
}

// text returns the summary with the numbers of its citations.
func (c *citer) text() string {
	return writeText(c.sentences, func(s domain.Sentence) (string, []int, int) { return s.Text, s.Citations, s.Paragraph })
}
