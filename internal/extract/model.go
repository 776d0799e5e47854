package extract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Params configure a Model. Chat and Fitness are required.
type Params struct {
	Chat    llm.Chat
	Fitness *llm.Fitness // of Chat: it decides the mode
	Prompts Prompts      // DefaultPrompts() when the version is empty
	Fences  llm.Fences
}

// Model is the Extractor that asks a language model.
type Model struct {
	Params
	templates *template.Template
	reader    string // without a guide
}

var _ Extractor = (*Model)(nil)

// toolName names the tool, or the JSON schema, for the graph.
const toolName = "knowledge_graph"

// New returns a model extractor. An Invalid error names the prompt that is no
// valid template.
func New(p Params) (*Model, error) {
	if p.Prompts.Version == "" {
		p.Prompts = DefaultPrompts()
	}
	t, err := p.Prompts.parse()
	if err != nil {
		return nil, err
	}
	return &Model{p, t, p.reader()}, nil
}

// reader names the model and the version of the prompts, followed by a hash of
// the prompts unless they are the default.
func (p Params) reader() string {
	name := p.Chat.Model() + " extract/" + p.Prompts.Version
	if p.Prompts != DefaultPrompts() {
		name += " " + p.Prompts.hash()[:8]
	}
	return name
}

// Reader names the model, the version of the prompts, and the guide.
func (m *Model) Reader(g Guide) string { return g.name(m.reader) }

// Asks returns true.
func (m *Model) Asks() bool { return true }

// Extract asks the model, and once more when the answer can't be parsed. It
// returns the model's error, or an *llm.Error with the fault BadAnswer when
// neither answer can be parsed.
func (m *Model) Extract(ctx context.Context, r Request) (Result, error) {
	mode, err := m.mode(ctx, r.Guide)
	if err != nil {
		return Result{}, err
	}
	q, err := m.request(mode, r)
	if err != nil {
		return Result{}, err
	}
	counted := &counter{Chat: m.Chat}
	graph, notes, err := m.ask(ctx, counted, mode, &q)
	if err != nil {
		return Result{}, err
	}
	for range r.Guide.Gleaning {
		more, err := m.glean(ctx, counted, mode, &q)
		if err != nil {
			return Result{}, err
		}
		if len(more.nodes)+len(more.relations) == 0 {
			break
		}
		graph = graph.with(more)
	}
	result := r.Guide.Conform(build(graph, r.Chunk))
	result.Warnings, result.Cost = append(notes, result.Warnings...), counted.Cost
	return result, nil
}

// counter adds up what calls cost.
type counter struct {
	llm.Chat
	Cost
}

// Complete sends the request.
func (c *counter) Complete(ctx context.Context, q llm.Request) (llm.Response, error) {
	answer, err := c.Chat.Complete(ctx, q)
	if err == nil && !answer.Recorded {
		c.Calls++
		c.Tokens.Input += answer.Usage.Input
		c.Tokens.Output += answer.Usage.Output
	}
	return answer, err
}

// mode returns the mode that the guide asks for, or else the best one that works.
func (m *Model) mode(ctx context.Context, g Guide) (llm.Mode, error) {
	if g.Mode != "" && g.Mode != llm.ModeAuto {
		return g.Mode, nil
	}
	return m.Fitness.Mode(ctx)
}

// request returns the request for one chunk.
func (m *Model) request(mode llm.Mode, r Request) (llm.Request, error) {
	system := structuredName
	if mode == llm.ModePrompt {
		system = plainName
	}
	s := r.Guide.Schema
	instructions, err := m.render(system, struct {
		Labels, Types, Triples, Properties, Meanings []string
		Strict                                       bool
		Instructions, Tool                           string
		Examples                                     []Example
	}{s.labels(), s.types(), s.triples(), s.properties(), s.meanings(), s.Strict, r.Guide.Instructions, toolOf(mode), r.Guide.examples()})
	if err != nil {
		return llm.Request{}, err
	}
	passage, err := m.render(chunkName, struct {
		Title    string
		Headings []string
		Before   string
		Text     string
	}{r.Title, r.Chunk.Headings, r.Before, r.Chunk.Text})
	if err != nil {
		return llm.Request{}, err
	}
	schema, err := graphSchema(s, r.Guide.Descriptions.or(defaultDescriptions()))
	if err != nil {
		return llm.Request{}, fmt.Errorf("write the extraction schema: %w", err)
	}
	q := llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: instructions}, {Role: llm.User, Text: passage}},
		Prompt:   "extract-" + string(mode) + "/" + m.Prompts.Version,
		Owner:    domain.CallOwner{Workspace: r.Document.Workspace, Document: r.Chunk.Document},
	}
	llm.Form{Name: toolName, Description: "Takes the entities and relations that the passage states.", Schema: schema}.Apply(&q, mode)
	return q, nil
}

