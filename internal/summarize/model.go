package summarize

import (
	"cmp"
	"context"
	"errors"
	"text/template"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// ModelParams say who summarises in which words.
type ModelParams struct {
	Chat    llm.Chat
	Prompts *Prompts // the program's own when nil
}

// ModelSummariser is a summariser over a language model. What a model says of a
// part is asked for with the part's text, the focus, the length and the
// prompt's version alone, so that a recorded answer serves every summary that
// has the part in it.
func ModelSummariser(p ModelParams) (Summariser, error) {
	if p.Chat == nil {
		return nil, errors.New("summarize: the summariser has no model")
	}
	if p.Prompts == nil {
		own := DefaultPrompts()
		p.Prompts = &own
	}
	parsed, err := p.Prompts.parse()
	return modelSummariser{p.Chat, parsed, p.Prompts.Version}, err
}

type modelSummariser struct {
	chat    llm.Chat
	prompts templates
	version string
}

var _ Summariser = modelSummariser{}

// How many words an account has at most, by length. Two accounts of the middle
// size fit into one group.
var (
	mapWords   = map[Length]int{Short: 50, Medium: 80, Long: 120}
	finalWords = map[Length]int{Short: 80, Medium: 200, Long: 500}
)

const collapseWords = 300

// wanted is what the system messages are filled in with.
type wanted struct {
	Focus string
	Words int
	Final bool
}

// Map asks for a summary of one part. All its sentences are the part's.
func (m modelSummariser) Map(ctx context.Context, r MapRequest, emit Emit) ([]Line, error) {
	q, err := m.request("map", m.prompts.mapSystem, wanted{Focus: r.Focus, Words: mapWords[r.Length]}, m.prompts.mapUser, r)
	if err != nil {
		return nil, err
	}
	q.Salt, q.Owner = r.Salt, domain.CallOwner{Workspace: r.Workspace, Document: r.Part.Document}
	said, err := m.complete(ctx, q, emit)
	if err != nil {
		return nil, err
	}
	plain, _ := unmarked(thought.ReplaceAllString(said, "")) // a passage's own footnotes, and not numbers of parts
	lines := ReadMarked(plain, nil)
	for i := range lines {
		lines[i].Parts = []int{r.Part.N}
	}
	return lines, nil
}

// Reduce asks for one account of several summaries.
func (m modelSummariser) Reduce(ctx context.Context, r ReduceRequest, emit Emit) ([]Line, error) {
	want := wanted{Focus: r.Focus, Words: collapseWords, Final: r.Final}
	if r.Final {
		want.Words = finalWords[r.Length]
	}
	q, err := m.request("reduce", m.prompts.reduceSystem, want, m.prompts.reduceUser, r)
	if err != nil {
		return nil, err
	}
	q.Salt, q.Owner = r.Salt, domain.CallOwner{Workspace: r.Workspace, Run: r.Run}
	if r.Write != nil {
		show := &shown{write: r.Write}
		q.OnText = show.take
		defer show.flush()
	}
	said, err := m.complete(ctx, q, emit)
	if err != nil {
		return nil, err
	}
	return ReadMarked(said, linesOf(r.Summaries)), nil
}

func (m modelSummariser) request(name string, system *template.Template, want wanted, user *template.Template, data any) (llm.Request, error) {
	first, err := render(system, want)
	if err != nil {
		return llm.Request{}, err
	}
	second, err := render(user, data)
	if err != nil {
		return llm.Request{}, err
	}
	return llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: first}, {Role: llm.User, Text: second}},
		Prompt:   name + "/" + m.version,
	}, nil
}

// complete makes one call and reports what it took.
func (m modelSummariser) complete(ctx context.Context, q llm.Request, emit Emit) (string, error) {
	answer, err := m.chat.Complete(ctx, q)
	if err != nil {
		return "", err
	}
	emit(domain.EventUsage, domain.Usage{
		Model: cmp.Or(answer.Model, m.chat.Model()), Input: answer.Usage.Input, Output: answer.Usage.Output, Recorded: answer.Recorded,
	})
	return answer.Text, nil
}
