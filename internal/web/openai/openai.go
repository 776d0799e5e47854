// Package openai answers questions through the protocol of OpenAI's chat completions, so that chat
// programs and libraries made for it can be used with a library.
package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
)

// Root is where the protocol's addresses begin.
const Root = "/v1"

// model is the name of the model that searches in every way; others have the method behind a slash.
const model = "clew"

// remembered is how many earlier exchanges of a conversation are read.
const remembered = 4

// A Service answers questions of chat programs.
type Service struct {
	Asker questions.Asker
	Now   domain.Clock
}

// Models serves the list of models: one for each way to search.
func (s *Service) Models(c echo.Context) error {
	if err := auth.Allow(c.Request().Context(), operation.Read); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"object": "list", "data": lists.Map(s.models(), listedAs)})
}

// Model serves one of these models. Clients may escape the slash in its name.
func (s *Service) Model(c echo.Context) error {
	if err := auth.Allow(c.Request().Context(), operation.Read); err != nil {
		return err
	}
	name, err := url.PathUnescape(c.Param("*"))
	if err != nil || !slices.Contains(s.models(), name) {
		return &unknownModel{name}
	}
	return c.JSON(http.StatusOK, listedAs(name))
}

// listed is a model as clients of OpenAI list it.
type listed struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func listedAs(name string) listed { return listed{ID: name, Object: "model", OwnedBy: "clew"} }

func (s *Service) models() []string {
	names := []string{model}
	for _, m := range domain.Methods() {
		if m != domain.MethodDefault && (!m.ByVectors() || s.Asker.Vectors) {
			names = append(names, model+"/"+string(m))
		}
	}
	return names
}

