package langchain

import (
	"context"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Chat is a model that is reached over HTTP.
type Chat struct {
	config   Config
	library  llms.Model
	protocol protocol
}

var _ llm.Chat = (*Chat)(nil)

// protocol is what the two families of servers do differently.
type protocol interface {
	// messages writes the conversation in the form from which the library
	// builds the request rightly.
	messages(r llm.Request) []llms.MessageContent

	// fields are what the library can't say, to be merged into the request.
	fields(r llm.Request) map[string]any

	// reader reads one answer.
	reader(r llm.Request) answerReader
}

// answerReader turns what a server sends into an answer. Errors that are not
// *llm.Error mean that it was not understood.
type answerReader interface {
	whole(body []byte) error         // an answer in one piece
	event(data []byte) (bool, error) // one event of a stream; true after the last
	ended() bool                     // whether what came so far is a whole answer
	answer() llm.Response
}

// NewChat makes a chat model of its configuration. It connects to nothing; see
// llm.Probe for a test. An error is of kind Invalid and names the setting.
func NewChat(c Config) (*Chat, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	d := newDoer(c)
	switch c.Provider {
	case OpenAI:
		library, err := newOpenAI(c, d)
		return &Chat{c, library, openAI{c}}, err
	case Anthropic:
		library, err := anthropic.New(anthropic.WithToken(token(c.Key)), anthropic.WithModel(c.Model),
			anthropic.WithBaseURL(c.BaseURL), anthropic.WithHTTPClient(d))
		return &Chat{c, library, anthropicMessages{c}}, err
	}
	return nil, domain.Errorf(domain.Invalid, "%s_PROVIDER is %q, but should be %s or %s.", c.Settings, c.Provider, OpenAI, Anthropic)
}

// newOpenAI makes the library's client. Every option is given, so that it
// takes none from the environment.
func newOpenAI(c Config, d *doer) (*openai.LLM, error) {
	return openai.New(openai.WithToken(token(c.Key)), openai.WithModel(c.Model), openai.WithEmbeddingModel(c.Model),
		openai.WithBaseURL(c.BaseURL), openai.WithOrganization(""), openai.WithHTTPClient(d))
}

// token is what the library takes for a key; it refuses an empty one, which
// the doer then leaves out of the request.
func token(key string) string {
	if key == "" {
		return "none"
	}
	return key
}

// Model is the model's name.
func (c *Chat) Model() string { return c.config.Model }

// Complete asks the model; see llm.Chat.
func (c *Chat) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	reader := c.protocol.reader(r)
	x := &exchange{fields: c.protocol.fields(r), read: reader.whole}
	if r.OnText != nil {
		x.event, x.ended = reader.event, reader.ended
	}
	err := x.run(ctx, c.config, func(ctx context.Context) error {
		_, err := c.library.GenerateContent(ctx, c.protocol.messages(r), options(r)...)
		return err
	})
	if err != nil {
		return llm.Response{}, err
	}
	answer := reader.answer()
	if answer.Model == "" {
		answer.Model = c.config.Model
	}
	return answer, nil
}

// options are the parts of a request that the library sends rightly.
func options(r llm.Request) []llms.CallOption {
	opts := []llms.CallOption{llms.WithTemperature(r.Temperature)}
	if len(r.Tools) > 0 {
		tools := make([]llms.Tool, len(r.Tools))
		for i, t := range r.Tools {
			tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
				Name: t.Name, Description: t.Description, Parameters: t.Parameters,
			}}
		}
		opts = append(opts, llms.WithTools(tools))
	}
	return opts
}
