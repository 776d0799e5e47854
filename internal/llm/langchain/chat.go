// Package langchain calls models over HTTP: on every server that speaks OpenAI's
// protocol, and Anthropic's.
//
// The langchaingo library writes the conversations of OpenAI's protocol. The rest is done here,
// because the library merges parallel tool calls of a stream, takes a broken stream for a whole
// answer, fails on types that some servers change, sends only one part of each message to Anthropic
// and alters the numbers in its tools' arguments (TestLibraryDefects).
package langchain

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Chat is a chat model behind an HTTP address.
type Chat struct {
	server
	protocol
}

var _ llm.Chat = (*Chat)(nil)

// protocol is where the two families of servers differ. An error of reading means that
// the answer was not understood.
type protocol interface {
	// request returns the body to send and its path.
	request(r llm.Request) (path string, body map[string]any, err error)

	// whole reads a whole answer into a.
	whole(a *answer, body []byte) error

	// event reads one event of a stream into a, and reports whether it is the last.
	event(a *answer, data []byte) (bool, error)
}

// NewChat returns the chat model of a configuration without connecting to it;
// llm.Probe tests it. An Invalid error names the setting to mend.
func NewChat(c Config) (*Chat, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	switch c.Provider {
	case OpenAI:
		return &Chat{s, openAI{s.Config, new(forms)}}, nil
	case Anthropic:
		return &Chat{s, anthropic{s.Model()}}, nil
	}
	return nil, domain.Errorf(domain.Invalid, "%s_PROVIDER is %q, but should be %s or %s.", s.Settings, c.Provider, OpenAI, Anthropic)
}

// Complete sends a request; see llm.Chat. No text of a message acts as a control
// token of the model's chat template.
func (c *Chat) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	r = r.WithoutControlTokens()
	path, body, err := c.request(r)
	if err != nil {
		return llm.Response{}, c.notBuilt(err)
	}
	a := newAnswer(r)
	whole := func(body []byte) error { return c.whole(a, body) }
	var stream streamReader
	if r.OnText != nil || r.Stream {
		body["stream"] = true
		stream = func(events *bufio.Reader, alive func()) error {
			return c.readStream(events, func(data []byte) (bool, error) {
				before := a.received
				last, err := c.event(a, data)
				if a.received > before { // what only keeps the connection open is no sign of the model
					alive()
				}
				return last, err
			}, a.complete)
		}
	}
	if err := c.call(ctx, path, body, whole, stream); err != nil {
		return llm.Response{}, err
	}
	response, err := a.finish()
	if err != nil {
		return llm.Response{}, c.misread(err)
	}
	response.Model = cmp.Or(response.Model, c.Model())
	return response, nil
}

var errNoAnswer = errors.New("it holds no answer")

// An answer is put together from the pieces of a stream, or at once.
type answer struct {
	request  llm.Request
	response llm.Response
	text     strings.Builder
	thoughts llm.ThoughtFilter
	repeats  llm.Repetition
	received int // bytes of text, thoughts and calls
	calls    []*llm.ToolCall
	open     map[int]*llm.ToolCall // by the server's index
}

func newAnswer(r llm.Request) *answer {
	return &answer{request: r, open: map[int]*llm.ToolCall{}, thoughts: llm.ThoughtFilter{Calls: r.OnText != nil || len(r.Tools) > 0}}
}

func (a *answer) write(text string) {
	a.receive(text)
	a.show(a.thoughts.Write(text))
}

// receive counts what came, and notices when it only repeats itself.
func (a *answer) receive(text string) {
	a.received += len(text)
	a.repeats.Write(text)
	if a.request.OnProgress != nil && text != "" {
		a.request.OnProgress(a.received)
	}
}

// show adds text to the answer, which may begin anew.
func (a *answer) show(text string, anew bool) {
	if text = llm.WithControlTokens(text); anew {
		a.text.Reset()
		if a.request.OnAnew != nil {
			a.request.OnAnew()
		}
	}
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
	a.receive(arguments)
}

// complete reports whether the server gave a reason for the end of the answer.
func (a *answer) complete() bool { return a.response.Stop != "" }

// maxReceived is the maximum size of a stream, in bytes of text, thoughts and calls: a multiple of what models can
// write.
const maxReceived = 4 << 20

// enough ends a stream that repeats itself or does not end.
func (a *answer) enough() bool {
	switch {
	case a.repeats.Found():
		a.response.Stop = llm.StopRepeated
	case a.received > maxReceived:
		a.response.Stop = llm.StopLength
	default:
		return false
	}
	return true
}

// finish returns the whole answer. A tool call without an id gets one, one
// without arguments an empty object.
func (a *answer) finish() (llm.Response, error) {
	a.show(a.thoughts.Close())
	for _, said := range a.thoughts.ToolCalls() {
		a.calls = append(a.calls, llm.CallsIn(said, a.request.Tools)...)
	}
	if len(a.calls) == 0 && len(a.request.Tools) > 0 {
		a.calls = llm.CallsIn(a.text.String(), a.request.Tools)
	}
	r := a.response
	if a.text.Len() == 0 && len(a.calls) == 0 && r.Stop == "" && r.Refusal == "" && a.received == 0 {
		return llm.Response{}, errNoAnswer
	}
	for i, c := range a.calls {
		c.ID = cmp.Or(c.ID, fmt.Sprintf("call_%d", i+1))
		c.Arguments = cmp.Or(strings.TrimSpace(llm.WithControlTokens(llm.WithoutThoughts(c.Arguments))), "{}")
		r.ToolCalls = append(r.ToolCalls, *c)
	}
	if r.Stop = cmp.Or(r.Stop, llm.StopDone); r.Stop == llm.StopDone && len(r.ToolCalls) > 0 {
		r.Stop = llm.StopTools
	}
	if a.repeats.Found() {
		r.Stop = llm.StopRepeated
		if once := a.repeats.Once(a.text.String()); once != a.text.String() {
			a.show(once, true)
		}
	}
	r.Text = a.text.String()
	return r.Normal(), nil
}
