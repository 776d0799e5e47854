package extract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

// Params configure a Model. All but Names are required.
type Params struct {
	Chat    llm.Chat
	Fitness *llm.Fitness // of Chat; decides the mode
	Prompts *prompts.Book
	Names   Names
}

// Names finds the names in a chunk by rule. A model lists what it considers important, and a walk can't pass through a
// name that it left out; so names found by rule are kept beside the model's graph, unless a strict schema defines which
// things are wanted.
type Names struct {
	Find   func(title string, c domain.Chunk) domain.GraphDocument // may be nil
	Reader string                                                  // name and version of the rules
}

// Model is the Extractor that asks a language model.
type Model struct{ Params }

var _ Extractor = (*Model)(nil)

// toolName names the tool, or the JSON schema, for the graph.
const toolName = "knowledge_graph"

// New returns a model extractor.
func New(p Params) *Model { return &Model{p} }

// Reader names the model, the version of the prompt, and the guide.
func (m *Model) Reader(g Guide) string {
	version := Prompt().Version
	if text, err := m.Prompts.Parse(PromptRole, g.Prompt); err == nil {
		version = text.Version
	}
	name := m.Chat.Model() + " extract/" + version
	if m.Names.Find != nil {
		name += " names/2 " + m.Names.Reader
	}
	return g.name(name)
}

// Asks returns true.
func (m *Model) Asks() bool { return true }

// Extract asks the model, and once more when the answer can't be parsed. It
// returns the model's error, or an *llm.Error with the fault BadAnswer when
// neither answer can be parsed, or the one about several chunks was cut off.
func (m *Model) Extract(ctx context.Context, r Request) (found []Result, err error) {
	text, err := m.Prompts.Parse(PromptRole, r.Guide.Prompt)
	if err == nil {
		text, err = text.In(r.Document.Workspace)
	}
	if err != nil {
		return nil, err
	}
	counted := &counter{Chat: m.Chat}
	ask := func(mode llm.Mode) error {
		found, err = asking{counted, text, mode, m.Names}.extract(ctx, r)
		return err
	}
	if r.Guide.Mode != "" && r.Guide.Mode != llm.ModeAuto {
		err = ask(r.Guide.Mode)
	} else {
		err = m.Fitness.Ask(ctx, nil, ask)
	}
	if err != nil {
		found = make([]Result, 1)
	}
	found[0].Cost = counted.Cost
	return found, err
}

// asking is an extraction in one mode.
type asking struct {
	chat *counter
	text *prompts.Text
	mode llm.Mode
	more Names
}

func (m asking) extract(ctx context.Context, r Request) ([]Result, error) {
	q, err := m.request(r)
	if err != nil {
		return nil, err
	}
	graph, notes, err := m.ask(ctx, &q)
	if err != nil {
		return nil, err
	}
	if len(notes) > 0 && len(r.Chunks) > 1 {
		return nil, m.bad("The model %s gave an answer about %d passages that was cut off.", len(r.Chunks))
	}
	for range r.Guide.Gleaning {
		more, err := m.glean(ctx, &q)
		if err != nil {
			return nil, err
		}
		if len(more.nodes)+len(more.relations) == 0 {
			break
		}
		graph = graph.with(more)
	}
	found := make([]Mined, len(r.Chunks))
	texts := passagesOf(r.Chunks)
	for i, part := range graph.divide(texts) {
		found[i] = build(part, texts[i], r.Chunks[i].Span.Start)
	}
	results := make([]Result, len(r.Chunks))
	for i, mined := range withoutNamed(found) {
		if m.more.Find != nil && !r.Guide.Schema.Strict {
			found := m.more.Find(r.Title, r.Chunks[i])
			mined.Graph = WithNames(mined.Graph, slices.Concat(found.Nodes, found.Names))
		}
		results[i] = r.Guide.Conform(mined)
	}
	results[0].Warnings = append(notes, results[0].Warnings...)
	return results, nil
}

// bad returns the error of an answer that can't be used. Its message starts with the
// model's name.
func (m asking) bad(message string, args ...any) *llm.Error {
	return &llm.Error{Fault: llm.BadAnswer, Message: fmt.Sprintf(message, append([]any{m.chat.Chat.Model()}, args...)...)}
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
		c.Cost.Model = c.Chat.Model()
		c.Tokens.Input += answer.Usage.Input
		c.Tokens.Cached += answer.Usage.Cached
		c.Tokens.Output += answer.Usage.Output
	}
	return answer, err
}

