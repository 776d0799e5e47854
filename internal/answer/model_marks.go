package answer

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// markParser turns a stream of text with marks like [2] into writes and citations.
type markParser struct {
	pen      Pen
	passages []domain.Passage
	prose    llm.Prose
	marks    llm.MarkFilter
	began    bool            // some text came
	written  strings.Builder // without marks
}

func newMarkParser(pen Pen, passages []domain.Passage) *markParser {
	p := &markParser{pen: pen, passages: passages}
	p.begin()
	return p
}

func (p *markParser) begin() {
	p.marks = llm.MarkFilter{Most: len(p.passages), Words: p.write, Cite: p.cite}
	p.prose = llm.Prose{Words: p.marks.Write}
	p.written.Reset()
}

// add adds the next piece of the stream.
func (p *markParser) add(text string) {
	p.began = p.began || text != ""
	p.prose.Write(text)
}

// anew drops what came.
func (p *markParser) anew() {
	p.begin()
	p.pen.Anew()
}

// end passes on what was held back.
func (p *markParser) end() {
	p.prose.Close()
	p.marks.Close()
}

func (p *markParser) write(text string) {
	p.written.WriteString(text)
	p.pen.Write(text)
}

// cite cites the passages of a mark.
func (p *markParser) cite(numbers []int) {
	for _, n := range numbers {
		passage := p.passages[n-1]
		p.pen.Cite(passage, bestSentence(p.claim(), passage))
	}
}

// claim returns the last sentence so far.
func (p *markParser) claim() string {
	text := p.written.String()
	spans := prose.Sentences(text)
	if len(spans) == 0 {
		return ""
	}
	return spans[len(spans)-1].Slice(text)
}

// bestSentence returns the span, in the document's text, of the passage's sentence
// that shares most with a claim; the empty span if none shares anything.
func bestSentence(claim string, p domain.Passage) domain.Span {
	terms := prose.Terms(claim)
	var best domain.Span
	most := 0.0
	for _, span := range prose.Sentences(p.Text) {
		if score := overlap(terms, prose.Terms(span.Slice(p.Text))); score > most {
			best, most = span.Shift(p.Span.Start), score
		}
	}
	return best
}

// overlap counts the claim's terms that a sentence has. Among equals the shorter
// sentence scores higher.
func overlap(claim, sentence []string) float64 {
	n := 0
	for i, t := range claim {
		if slices.Contains(sentence, t) && !slices.Contains(claim[:i], t) {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(n) + 1/float64(1+len(sentence))
}
