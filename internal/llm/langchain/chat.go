// Package langchain calls models over HTTP: on every server that speaks OpenAI's
// protocol, and Anthropic's.
//
// The langchaingo library writes the conversations of OpenAI's protocol. The rest is
// done here, because the library merges parallel tool calls of a stream, takes a broken
// stream for a whole answer, fails on types that some servers change, sends one part of
// each message to Anthropic and alters the numbers in its tools' arguments
// (TestLibraryDefects).
package langchain

import (
	"bufio"
	"cmp"
	"context"

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
	// request returns what to send, and to which path.
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
		return &Chat{s, openAI{s.Config}}, nil
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
	var stream func(*bufio.Reader) error
	if r.OnText != nil || r.Stream {
		body["stream"] = true
		stream = func(events *bufio.Reader) error {
			return c.readStream(events, func(data []byte) (bool, error) { return c.event(a, data) }, a.complete)
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
