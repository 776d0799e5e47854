package langchain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/clewhq/clew/internal/llm"
)

// openAI speaks OpenAI's chat completions.
type openAI struct {
	config Config
	forms  *forms
}

// request returns the request that the library writes, with the fields that it lacks.
func (p openAI) request(r llm.Request) (path string, body map[string]any, err error) {
	written, err := p.written(r)
	if err != nil {
		return "", nil, err
	}
	body = map[string]any{asWritten: written}
	if r.MaxTokens > 0 {
		body[p.maxTokens()] = r.MaxTokens
	}
	if r.OnText != nil || r.Stream {
		body["stream_options"] = object{"include_usage": true}
	}
	if r.ForceTool != "" {
		body["tool_choice"] = object{"type": "function", "function": object{"name": r.ForceTool}}
	}
	if r.Schema != nil {
		body["response_format"] = object{"type": "json_schema", "json_schema": object{
			"name": r.Schema.Name, "schema": r.Schema.Schema, "strict": r.Schema.Strict(),
		}}
	}
	return "/chat/completions", body, nil
}

// asWritten is the member of a body that stands for all members written by the library. They are not encoded again,
// because a conversation is long.
const asWritten = ""

// encoded returns a body as JSON. No other member may have the name of one that the library writes.
func encoded(body any) ([]byte, error) {
	members, _ := body.(map[string]any)
	written, ok := members[asWritten].([]byte)
	if !ok {
		return json.Marshal(body)
	}
	delete(members, asWritten)
	added, err := json.Marshal(members)
	if err != nil || len(members) == 0 {
		return written, err
	}
	return append(append(bytes.TrimSuffix(bytes.TrimSpace(written), []byte("}")), ','), added[1:]...), nil
}

// forms keeps what the library writes around the texts of conversations. Most requests differ in their texts alone, and to
// have the library write one costs as much as to send it.
type forms struct {
	mu   sync.Mutex
	kept map[string][][]byte
}

// encodedMembers is the space reserved for members added to a body.
const encodedMembers = 512

// maxForms is the maximum number of forms kept, and blank stands for a text in them.
const maxForms, blank = 64, "\x00text"

// written returns the body that the library sends for a request.
func (p openAI) written(r llm.Request) ([]byte, error) {
	form := p.form(r)
	if len(form) != len(r.Messages)+1 { // it has none, or the library joins messages for this model
		return p.byLibrary(r)
	}
	size := encodedMembers
	for i, m := range r.Messages {
		size += len(form[i]) + len(m.Text)*9/8 // most letters are encoded as themselves
	}
	body := append(make([]byte, 0, size), form[0]...)
	for i, m := range r.Messages {
		text, err := json.Marshal(m.Text)
		if err != nil {
			return nil, err
		}
		body = append(append(body, text...), form[i+1]...)
	}
	return body, nil
}

// form returns the form of a request, or nil if it has messages that are not only texts.
func (p openAI) form(r llm.Request) [][]byte {
	var key strings.Builder
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		if len(m.ToolCalls) > 0 || len(m.Images) > 0 || m.Role == llm.ToolRole {
			return nil
		}
		r.Messages[i].Text = blank
		key.WriteString("\x00" + string(m.Role))
	}
	for _, t := range r.Tools {
		fmt.Fprintf(&key, "\x00\x00%s\x00%s\x00%s", t.Name, t.Description, t.Parameters)
	}
	fmt.Fprintf(&key, "\x00\x00%g", r.Temperature)
	p.forms.mu.Lock()
	defer p.forms.mu.Unlock()
	form, ok := p.forms.kept[key.String()]
	if ok {
		return form
	}
	if written, err := p.byLibrary(r); err == nil { // if not, the request itself fails the same way
		quoted, _ := json.Marshal(blank) // a string
		form = bytes.Split(written, quoted)
		if p.forms.kept == nil || len(p.forms.kept) == maxForms {
			p.forms.kept = map[string][][]byte{}
		}
		p.forms.kept[key.String()] = form
	}
	return form
}

// byLibrary has the library write a request. Every option is set that it would
// otherwise read from the environment.
func (p openAI) byLibrary(r llm.Request) ([]byte, error) {
	var sent recorder
	library, err := openai.New(openai.WithToken("none"), openai.WithModel(p.config.Model), openai.WithBaseURL(p.config.BaseURL),
		openai.WithOrganization(""), openai.WithHTTPClient(&sent))
	if err != nil {
		return nil, err
	}
	tools := make([]llms.Tool, len(r.Tools))
	for i, t := range r.Tools {
		tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Parameters}}
	}
	messages := make([]llms.MessageContent, len(r.Messages))
	for i, m := range r.Messages {
		messages[i] = llms.MessageContent{Role: libraryRole[m.Role], Parts: parts(m)}
	}
	_, err = library.GenerateContent(context.Background(), messages, llms.WithTemperature(r.Temperature), llms.WithTools(tools))
	if sent.body == nil {
		return nil, cmp.Or(err, errRecorded)
	}
	return sent.body, nil
}

// A recorder keeps the body of a request instead of sending it.
type recorder struct{ body []byte }

