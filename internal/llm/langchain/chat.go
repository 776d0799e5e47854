package langchain

import (
	"cmp"
	"context"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/transport"
)

// Config configures one model.
type Config = transport.Config

// The providers name the protocols.
const (
	OpenAI    = transport.OpenAI
	Anthropic = transport.Anthropic
)

// Chat is a chat model behind an HTTP address.
type Chat struct {
	config   Config
	library  llms.Model
	protocol protocol
}

var _ llm.Chat = (*Chat)(nil)

// protocol is where the two families of servers differ. An error that is no
// *llm.Error means that the answer was not understood.
type protocol interface {
	// messages returns the conversation in the form that the library sends right.
	messages(r llm.Request) []llms.MessageContent

	// amend adds to the request's body what the library can't say.
	amend(body map[string]any, r llm.Request)

	// whole reads a whole answer into a, or returns the part that the library reads.
	whole(a *answer, body []byte) ([]byte, error)

	// event reads one event of a stream into a, and reports whether it is the last.
	event(a *answer, data []byte) (bool, error)
}

// NewChat returns the chat model of a configuration without connecting to it;
// llm.Probe tests it. An Invalid error names the setting to mend.
func NewChat(c Config) (*Chat, error) {
	c, err := c.WithDefaults()
	if err != nil {
		return nil, err
	}
	switch c.Provider {
	case OpenAI:
		library, err := newOpenAI(c)
		return &Chat{c, library, openAI{c}}, err
	case Anthropic:
		library, err := anthropic.New(anthropic.WithToken(token(c.Key)), anthropic.WithModel(c.Model),
			anthropic.WithBaseURL(c.BaseURL), anthropic.WithHTTPClient(transport.NewClient(c)))
		return &Chat{c, library, anthropicMessages{}}, err
	}
	return nil, domain.Errorf(domain.Invalid, "%s_PROVIDER is %q, but should be %s or %s.", c.Settings, c.Provider, OpenAI, Anthropic)
}

// newOpenAI returns the library's client. It sets every option that the
// library would otherwise read from the environment.
func newOpenAI(c Config) (*openai.LLM, error) {
	return openai.New(openai.WithToken(token(c.Key)), openai.WithModel(c.Model), openai.WithEmbeddingModel(c.Model),
		openai.WithBaseURL(c.BaseURL), openai.WithOrganization(""), openai.WithHTTPClient(transport.NewClient(c)))
}

// token replaces an empty key, which the library refuses; the client removes it.
func token(key string) string { return cmp.Or(key, "none") }

// Model returns the model's name.
func (c *Chat) Model() string { return c.config.Model }

// Complete sends a request; see llm.Chat. No text of a message acts as a control
// token of the model's chat template.
func (c *Chat) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	r = r.WithoutControlTokens()
	a := newAnswer(r)
	marked, long := withMarks(r)
	x := &transport.Exchange{
		Amend:    func(body map[string]any) { c.protocol.amend(body, r) },
		Fill:     long.fill,
		Whole:    func(body []byte) ([]byte, error) { return c.protocol.whole(a, body) },
		Complete: a.complete,
	}
	if r.OnText != nil || r.Stream {
		x.Event = func(data []byte) (bool, error) { return c.protocol.event(a, data) }
	}
	err := x.Run(ctx, c.config, func(ctx context.Context) error {
		read, err := c.library.GenerateContent(ctx, c.protocol.messages(marked), options(r)...)
		if err == nil {
			a.take(read.Choices[0])
		}
		return err
	})
	if err != nil {
		return llm.Response{}, err
	}
	response, err := a.finish()
	if err != nil {
		return llm.Response{}, c.config.Misread(err)
	}
	response.Model = cmp.Or(response.Model, c.config.Model)
	return response, nil
}

// options returns the parts of a request that the library sends right.
func options(r llm.Request) []llms.CallOption {
	tools := make([]llms.Tool, len(r.Tools))
	for i, t := range r.Tools {
		tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Parameters,
		}}
	}
	return []llms.CallOption{llms.WithTemperature(r.Temperature), llms.WithTools(tools)}
}
