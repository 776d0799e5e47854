package answer

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// modelWriter has a model write.
type modelWriter struct{ caller }

var _ Writer = modelWriter{}

// Write shows the model's words as they come. Its marks become citations of
// the sentence in the passage that fits best what stands before the mark. A
// model that can't call tools is not offered any: for it, a question that asks
// for a chart gets one, of which the model is told before it writes.
func (m modelWriter) Write(ctx context.Context, r WriteRequest, pen Pen, emit Emit) (Turn, error) {
	tools := false
	if r.Charts {
		mode, err := m.Fitness.Mode(ctx)
		if err != nil {
			return Turn{}, err
		}
		tools = mode == llm.ModeTool
		if !tools && len(r.Messages) == 0 && chart.Requested(r.Question) {
			return Turn{Calls: []ToolCall{chartCall(r.Question)}}, nil
		}
	}
	q, err := m.writing(r, tools)
	if err != nil {
		return Turn{}, err
	}
	s := &scribe{pen: pen, passages: r.Passages}
	q.OnText = s.take
	answer, err := m.complete(ctx, q, emit)
	if err != nil {
		return Turn{}, err
	}
	if !s.began {
		s.take(answer.Text)
	}
	s.flush()
	turn := Turn{Text: llm.WithoutThoughts(answer.Text)}
	for _, c := range answer.ToolCalls {
		turn.Calls = append(turn.Calls, ToolCall(c))
	}
	return turn, nil
}

// scribe turns a stream of text with marks like [2] into what a pen takes.
type scribe struct {
	pen      Pen
	passages []domain.Passage
	began    bool            // something came
	spoke    bool            // something was written or cited
	pending  string          // not yet written: it may be part of a mark or of a thought, or be spaces before a mark
	written  strings.Builder // without marks
}

var (
	markAhead = regexp.MustCompile(`^\s*\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\]`)
	maybeMark = regexp.MustCompile(`^\s*(?:\[[\d\s,;]*)?$`)
	plainText = regexp.MustCompile(`^\s*[^\s\[]+|^\s*\[`)
)

// longestMark bounds what is held back because it may become a mark, in bytes.
const longestMark = 40

// take takes the next piece of the stream.
func (s *scribe) take(text string) {
	s.began = s.began || text != ""
	s.pending += text
	if !s.thoughtOver() {
		return
	}
	for s.pending != "" {
		if mark := markAhead.FindString(s.pending); mark != "" {
			s.pending = s.pending[len(mark):]
			s.cite(mark)
			continue
		}
		if maybeMark.MatchString(s.pending) && len(s.pending) < longestMark {
			return
		}
		piece := plainText.FindString(s.pending)
		if piece == "" { // spaces only
			piece = s.pending
		}
		s.write(piece)
		s.pending = s.pending[len(piece):]
	}
}

// thoughtOver drops what a model thinks aloud first, and reports whether that
// has ended.
func (s *scribe) thoughtOver() bool {
	if s.spoke {
		return true
	}
	s.pending = strings.TrimLeft(llm.WithoutThoughts(s.pending), " \t\r\n")
	const tag = "<think"
	return !strings.HasPrefix(s.pending, tag[:min(len(tag), len(s.pending))]) || s.pending == ""
}

func (s *scribe) write(text string) {
	s.spoke = true
	s.written.WriteString(text)
	s.pen.Write(text)
}

// flush writes what was held back and turned out to be no mark.
func (s *scribe) flush() {
	if rest := strings.TrimRight(s.pending, " \t\r\n"); rest != "" {
		s.write(rest)
	}
	s.pending = ""
}

// cite cites what a mark names. A number that no passage has is dropped.
func (s *scribe) cite(mark string) {
	s.spoke = true
	for _, digits := range digitRuns.FindAllString(mark, -1) {
		n, err := strconv.Atoi(digits)
		if err == nil && n >= 1 && n <= len(s.passages) {
			p := s.passages[n-1]
			s.pen.Cite(p, supporting(s.claim(), p))
		}
	}
}

// claim is the sentence that was written last, as far as it goes.
func (s *scribe) claim() string {
	text := s.written.String()
	spans := prose.Sentences(text)
	if len(spans) == 0 {
		return ""
	}
	return spans[len(spans)-1].Slice(text)
}

// supporting is the sentence of a passage that shares most with a claim, in
// the document's text; the empty span when none shares anything.
func supporting(claim string, p domain.Passage) domain.Span {
	terms := prose.Terms(claim)
	var best domain.Span
	most := 0.0
	for _, span := range prose.Sentences(p.Text) {
		if score := shared(terms, prose.Terms(span.Slice(p.Text))); score > most {
			best, most = span.Shift(p.Span.Start), score
		}
	}
	return best
}

// shared counts the claim's terms among those of a sentence, the shorter
// sentence first where two have as many.
func shared(claim, sentence []string) float64 {
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
