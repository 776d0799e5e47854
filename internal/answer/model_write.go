package answer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// modelWriter is a Writer over a model.
type modelWriter struct{ caller }

var _ Writer = modelWriter{}

// Write streams the model's text to the pen. Its marks become citations of the
// sentence of the passage that best fits the text before the mark. A model that
// can't call tools is offered none: if the question asks for a chart, the first
// turn calls for it without asking the model.
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
	q, err := m.writeRequest(r, tools)
	if err != nil {
		return Turn{}, err
	}
	p := newMarkParser(pen, r.Passages)
	q.OnText = p.add
	answer, err := llm.Ask(ctx, m.Chat, q, emit)
	if err != nil {
		return Turn{}, err
	}
	if !p.began {
		p.add(answer.Text)
	}
	p.marks.Close()
	turn := Turn{Text: llm.WithoutThoughts(answer.Text)}
	for _, c := range answer.ToolCalls {
		turn.Calls = append(turn.Calls, ToolCall(c))
	}
	return turn, nil
}

// numberedPassage is a passage with the number that a model cites it by.
type numberedPassage struct {
	domain.Passage
	Number int
}

// writeRequest builds the request for a turn.
func (m modelWriter) writeRequest(r WriteRequest, tools bool) (llm.Request, error) {
	data := struct {
		Question string
		Passages []numberedPassage
	}{Question: r.Question}
	for i, p := range r.Passages {
		data.Passages = append(data.Passages, numberedPassage{p, i + 1})
	}
	q, err := m.request(r.Asked, "write", struct{ Charts bool }{tools}, data)
	if err != nil {
		return q, err
	}
	if r.Messages, err = m.withFailures(r); err != nil {
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

// withFailures returns the messages so far, in which the answer of a failed chart
// says what to do about it. The turns before the apology see it as pending.
func (m modelWriter) withFailures(r WriteRequest) ([]Message, error) {
	all := slices.Clone(r.Messages)
	for i, said := range all {
		if said.Artifact == nil || said.Status != domain.FigureFailed {
			continue
		}
		f := said.Artifact.Figure
		text, err := m.render("failed", struct{ Task, Problem, Apology string }{f.Task, f.Problem, r.Apology})
		if err != nil {
			return nil, err
		}
		all[i].Content = text
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

// plainMessages converts the messages so far to text, for a turn that is offered
// no tool: not every server accepts calls then.
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
