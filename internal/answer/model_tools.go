package answer

import (
	"encoding/json"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// chartOffer is the tool as a model is told of it.
var chartOffer = llm.Tool{
	Name: chartTool.name,
	Description: "Has a chart drawn of numbers that the passages state, and puts it where your text stands. " +
		"Call it when the question asks for a chart, or when several numbers are compared or change over time, and a picture says more than a sentence. Not for one or two numbers.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"task":{"type":"string",` +
		`"description":"what the chart is to show: which values, of what, over what; with the type of chart if the reader named one"}},` +
		`"required":["task"],"additionalProperties":false}`),
}

// chartCall asks for the chart that a question asks for.
func chartCall(task string) ToolCall {
	arguments, _ := json.Marshal(map[string]string{"task": task}) // of a string it has no error
	return ToolCall{Name: chartTool.name, Arguments: string(arguments)}
}

// numbered is a passage under the number that a model cites it by.
type numbered struct {
	domain.Passage
	Number int
}

// writing is the request for a turn.
func (m modelWriter) writing(r WriteRequest, tools bool) (llm.Request, error) {
	data := struct {
		Question string
		Passages []numbered
	}{Question: r.Question}
	for i, p := range r.Passages {
		data.Passages = append(data.Passages, numbered{p, i + 1})
	}
	system, err := m.prompts.render("write", struct{ Charts bool }{tools})
	if err != nil {
		return llm.Request{}, err
	}
	user, err := m.prompts.render("write_user", data)
	if err != nil {
		return llm.Request{}, err
	}
	q := m.asking(r.Asked, "write", system, user)
	if tools {
		q.Tools = []llm.Tool{chartOffer}
		q.Messages = append(q.Messages, called(r.Messages)...)
		return q, nil
	}
	q.Messages = append(q.Messages, told(r)...)
	return q, nil
}

// called are the messages so far in the form of calls and answers.
func called(all []Message) []llm.Message {
	var out []llm.Message
	for _, m := range all {
		if m.From == FromTool {
			out = append(out, llm.Message{Role: llm.ToolRole, ToolCallID: m.ToolCallID, Text: m.Content})
			continue
		}
		said := llm.Message{Role: llm.Assistant, Text: m.Content}
		for _, c := range m.Calls {
			if !json.Valid([]byte(c.Arguments)) { // some servers read them again
				c.Arguments = "{}"
			}
			said.ToolCalls = append(said.ToolCalls, llm.ToolCall(c))
		}
		out = append(out, said)
	}
	return out
}

// told are the messages so far in words, for a turn that is offered no tool:
// not every server takes calls then.
func told(r WriteRequest) []llm.Message {
	var said, heard []string
	for _, m := range r.Messages {
		switch {
		case m.From == FromWriter && m.Content != "":
			said = append(said, strings.TrimSpace(m.Content))
		case m.From == FromTool && (r.Apology == "" || m.Artifact != nil && m.Status == domain.FigureFailed):
			heard = append(heard, m.Content)
		}
	}
	var out []llm.Message
	if len(said) > 0 {
		out = append(out, llm.Message{Role: llm.Assistant, Text: strings.Join(said, "\n\n")})
	}
	if len(heard) > 0 {
		out = append(out, llm.Message{Role: llm.User, Text: strings.Join(heard, "\n\n")})
	}
	return out
}