// asked is a request for a completion. What else clients send is for models, and not read.
type asked struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Metadata struct {
		Conversation string   `json:"clew_conversation"`
		Within       []string `json:"clew_within"`
	} `json:"metadata"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is text, or a list of parts, of which only texts are used.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (t *content) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err == nil {
		*t = content(text)
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return domain.Errorf(domain.Invalid, "The content of a message is neither text nor a list of parts.")
	}
	var texts []string
	for _, p := range parts {
		if p.Type != "text" && p.Type != "input_text" {
			return domain.Errorf(domain.Unsupported, "Clew reads text in questions, and no parts of type %q. Add files to the library as documents.", p.Type)
		}
		texts = append(texts, p.Text)
	}
	*t = content(strings.Join(texts, "\n"))
	return nil
}

// unread describes why the body of a request could not be read, without the names of Go types.
func unread(err error) string {
	if at := (*json.UnmarshalTypeError)(nil); errors.As(err, &at) {
		return fmt.Sprintf("%s can't be of the type %s", cmp.Or(at.Field, "it"), at.Value)
	}
	return err.Error()
}

// Complete answers the last message of a conversation.
func (s *Service) Complete(c echo.Context) error {
	if err := auth.Allow(c.Request().Context(), operation.Ask); err != nil {
		return err
	}
	var in asked
	if err := json.NewDecoder(c.Request().Body).Decode(&in); err != nil {
		if _, ok := domain.MessageOf(err); ok {
			return err
		}
		if respond.ProblemOf(err).Status != http.StatusInternalServerError {
			return err
		}
		return respond.BadRequest("The body is not a request for a chat completion: %s.", unread(err))
	}
	if !slices.Contains(s.models(), in.Model) {
		return &unknownModel{in.Model}
	}
	question, history, err := in.conversation()
	if err != nil {
		return err
	}
	if task, ok := chore(question); ok {
		return s.told(c, in, completion{text: task, model: in.Model})
	}
	method := strings.TrimPrefix(strings.TrimPrefix(in.Model, model), "/")
	m, err := s.Asker.Ask(c.Request().Context(), questions.Asking{
		Question: question, Method: method, Conversation: domain.ConversationID(in.Metadata.Conversation), Within: in.Metadata.Within,
		Temporary: in.Metadata.Conversation == "", // the program keeps it
	}, history)
	if err != nil {
		return err
	}
	if in.Stream {
		return s.stream(c, in, m)
	}
	reply, err := s.Asker.Await(c.Request().Context(), m.Run, operation.MaxWait.Duration())
	if err != nil {
		return err
	}
	if err := notAnswered(reply); err != nil {
		return err
	}
	return s.told(c, in, answered(reply, request.Site(c), in.Model))
}

// notAnswered returns the reason why a reply is not an answer.
func notAnswered(r questions.Reply) error {
	if r.Status == ledger.MessageDone {
		return nil
	}
	return domain.Errorf(domain.Unavailable, "The question was not answered: %s", cmp.Or(r.Problem, "it waits for a person, or was stopped."))
}

// conversation returns the question, which is the last message of the user, and what was said before it.
func (in asked) conversation() (string, []answer.Exchange, error) {
	last := len(in.Messages) - 1
	for last >= 0 && in.Messages[last].Role != "user" {
		last--
	}
	if last < 0 {
		return "", nil, domain.Errorf(domain.Invalid, "There is no message of the role user: it is the question.")
	}
	var history []answer.Exchange
	for i := 0; i < last; i++ {
		if in.Messages[i].Role == "user" && in.Messages[i+1].Role == "assistant" {
			history = append(history, answer.Exchange{Question: string(in.Messages[i].Content), Answer: withoutSources(string(in.Messages[i+1].Content))})
		}
	}
	return string(in.Messages[last].Content), history[max(0, len(history)-remembered):], nil
}

// sourcesHead begins the list of sources below an answer.
const sourcesHead = "\n\n**Sources**\n"

// withoutSources returns an answer as it was before its sources were listed below it.
func withoutSources(text string) string {
	before, _, _ := strings.Cut(text, sourcesHead)
	return before
}

// completion is an answer with its sources.
type completion struct {
	text        string // with marks, and a list of sources
	model       string
	annotations []annotation
	cited       []questions.Cited // the source for each annotation
	reply       *questions.Reply  // nil for a chore
}

// annotation is a source as clients of OpenAI show it. Its place is that of the mark in the text, in code points.
type annotation struct {
	Type     string `json:"type"`
	Citation struct {
		URL   string `json:"url"`
		Title string `json:"title"`
		Start int    `json:"start_index"`
		End   int    `json:"end_index"`
	} `json:"url_citation"`
}

// answered returns the completion of a reply. Clients drop fields that they don't know, so the text lists the sources
// too.
func answered(r questions.Reply, site, model string) completion {
	done := completion{text: r.Answer + sources(r, site), model: model, reply: &r, annotations: []annotation{}}
	for _, cited := range r.Citations {
		mark := fmt.Sprintf("[%d]", cited.N)
		at := strings.Index(done.text, mark)
		if at < 0 {
			continue
		}
		a := annotation{Type: "url_citation"}
		a.Citation.URL, a.Citation.Title = site+cited.Address, cited.Where()+": “"+domain.Cut(domain.OneLine(cited.Text), 200)+"”"
		a.Citation.Start = domain.Runes(done.text[:at])
		a.Citation.End = a.Citation.Start + domain.Runes(mark)
		done.annotations, done.cited = append(done.annotations, a), append(done.cited, cited)
	}
	return done
}

// sources lists the sources of a reply, in Markdown.
func sources(r questions.Reply, site string) string {
	if len(r.Citations) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(sourcesHead)
	for _, cited := range r.Citations {
		fmt.Fprintf(&b, "\n[%d] [%s](%s)", cited.N, linkText.Replace(cited.Where()), site+cited.Address)
	}
	return b.String()
}

// linkText escapes what would end the text of a link in Markdown.
var linkText = strings.NewReplacer("[", `\[`, "]", `\]`)

// usage is the usage as clients count it. Input and output of the library's models are not distinguished.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func (d completion) usage() usage {
	if d.reply == nil {
		return usage{}
	}
	return usage{Completion: d.reply.Tokens, Total: d.reply.Tokens}
}

// extra holds the fields beyond the protocol.
func (d completion) extra() map[string]any {
	if d.reply == nil {
		return nil
	}
	return map[string]any{"run": d.reply.Run, "conversation": d.reply.Conversation, "answered": d.reply.Answered, "citations": d.reply.Citations, "pictures": d.reply.Pictures}
}

func (d completion) id() string {
	if d.reply == nil {
		return "chatcmpl-task"
	}
	return "chatcmpl-" + d.reply.Run
}

// told answers with a completion, at once or as a stream of one piece.
func (s *Service) told(c echo.Context, in asked, d completion) error {
	if in.Stream {
		out, err := newStream(c, d.id(), d.model, s.Now().Unix())
		if err != nil {
			return nil // the client is gone
		}
		defer out.sse.Close()
		return out.finish(d, d.text, in.Options.Usage)
	}
	return c.JSON(http.StatusOK, map[string]any{
		"id": d.id(), "object": "chat.completion", "created": s.Now().Unix(), "model": d.model, "usage": d.usage(), "clew": d.extra(),
		"choices": []any{map[string]any{
			"index": 0, "finish_reason": "stop", "logprobs": nil,
			"message": map[string]any{"role": "assistant", "content": d.text, "refusal": nil, "annotations": d.annotations},
		}},
	})
}

// unknownModel is the error of a model that there is not.
type unknownModel struct{ name string }

func (e *unknownModel) Error() string {
	return fmt.Sprintf("There is no model %q here. %s/models lists them.", e.name, Root)
}

// Fail answers with an error in the form of OpenAI.
func Fail(c echo.Context, err error) error {
	told := respond.Refusal(c, err)
	kind, code := "invalid_request_error", any(nil)
	if unknown, ok := err.(*unknownModel); ok { //nolint:errorlint // made in this package and wrapped nowhere
		told, code = respond.Problem{Status: http.StatusNotFound, Message: unknown.Error()}, "model_not_found"
	}
	switch told.Status {
	case http.StatusUnauthorized:
		code = "invalid_api_key"
	case http.StatusForbidden:
		kind = "permission_error"
	case http.StatusPaymentRequired:
		kind, code = "insufficient_quota", "insufficient_quota"
	case http.StatusTooManyRequests:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		kind = "server_error"
	}
	return c.JSON(told.Status, map[string]any{"error": map[string]any{"message": told.Message, "type": kind, "param": nil, "code": code}})
}
