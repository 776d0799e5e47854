package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// markParser turns a stream of text with marks like [2] into writes and citations.
type markParser struct {
	pen      Pen
	passages []domain.Passage
	marks    llm.MarkFilter
	began    bool            // some text came
	written  strings.Builder // without marks
}

func newMarkParser(pen Pen, passages []domain.Passage) *markParser {
	p := &markParser{pen: pen, passages: passages}
	p.marks = llm.MarkFilter{Words: p.write, Mark: p.cite}
	return p
}

// add adds the next piece of the stream.
func (p *markParser) add(text string) {
	p.began = p.began || text != ""
	p.marks.Write(llm.WithoutThoughts(text))
}

func (p *markParser) write(text string) {
	p.written.WriteString(text)
	p.pen.Write(text)
}

// cite cites the passages of a mark. Unknown numbers are dropped.
func (p *markParser) cite(mark string) {
	for _, digits := range digitRuns.FindAllString(mark, -1) {
		n, err := strconv.Atoi(digits)
		if err == nil && n >= 1 && n <= len(p.passages) {
			passage := p.passages[n-1]
			p.pen.Cite(passage, bestSentence(p.claim(), passage))
		}
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