// toolOf returns the tool's name as the templates take it: "" in other modes.
func toolOf(mode llm.Mode) string {
	if mode == llm.ModeTool {
		return toolName
	}
	return ""
}

// examples returns the guide's examples, or else the built-in ones that fit its
// schema: others would teach the model to break it.
func (g Guide) examples() []Example {
	if len(g.Examples) > 0 {
		return g.Examples
	}
	return slices.DeleteFunc(defaultExamples(), func(e Example) bool { return !g.Schema.fits(e) })
}

// ask sends a request, and once more with the problem if the answer can't be
// parsed. It adds the answer to the request, which can then be asked further.
func (m *Model) ask(ctx context.Context, chat llm.Chat, mode llm.Mode, q *llm.Request) (mined, []string, error) {
	answer, err := chat.Complete(ctx, *q)
	if err != nil {
		return mined{}, nil, err
	}
	graph, notes, problem := readAnswer(answer)
	if problem == nil {
		q.Messages = withAnswer(q.Messages, answer)
		return graph, notes, nil
	}
	if *q, err = m.repair(mode, *q, answer, problem); err != nil {
		return mined{}, nil, err
	}
	if answer, err = chat.Complete(ctx, *q); err != nil {
		return mined{}, nil, err
	}
	if graph, notes, problem = readAnswer(answer); problem != nil {
		return mined{}, nil, &llm.Error{
			Fault:   llm.BadAnswer,
			Message: fmt.Sprintf("The model %s answered twice in a form that can't be read: %v.", m.Chat.Model(), problem),
			Err:     problem,
		}
	}
	q.Messages = withAnswer(q.Messages, answer)
	return graph, notes, nil
}

// glean asks what earlier answers missed. An answer that can't be parsed adds
// nothing: the earlier ones stand.
func (m *Model) glean(ctx context.Context, chat llm.Chat, mode llm.Mode, q *llm.Request) (mined, error) {
	text, err := m.render(gleanName, struct{ Tool string }{toolOf(mode)})
	if err != nil {
		return mined{}, err
	}
	q.Messages = append(slices.Clip(q.Messages), llm.Message{Role: llm.User, Text: text})
	answer, err := chat.Complete(ctx, *q)
	if err != nil {
		return mined{}, err
	}
	more, _, problem := readAnswer(answer)
	if problem != nil {
		return mined{}, nil
	}
	q.Messages = withAnswer(q.Messages, answer)
	return more, nil
}

// repair returns the request extended by the answer and the problem with it.
func (m *Model) repair(mode llm.Mode, q llm.Request, answer llm.Response, problem error) (llm.Request, error) {
	text, err := m.render(repairName, struct{ Problem, Tool string }{problem.Error(), toolOf(mode)})
	q.Messages = append(withAnswer(q.Messages, answer), llm.Message{Role: llm.User, Text: text})
	return q, err
}

// withAnswer returns messages with an answer as text.
func withAnswer(messages []llm.Message, answer llm.Response) []llm.Message {
	content := []string{answer.Text}
	for _, c := range answer.ToolCalls {
		content = append(content, c.Name+" "+c.Arguments)
	}
	return append(slices.Clip(messages), llm.Message{Role: llm.Assistant, Text: cmp.Or(strings.Join(content, "\n"), "(nothing)")})
}

// readAnswer parses the graph in the tool calls, or else in the text, which
// some models use in place of the tool. The error goes into the repair prompt.
func readAnswer(answer llm.Response) (mined, []string, error) {
	var graph mined
	read, whole, problem := false, true, error(nil)
	for _, c := range answer.ToolCalls {
		if c.Name != toolName {
			problem = fmt.Errorf("there is no tool %s", c.Name)
			continue
		}
		g, complete, err := mine(c.Arguments)
		if err != nil {
			problem = err
			continue
		}
		graph = graph.with(g)
		read, whole = true, whole && complete
	}
	if !read {
		g, complete, err := mine(answer.Text)
		if err != nil {
			return mined{}, nil, cmp.Or(problem, err)
		}
		graph, whole = g, complete
	}
	if !whole || answer.Stop == "length" {
		return graph, []string{"The model's answer was cut off; what it had listed before was kept."}, nil
	}
	return graph, nil, nil
}
