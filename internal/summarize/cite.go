package summarize

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
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
	text, err := readText(c.ctx, c.texts, c.state.Workspace, id)
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

type termSet map[string]bool

func termsOf(text string) termSet {
	return lists.Set(prose.Terms(text))
}

// shared counts the terms that two sets have in common.
func (a termSet) shared(b termSet) int {
	n := 0
	for t := range a {
		if b[t] {
			n++
		}
	}
	return n
}

// A sourceIndex finds sentences by shared words. It computes their terms on
// first use.
type sourceIndex struct {
	sentences []Sentence
	terms     []termSet
}

// nearest returns the parts, at most four, of the sentences that share most
// words with a text.
func (x *sourceIndex) nearest(text string) []int {
	const maxParts = 4
	if x.terms == nil {
		for _, s := range x.sentences {
			x.terms = append(x.terms, termsOf(s.Text))
		}
	}
	terms := termsOf(text)
	parts, most := []int{}, 0
	for i, s := range x.sentences {
		n := terms.shared(x.terms[i])
		if n == 0 || n < most {
			continue
		}
		if n > most {
			parts, most = []int{}, n
		}
		for _, p := range s.Parts {
			if len(parts) < maxParts && !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// A passage is a sentence of a part with its terms.
type passage struct {
	span  domain.Span // in the document
	terms termSet
}

// passagesOf splits the text of a part that starts at the given offset.
func passagesOf(text string, offset int) []passage {
	return lists.Map(prose.Sentences(text), func(span domain.Span) passage { return passage{span.Shift(offset), termsOf(span.Slice(text))} })
}

// supporting returns the span of the passage that shares most words with a
// claim, the shorter of equals; or the whole part if none shares any.
func supporting(claim termSet, passages []passage, whole domain.Span) domain.Span {
	best, most := whole, 0.0
	for _, p := range passages {
		n := claim.shared(p.terms)
		if score := float64(n) + 1/float64(2+len(p.terms)); n > 0 && score > most {
			best, most = p.span, score
		}
	}
	return best
}

// writeText joins sentences, each followed by its numbers as in "It burned down
// in 1871. [3][4]".
func writeText[S any](sentences []S, parts func(S) (text string, numbers []int, paragraph int)) string {
	var b strings.Builder
	last := 0
	for i, s := range sentences {
		text, numbers, paragraph := parts(s)
		switch {
		case i == 0:
		case paragraph > last:
			b.WriteString("\n\n")
		default:
			b.WriteByte(' ')
		}
		last = paragraph
		b.WriteString(text)
		for j, n := range numbers {
			if j == 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "[%d]", n)
		}
	}
	return b.String()
}

// textOf joins sentences without marks.
func textOf(sentences []Sentence) string {
	return writeText(sentences, func(s Sentence) (string, []int, int) { return s.Text, nil, s.Paragraph })
}

// Marked returns the text of a summary with marks, the numbers of the parts,
// after each sentence. ParseMarked is its inverse.
func (s Summary) Marked() string {
	return writeText(s.Sentences, func(s Sentence) (string, []int, int) { return s.Text, s.Parts, s.Paragraph })
}

var bullet = regexp.MustCompile(`^(?:[-*•]|#+)\s+`)

// ParseMarked parses an account of other sentences: its sentences with the
// parts that their marks name. Marks that none of the sources has are dropped.
// A sentence without marks gets the parts of the sources that share most of
// its words.
func ParseMarked(text string, sources []Sentence) []Sentence {
	plain, found := cutMarks(text, sources)
	known, index := partsOf(sources), sourceIndex{sentences: sources}
	spans := prose.Sentences(plain)
	var out []Sentence
	paragraph := 0
	for i, span := range spans {
		next := domain.Runes(plain) + 1
		if i+1 < len(spans) {
			next = spans[i+1].Start
		}
		if i > 0 && strings.Count(domain.Span{Start: spans[i-1].End, End: span.Start}.Slice(plain), "\n") > 1 {
			paragraph++
		}
		s := Sentence{Text: bullet.ReplaceAllString(domain.OneLine(span.Slice(plain)), ""), Parts: []int{}, Paragraph: paragraph}
		if s.Text == "" {
			continue
		}
		for _, m := range found {
			if m.at > span.Start && m.at <= next && slices.Contains(known, m.part) && !slices.Contains(s.Parts, m.part) {
				s.Parts = append(s.Parts, m.part)
			}
		}
		if len(s.Parts) == 0 {
			s.Parts = index.nearest(s.Text)
		}
		s.Span = verbatimSpan(s, sources)
		out = append(out, s)
	}
	return out
}

// A mark is the number of a part at a position in the text without marks, in
// code points.
type mark struct{ at, part int }

// cutMarks removes from a text the marks that may name parts of the sources.
func cutMarks(text string, sources []Sentence) (plain string, found []mark) {
	var b strings.Builder
	runes := 0
	f := markFilter(sources, func(words string) {
		b.WriteString(words)
		runes += domain.Runes(words)
	}, func(numbers []int) {
		for _, n := range numbers {
			found = append(found, mark{runes, n})
		}
	})
	f.Write(text)
	f.Close()
	return b.String(), found
}

// markFilter returns the filter of an account of sources.
func markFilter(sources []Sentence, words func(string), cite func([]int)) *llm.MarkFilter {
	most := 0
	for _, n := range partsOf(sources) {
		most = max(most, n)
	}
	return &llm.MarkFilter{Most: most, Words: words, Cite: cite}
}

// verbatimSpan returns the span of the last source that a sentence repeats word
// for word, or nil.
func verbatimSpan(s Sentence, sources []Sentence) *domain.Span {
	for _, source := range slices.Backward(sources) {
		if source.Span != nil && source.Text == s.Text && slices.Equal(source.Parts, s.Parts) {
			return source.Span
		}
	}
	return nil
}

// partsOf returns the distinct parts of sentences.
func partsOf(sentences []Sentence) []int {
	var out []int
	for _, s := range sentences {
		for _, p := range s.Parts {
			out = lists.AppendOnce(out, p)
		}
	}
	return out
}

// sentencesOf concatenates the sentences of summaries.
func sentencesOf(summaries []Summary) []Sentence {
	return lists.Flat(summaries, func(s Summary) []Sentence { return s.Sentences })
}