var errRecorded = errors.New("langchain: the request is not sent")

func (d *recorder) Do(req *http.Request) (*http.Response, error) {
	var err error
	if d.body, err = io.ReadAll(req.Body); err != nil {
		return nil, err
	}
	return nil, errRecorded
}

var libraryRole = map[llm.Role]llms.ChatMessageType{
	llm.System:    llms.ChatMessageTypeSystem,
	llm.User:      llms.ChatMessageTypeHuman,
	llm.Assistant: llms.ChatMessageTypeAI,
	llm.ToolRole:  llms.ChatMessageTypeTool,
}

func parts(m llm.Message) []llms.ContentPart {
	if m.Role == llm.ToolRole {
		return []llms.ContentPart{llms.ToolCallResponse{ToolCallID: m.ToolCallID, Content: m.Text}}
	}
	var out []llms.ContentPart
	if m.Text != "" || len(m.ToolCalls) == 0 {
		out = append(out, llms.TextContent{Text: m.Text})
	}
	for _, i := range m.Images {
		out = append(out, llms.ImageURLPart("data:"+i.Media+";base64,"+base64.StdEncoding.EncodeToString(i.Data)))
	}
	for _, c := range m.ToolCalls {
		out = append(out, llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: c.Arguments}})
	}
	return out
}

// maxTokens names the field that bounds an answer: OpenAI's own models take
// only the new one, other servers know the old one.
func (p openAI) maxTokens() string {
	u, err := url.Parse(p.config.BaseURL)
	if err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com")) {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// A completion is a whole answer, or an event of a stream.
type completion struct {
	Model   string `json:"model"`
	Choices []struct {
		Message openAIMessage `json:"message"` // of a whole answer
		Delta   openAIMessage `json:"delta"`   // of an event
		Stop    string        `json:"finish_reason"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
}

// openAIMessage is a message, or a piece of one in a stream. Servers differ in the
// types of its content and of arguments.
type openAIMessage struct {
	Content  any `json:"content"`
	Refusal  any `json:"refusal"`
	Thoughts any `json:"reasoning_content"` // from servers that separate thoughts
	Reasons  any `json:"reasoning"`         // from other servers
	Calls    []struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments any    `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (openAI) whole(a *answer, body []byte) error {
	var c completion
	if err := decode(body, &c); err != nil {
		return err
	}
	if len(c.Choices) == 0 {
		return errNoAnswer
	}
	for i := range c.Choices[0].Message.Calls {
		c.Choices[0].Message.Calls[i].Index = i // servers number only those of a stream
	}
	a.add(c)
	return nil
}

func (openAI) event(a *answer, data []byte) (bool, error) {
	if string(data) == "[DONE]" {
		a.response.Stop = cmp.Or(a.response.Stop, llm.StopDone)
		return true, nil
	}
	var c completion
	if err := decode(data, &c); err != nil {
		return false, err
	}
	a.add(c)
	return a.enough(), nil
}

// add adds the first choice of a completion. Thoughts apart from the text are only
// counted.
func (a *answer) add(c completion) {
	a.response.Model = cmp.Or(c.Model, a.response.Model)
	if used := countOf(c.Usage); used != (openAIUsage{}) {
		a.response.Usage = llm.Usage{Input: used.Input, Cached: min(max(used.Details.Cached, used.Hits), used.Input), Output: used.Output}
	}
	if len(c.Choices) == 0 {
		return
	}
	a.response.Stop = cmp.Or(c.Choices[0].Stop, a.response.Stop)
	for _, m := range []openAIMessage{c.Choices[0].Message, c.Choices[0].Delta} {
		a.receive(contentText(m.Thoughts) + contentText(m.Reasons))
		a.write(contentText(m.Content))
		a.response.Refusal += contentText(m.Refusal)
		for _, call := range m.Calls {
			a.call(call.Index, call.ID, call.Function.Name, argumentsText(call.Function.Arguments))
		}
	}
}

// openAIUsage counts tokens. Servers name those that they had kept in two ways.
type openAIUsage struct {
	Input   int `json:"prompt_tokens"`
	Output  int `json:"completion_tokens"`
	Hits    int `json:"prompt_cache_hit_tokens"`
	Details struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// countOf reads a count if it has the usual form: an unreadable count must not cost the answer.
func countOf(count json.RawMessage) (used openAIUsage) {
	if json.Unmarshal(count, &used) != nil {
		used = openAIUsage{Input: used.Input, Output: used.Output}
	}
	return used
}

// contentText returns a content field's text: a string, or the parts of a list
// that are text.
func contentText(v any) string {
	text, _ := v.(string)
	list, _ := v.([]any)
	for _, e := range list {
		if part, _ := e.(map[string]any); part["type"] == "text" {
			more, _ := part["text"].(string)
			text += more
		}
	}
	return text
}

// argumentsText returns a call's arguments as JSON text: servers send a
// string, an object or null.
func argumentsText(v any) string {
	if text, ok := v.(string); ok || v == nil {
		return text
	}
	b, _ := json.Marshal(v) // it was decoded from JSON
	return string(b)
}
