package langchain

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/clewhq/clew/internal/llm"
)

var errNoAnswer = errors.New("it holds no answer")

// An answer is put together from the pieces of a stream, or at once.
type answer struct {
	request  llm.Request
	response llm.Response
	text     strings.Builder
	thoughts llm.ThoughtFilter
	calls    []*llm.ToolCall
	open     map[int]*llm.ToolCall // by the server's index
}

func newAnswer(r llm.Request) *answer { return &answer{request: r, open: map[int]*llm.ToolCall{}} }

func (a *answer) write(text string) { a.show(a.thoughts.Write(text)) }

func (a *answer) show(text string) {
	text = llm.WithControlTokens(text)
	a.text.WriteString(text)
	if text != "" && a.request.OnText != nil {
		a.request.OnText(text)
	}
}

// call adds a piece of a tool call. Some servers give all calls the same index
// and tell them apart by id.
func (a *answer) call(index int, id, name, arguments string) {
	c := a.open[index]
	if c == nil || id != "" && c.ID != "" && id != c.ID {
		c = &llm.ToolCall{}
		a.open[index], a.calls = c, append(a.calls, c)
	}
	c.ID, c.Name = cmp.Or(id, c.ID), cmp.Or(c.Name, name)
	c.Arguments += arguments
}

// take copies what the library read.
func (a *answer) take(c *llms.ContentChoice) {
	a.write(c.Content)
	for i, t := range c.ToolCalls {
		a.call(i, t.ID, t.FunctionCall.Name, t.FunctionCall.Arguments)
	}
	a.response.Stop = c.StopReason
	a.response.Usage.Input, _ = c.GenerationInfo["PromptTokens"].(int)
	a.response.Usage.Output, _ = c.GenerationInfo["CompletionTokens"].(int)
}

// complete reports whether the server said why the answer ended.
func (a *answer) complete() bool { return a.response.Stop != "" }

// finish returns the whole answer. A tool call without an id gets one, one
// without arguments an empty object.
func (a *answer) finish() (llm.Response, error) {
	a.show(a.thoughts.Close())
	r := a.response
	if r.Text = a.text.String(); r.Text == "" && len(a.calls) == 0 && r.Stop == "" {
		return llm.Response{}, errNoAnswer
	}
	for i, c := range a.calls {
		c.ID = cmp.Or(c.ID, fmt.Sprintf("call_%d", i+1))
		c.Arguments = cmp.Or(strings.TrimSpace(llm.WithControlTokens(c.Arguments)), "{}")
		r.ToolCalls = append(r.ToolCalls, *c)
	}
	if r.Stop = cmp.Or(r.Stop, "stop"); r.Stop == "stop" && len(r.ToolCalls) > 0 {
		r.Stop = "tool_calls"
	}
	return r, nil
}
