package extract

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Params are what a model extractor works with. Chat and Fitness are required.
type Params struct {
	Chat      llm.Chat
	Fitness   *llm.Fitness // how the model is asked: llm.NewFitness(chat, mode)
	Prompts   Prompts      // DefaultPrompts() when the version is empty
	Schema    Schema
	MaxTokens int // of an answer; 0 leaves it to the server
}

// Model mines chunks with a language model.
type Model struct {
	Params
	templates templates
	schema    json.RawMessage
	reader    string
}

var _ Extractor = (*Model)(nil)

// toolName is the tool, or the JSON schema, by which a model gives its graph.
const toolName = "knowledge_graph"

// New makes a model extractor. An error is of kind Invalid and names the
// prompt that is wrong.
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
	reader, err := readerOf(p)
	return &Model{Params: p, templates: t, schema: schema, reader: reader}, err
}

// readerOf names the model and the version of the prompts, and by a hash what
// else changes the result.
func readerOf(p Params) (string, error) {
	name := p.Chat.Model() + " extract/" + p.Prompts.Version
	own, err := json.Marshal([]any{p.Schema, p.Prompts})
	if err != nil {
		return "", fmt.Errorf("name the extractor: %w", err)
	}
	plain, err := json.Marshal([]any{Schema{}, DefaultPrompts()})
	if err != nil {
		return "", fmt.Errorf("name the extractor: %w", err)
	}
	if string(own) != string(plain) {
		name += " " + domain.Hash(own)[:8]
	}
	return name, nil
}

// Reader is the model's name with the version of the prompts.
func (m *Model) Reader() string { return m.reader }

// Extract asks the model, once more when its answer can't be read. Errors are
// the model's, or an *llm.Error with fault BadAnswer when both answers could
// not be read.
func (m *Model) Extract(ctx context.Context, r Request) (domain.GraphDocument, []string, error) {
	mode, err := m.Fitness.Mode(ctx)
	if err != nil {
		return domain.GraphDocument{}, nil, err
	}
	question, err := m.question(mode, r)
	if err != nil {
		return domain.GraphDocument{}, nil, err
	}
	graph, notes, err := m.ask(ctx, mode, question)
	if err != nil {
		return domain.GraphDocument{}, nil, err
	}
	kept, dropped := m.Schema.enforce(graph)
	g, warnings := build(kept, r.Chunk)
	return g, append(append(notes, dropped...), warnings...), nil
}

// question is the request for one chunk.
func (m *Model) question(mode llm.Mode, r Request) (llm.Request, error) {
	system, tool := m.templates.structured, ""
	switch mode {
	case llm.ModePrompt:
		system = m.templates.plain
	case llm.ModeTool:
		tool = toolName
	}
	instructions, err := render(system, struct {
		Labels, Types, Triples, Properties []string
		Instructions, Tool                 string
		Examples                           []Example
	}{m.Schema.labels(), m.Schema.types(), m.Schema.triples(), m.Schema.properties(), m.Prompts.Instructions, tool, m.examples()})
	if err != nil {
		return llm.Request{}, err
	}
	passage, err := render(m.templates.chunk, struct {
		Title    string
		Headings []string
		Before   string
		Text     string
	}{r.Title, r.Chunk.Headings, r.Before, r.Chunk.Text})
	q := llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Text: instructions}, {Role: llm.User, Text: passage}},
		MaxTokens: m.MaxTokens,
		Prompt:    "extract-" + string(mode) + "/" + m.Prompts.Version,
		Owner:     llm.Owner{Workspace: string(r.Document.Workspace), Document: string(r.Chunk.Document)},
	}
	llm.Form{Name: toolName, Description: "Takes the entities and relations that the passage states.", Schema: m.schema}.Shape(&q, mode)
	return q, err
}

// examples are those that keep to the schema: others would teach the model to
// break it.
func (m *Model) examples() []Example {
	var out []Example
	for _, e := range m.Prompts.Examples {
		if m.Schema.fits(e) {
			out = append(out, e)
		}
	}
	return out
}

// ask gets a graph that can be read, by a second question if need be.
func (m *Model) ask(ctx context.Context, mode llm.Mode, q llm.Request) (mined, []string, error) {
	answer, err := m.Chat.Complete(ctx, q)
	if err != nil {
		return mined{}, nil, err
	}
	graph, notes, problem := readAnswer(answer)
	if problem == nil {
		return graph, notes, nil
	}
	if q, err = m.again(mode, q, answer, problem); err != nil {
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

// again is the question with the useless answer and what is wrong with it.
func (m *Model) again(mode llm.Mode, q llm.Request, answer llm.Response, problem error) (llm.Request, error) {
	tool := ""
	if mode == llm.ModeTool {
		tool = toolName
	}
	text, err := render(m.templates.repair, struct {
		Problem string
		Tool    string
	}{problem.Error(), tool})
	var said strings.Builder
	said.WriteString(answer.Text)
	for _, c := range answer.ToolCalls {
		said.WriteString("\n" + c.Name + " " + c.Arguments)
	}
	q.Messages = append(slices.Clip(q.Messages),
		llm.Message{Role: llm.Assistant, Text: orElse(said.String(), "(nothing)")}, llm.Message{Role: llm.User, Text: text})
	return q, err
}

// readAnswer reads the graph out of the tool calls, else out of the text:
// models asked for the one give the other at times. The error says what is
// wrong in words that the model is told.
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
			return mined{}, nil, orError(problem, err)
		}
		graph, whole = g, complete
	}
	if !whole || answer.Stop == "length" {
		return graph, []string{"The model's answer was cut off; what it had listed before was kept."}, nil
	}
	return graph, nil, nil
}

func orError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
