package answer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose"
)

// modelWriter is a Writer over a model.
type modelWriter struct{ caller }

// Write streams the model's text to the pen. Its marks become citations of the passage's sentence that best fits the text
// before the mark. A model that can't call tools is offered none: if the question asks for a chart, the first turn calls
// for it without asking the model.
func (m modelWriter) Write(ctx context.Context, r WriteRequest, pen Pen, emit Emit) (turn Turn, err error) {
	if !r.Charts {
		return m.write(ctx, r, false, pen, emit)
	}
	err = m.Fitness.Ask(ctx, noting(emit), func(mode llm.Mode) error {
		tools := mode == llm.ModeTool
		if !tools && len(r.Messages) == 0 && chart.Requested(r.Question) {
			turn = Turn{Calls: []ToolCall{chartCall(r.Question)}}
			return nil
		}
		turn, err = m.write(ctx, r, tools, pen, emit)
		return err
	})
	return turn, err
}

func (m modelWriter) write(ctx context.Context, r WriteRequest, tools bool, pen Pen, emit Emit) (Turn, error) {
	q, err := m.writeRequest(ctx, r, tools)
	if err != nil {
		return Turn{}, err
	}
	return m.stream(ctx, q, r.Passages, r.Reckoned, pen, emit)
}

// stream sends a request and passes the reply to the pen.
func (m modelWriter) stream(ctx context.Context, q llm.Request, passages []domain.Passage, table Reckoned, pen Pen, emit Emit) (Turn, error) {
	p := newMarkParser(pen, passages)
	p.table = table
	q.OnText, q.OnAnew = p.add, p.anew
	answer, err := llm.Ask(ctx, m.Chat, q, emit)
	if err != nil {
		return Turn{}, err
	}
	if !p.began {
		p.add(answer.Text)
	}
	p.end()
	turn := Turn{Text: llm.Unwrap(answer.Text), Cut: answer.Cut()}
	for _, c := range answer.ToolCalls {
		turn.Calls = append(turn.Calls, ToolCall(c))
	}
	return turn, nil
}

// writeRequest builds the request for a turn.
func (m modelWriter) writeRequest(ctx context.Context, r WriteRequest, tools bool) (llm.Request, error) {
	data := writeData{Question: prompts.Fence("question", r.said()), Passages: numbered(r.Passages), Reckoned: prompts.Fence("result", r.Reckoned.Says), Rows: r.Reckoned.data(r.Passages)}
	for _, s := range r.Steps {
		data.Steps = append(data.Steps, settledData{prompts.Fence("question", s.Asked), prompts.Fence("finding", s.Finding)})
	}
	q, err := m.request(ctx, r.Asked, RoleWrite, writeSystemData{tools}, data)
	if err != nil {
		return q, err
	}
	if r.Messages, err = m.withFailures(ctx, r); err != nil {
		return q, err
	}
	if tools {
		q.Tools = []llm.Tool{chartOffer}
		q.Messages = append(q.Messages, toolMessages(r.Messages)...)
		return q, nil
	}
	q.Messages = append(q.Messages, plainMessages(r)...)
	return q, nil
}

// Revise streams the new text to the pen, as Write does.
func (m modelWriter) Revise(ctx context.Context, r ReviseRequest, pen Pen, emit Emit) error {
	data := reviseData{Question: prompts.Fence("question", r.said()), Passages: numbered(r.Passages), Draft: prompts.Fence("answer", r.Draft)}
	for _, f := range r.Faults {
		data.Faults = append(data.Faults, faultData{prompts.Fence("sentence", f.Sentence), prompts.Fence("reason", f.Reason)})
	}
	q, err := m.request(ctx, r.Asked, RoleRevise, noData{}, data)
	if err != nil {
		return err
	}
	turn, err := m.stream(ctx, q, r.Passages, Reckoned{}, pen, emit)
	if turn.Cut != "" {
		emit(domain.EventNote, domain.Note{Text: turn.Cut})
	}
	return err
}

func numbered(passages []domain.Passage) []passageData {
	data := make([]passageData, len(passages))
	for i, p := range passages {
		data[i] = passageData{
			Number: i + 1, Title: prompts.Fence("title", p.Title), Page: p.PagesOf(p.Span),
			Headings: prompts.Fence("headings", strings.Join(p.Headings, " / ")), Text: prompts.Fence("passage", p.Text),
		}
	}
	return data
}

// withFailures returns the messages so far, with instructions in the answers of failed charts. Turns before the apology
// see those charts as pending.
func (m modelWriter) withFailures(ctx context.Context, r WriteRequest) ([]Message, error) {
	all := slices.Clone(r.Messages)
	for i, said := range all {
		if said.Artifact == nil || said.Status != domain.FigureFailed {
			continue
		}
		f := said.Artifact.Figure
		text, err := m.prompts.Text(ctx, r.Workspace, RoleWrite, r.Prompts)
		if err != nil {
			return nil, err
		}
		all[i].Content, err = text.Render(failedPart, failedData{prompts.Fence("task", f.Task), prompts.Fence("problem", f.Problem), r.Apology})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// toolMessages converts the messages so far to calls and their answers.
func toolMessages(all []Message) []llm.Message {
	var out []llm.Message
	for _, m := range all {
		if m.From == FromTool {
			out = append(out, llm.Message{Role: llm.ToolRole, ToolCallID: m.ToolCallID, Text: m.Content})
			continue
		}
		turn := llm.Message{Role: llm.Assistant, Text: m.Content}
		for _, c := range m.Calls {
			if !json.Valid([]byte(c.Arguments)) { // some servers parse them again
				c.Arguments = "{}"
			}
			turn.ToolCalls = append(turn.ToolCalls, llm.ToolCall(c))
		}
		out = append(out, turn)
	}
	return out
}

// plainMessages converts the messages so far to text, for a turn without tools, in which not every server accepts calls.
func plainMessages(r WriteRequest) []llm.Message {
	var turns, answers []string
	for _, m := range r.Messages {
		switch {
		case m.From == FromWriter && m.Content != "":
			turns = append(turns, strings.TrimSpace(m.Content))
		case m.From == FromTool && (r.Apology == "" || m.Artifact != nil && m.Status == domain.FigureFailed):
			answers = append(answers, m.Content)
		}
	}
	var out []llm.Message
	if len(turns) > 0 {
		out = append(out, llm.Message{Role: llm.Assistant, Text: strings.Join(turns, "\n\n")})
	}
	if len(answers) > 0 {
		out = append(out, llm.Message{Role: llm.User, Text: strings.Join(answers, "\n\n")})
	}
	return out
}

// markParser turns a stream of text with marks like [2] into writes and citations.
type markParser struct {
	pen      Pen
	passages []domain.Passage
	table    Reckoned
	prose    llm.Prose
	marks    llm.MarkFilter
	began    bool            // some text has arrived
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

// anew discards the text so far.
func (p *markParser) anew() {
	p.begin()
	p.pen.Anew()
}

// end flushes the held-back text.
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
		span := p.table.rowFor(p.claim(), passage)
		if span.Empty() {
			span = bestSentence(p.claim(), passage)
		}
		p.pen.Cite(passage, span)
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

// bestSentence returns the span, in the document's text, of the passage's sentence that shares most words with a claim,
// or the empty span if none shares any.
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
