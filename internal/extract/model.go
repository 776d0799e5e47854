package extract

import (
	"cmp"
	"context"
	"encoding/json"
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
	Schema  Schema
	Fences  llm.Fences
}

// Model is the Extractor that asks a language model.
type Model struct {
	Params
	templates *template.Template
	schema    json.RawMessage
	reader    string
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
	schema, err := graphSchema(p.Schema, p.Prompts.Fields)
	if err != nil {
		return nil, fmt.Errorf("write the extraction schema: %w", err)
	}
	reader, err := readerName(p)
	return &Model{Params: p, templates: t, schema: schema, reader: reader}, err
}

// readerName names the model and the version of the prompts, followed by a
// hash of the schema and the prompts unless they are the default.
func readerName(p Params) (string, error) {
	name := p.Chat.Model() + " extract/" + p.Prompts.Version
	given, err := json.Marshal([]any{p.Schema, p.Prompts})
	if err != nil {
		return "", fmt.Errorf("name the extractor: %w", err)
	}
	defaults, err := json.Marshal([]any{Schema{}, DefaultPrompts()})
	if err != nil {
		return "", fmt.Errorf("name the extractor: %w", err)
	}
	if string(given) != string(defaults) {
		name += " " + domain.Hash(given)[:8]
	}
	return name, nil
}

// Reader names the model and the version of the prompts.
func (m *Model) Reader() string { return m.reader }

// Extract asks the model, and once more when the answer can't be parsed. It
// returns the model's error, or an *llm.Error with the fault BadAnswer when
// neither answer can be parsed.
func (m *Model) Extract(ctx context.Context, r Request) (domain.GraphDocument, []string, error) {
	mode, err := m.Fitness.Mode(ctx)
	if err != nil {
		return domain.GraphDocument{}, nil, err
	}
	q, err := m.request(mode, r)
	if err != nil {
		return domain.GraphDocument{}, nil, err
	}
	graph, notes, err := m.ask(ctx, mode, q)
	if err != nil {
		return domain.GraphDocument{}, nil, err
	}
	kept, dropped := m.Schema.enforce(graph)
	g, warnings := build(kept, r.Chunk)
	return g, append(append(notes, dropped...), warnings...), nil
}

// request returns the request for one chunk.
func (m *Model) request(mode llm.Mode, r Request) (llm.Request, error) {
	system := structuredName
	if mode == llm.ModePrompt {
		system = plainName
	}
	instructions, err := m.render(system, struct {
		Labels, Types, Triples, Properties []string
		Instructions, Tool                 string
		Examples                           []Example
	}{m.Schema.labels(), m.Schema.types(), m.Schema.triples(), m.Schema.properties(), m.Prompts.Instructions, toolOf(mode), m.examples()})
	if err != nil {
		return llm.Request{}, err
	}
	passage, err := m.render(chunkName, struct {
		Title    string
		Headings []string
		Before   string
		Text     string
	}{r.Title, r.Chunk.Headings, r.Before, r.Chunk.Text})
	q := llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: instructions}, {Role: llm.User, Text: passage}},
		Prompt:   "extract-" + string(mode) + "/" + m.Prompts.Version,
		Owner:    domain.CallOwner{Workspace: r.Document.Workspace, Document: r.Chunk.Document},
	}
	llm.Form{Name: toolName, Description: "Takes the entities and relations that the passage states.", Schema: m.schema}.Apply(&q, mode)
	return q, err
}

// toolOf returns the tool's name as the templates take it: "" in other modes.
func toolOf(mode llm.Mode) string {
	if mode == llm.ModeTool {
		return toolName
	}
	return ""
}

// examples returns the examples that fit the schema: others would teach the
// model to break it.
func (m *Model) examples() []Example {
	return slices.DeleteFunc(slices.Clone(m.Prompts.Examples), func(e Example) bool { return !m.Schema.fits(e) })
}

// ask sends a request, and once more with the problem if the answer can't be
// parsed.
func (m *Model) ask(ctx context.Context, mode llm.Mode, q llm.Request) (mined, []string, error) {
	answer, err := m.Chat.Complete(ctx, q)
	if err != nil {
		return mined{}, nil, err
	}
	graph, notes, problem := readAnswer(answer)
	if problem == nil {
		return graph, notes, nil
	}
	if q, err = m.repair(mode, q, answer, problem); err != nil {
		return mined{}, nil, err
	}
	if answer, err = m.Chat.Complete(ctx, q); err != nil {
		return mined{}, nil, err
	}
	if graph, notes, problem = readAnswer(answer); problem != nil {
		return mined{}, nil, &llm.Error{
			Fault:   llm.BadAnswer,
			Message: fmt.Sprintf("The model %s answered twice in a form that can't be read: %v.", m.Chat.Model(), problem),
			Err:     problem,
		}
	}
	return graph, notes, nil
}

// repair returns the request extended by the answer and the problem with it.
func (m *Model) repair(mode llm.Mode, q llm.Request, answer llm.Response, problem error) (llm.Request, error) {
	text, err := m.render(repairName, struct{ Problem, Tool string }{problem.Error(), toolOf(mode)})
	content := []string{answer.Text}
	for _, c := range answer.ToolCalls {
		content = append(content, c.Name+" "+c.Arguments)
	}
	q.Messages = append(slices.Clip(q.Messages),
		llm.Message{Role: llm.Assistant, Text: cmp.Or(strings.Join(content, "\n"), "(nothing)")}, llm.Message{Role: llm.User, Text: text})
	return q, err
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
		graph = mined{append(graph.nodes, g.nodes...), append(graph.relations, g.relations...), append(graph.problems, g.problems...)}
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
