package answer

import (
	"regexp"
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
	began    bool            // some text came
	wrote    bool            // something was written or cited
	pending  string          // possibly part of a mark, part of a thought, or spaces before a mark
	written  strings.Builder // without marks
}

var (
	markAhead = regexp.MustCompile(`^\s*\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\]`)
	maybeMark = regexp.MustCompile(`^\s*(?:\[[\d\s,;]*)?$`)
	plainText = regexp.MustCompile(`^\s*[^\s\[]+|^\s*\[`)
)

// maxMark bounds the text held back because it may become a mark, in bytes.
const maxMark = 40

// add adds the next piece of the stream.
func (p *markParser) add(text string) {
	p.began = p.began || text != ""
	p.pending += text
	if !p.thoughtEnded() {
		return
	}
	for p.pending != "" {
		if mark := markAhead.FindString(p.pending); mark != "" {
			p.pending = p.pending[len(mark):]
			p.cite(mark)
			continue
		}
		if maybeMark.MatchString(p.pending) && len(p.pending) < maxMark {
			return
		}
		piece := plainText.FindString(p.pending)
		if piece == "" { // spaces only
			piece = p.pending
		}
		p.write(piece)
		p.pending = p.pending[len(piece):]
	}
}

// thoughtEnded drops a thought at the beginning, and reports whether it has ended.
func (p *markParser) thoughtEnded() bool {
	if p.wrote {
		return true
	}
	p.pending = strings.TrimLeft(llm.WithoutThoughts(p.pending), " \t\r\n")
	const tag = "<think"
	return !strings.HasPrefix(p.pending, tag[:min(len(tag), len(p.pending))]) || p.pending == ""
}

func (p *markParser) write(text string) {
	p.wrote = true
	p.written.WriteString(text)
	p.pen.Write(text)
}

// flush writes the text held back.
func (p *markParser) flush() {
	if rest := strings.TrimRight(p.pending, " \t\r\n"); rest != "" {
		p.write(rest)
	}
	p.pending = ""
}

// cite cites the passages of a mark. Unknown numbers are dropped.
func (p *markParser) cite(mark string) {
	p.wrote = true
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