// request returns the request for a window.
func (m asking) request(r Request) (llm.Request, error) {
	system := structuredPart
	if m.mode == llm.ModePrompt {
		system = plainPart
	}
	s := r.Guide.Schema
	messages, err := llm.Messages(m.text, system, instructionData{
		Labels: s.labels(), Types: s.types(), Triples: s.triples(), Properties: s.properties(), Meanings: s.meanings(), Strict: s.Strict,
		Instructions: r.Guide.Instructions, Examples: r.Guide.examples(), Tool: m.tool(),
	}, userPart, passageData{
		Title: prompts.Fence("title", r.Title), Headings: r.headings(), Before: prompts.Fence("before", r.Before), Text: r.text(),
	})
	if err != nil {
		return llm.Request{}, err
	}
	schema, err := graphSchema(s, r.Guide.Descriptions.or(defaultDescriptions()), len(r.Chunks) > 1)
	if err != nil {
		return llm.Request{}, fmt.Errorf("write the extraction schema: %w", err)
	}
	q := llm.Request{
		Stream:   true,
		Messages: messages,
		Prompt:   "extract-" + string(m.mode) + "/" + m.text.Version,
		Owner:    domain.CallOwner{Workspace: r.Document.Workspace, Document: cmp.Or(r.Document.VersionOf, r.Chunks[0].Document)},
	}
	llm.Form{Name: toolName, Description: "Takes the entities and relations that the passage states.", Schema: schema}.Apply(&q, m.mode)
	return q, nil
}

// tool returns the tool's name as the templates take it: "" in other modes.
func (m asking) tool() string {
	if m.mode == llm.ModeTool {
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
func (m asking) ask(ctx context.Context, q *llm.Request) (mined, []string, error) {
	answer, err := m.chat.Complete(ctx, *q)
	if err != nil {
		return mined{}, nil, err
	}
	if err := m.unusable(answer); err != nil {
		return mined{}, nil, err
	}
	graph, notes, problem := readAnswer(answer)
	if problem == nil {
		q.Messages = withAnswer(q.Messages, answer)
		return graph, notes, nil
	}
	if *q, err = m.repair(*q, answer, problem); err != nil {
		return mined{}, nil, err
	}
	if answer, err = m.chat.Complete(ctx, *q); err != nil {
		return mined{}, nil, err
	}
	if graph, notes, problem = readAnswer(answer); problem != nil {
		if cut := answer.Cut(); cut != "" {
			problem = errors.New(strings.ToLower(cut[:1]) + strings.TrimSuffix(cut[1:], "."))
		}
		bad := m.bad("The model %s answered twice in a form that can't be read: %v.", problem)
		bad.Err = problem
		return mined{}, nil, bad
	}
	q.Messages = withAnswer(q.Messages, answer)
	return graph, notes, nil
}

// unusable returns an error if the model refused, or was filtered.
func (m asking) unusable(answer llm.Response) error {
	if !answer.Refused() {
		return nil
	}
	return m.bad("The model %s read nothing: %s", strings.ToLower(answer.Cut()[:1])+answer.Cut()[1:])
}

// glean asks for what earlier answers missed. An answer that can't be parsed adds nothing to the earlier ones.
func (m asking) glean(ctx context.Context, q *llm.Request) (mined, error) {
	text, err := m.text.Render(gleanPart, gleanData{m.tool()})
	if err != nil {
		return mined{}, err
	}
	q.Messages = append(slices.Clip(q.Messages), llm.Message{Role: llm.User, Text: text})
	answer, err := m.chat.Complete(ctx, *q)
	if err != nil {
		return mined{}, err
	}
	more, _, problem := readAnswer(answer)
	if problem == nil {
		q.Messages = withAnswer(q.Messages, answer)
	}
	return more, nil
}

// repair returns the request extended by the answer and the problem with it.
func (m asking) repair(q llm.Request, answer llm.Response, problem error) (llm.Request, error) {
	text, err := m.text.Render(repairPart, repairData{prompts.Fence("problem", problem.Error()), m.tool()})
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
	if !read && problem == nil && strings.TrimSpace(answer.Text) == "" {
		return mined{}, nil, errEmpty
	}
	if !read {
		g, complete, err := mine(answer.Text)
		if err != nil {
			return mined{}, nil, cmp.Or(problem, err)
		}
		graph, whole = g, complete
	}
	switch {
	case answer.Stop == llm.StopRepeated, answer.Stop == llm.StopFiltered:
		return graph, []string{answer.Cut() + " What was whole before was kept."}, nil
	case !whole || answer.Stop == llm.StopLength:
		return graph, []string{"The model's answer was cut off. The items listed before that were kept."}, nil
	}
	return graph, nil, nil
}
