package summarize

import (
	"context"
	"embed"
	"text/template"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// promptVersion changes with the words of a prompt: recorded answers are kept
// by version.
const promptVersion = "2"

var prompts = template.Must(template.New("").Funcs(llm.PromptFunctions()).ParseFS(promptFiles, "prompts/*.tmpl"))

// Maximum words of an account. Two collapsed ones fit into one group.
var (
	mapWords   = map[Length]int{Short: 50, Medium: 80, Long: 120}
	finalWords = map[Length]int{Short: 80, Medium: 200, Long: 500}
)

const collapseWords = 300

// ModelSummariser returns a summariser over a language model. A prompt for a
// part holds only the part's text, the focus and the length, so that a recorded
// answer serves every summary with the part.
func ModelSummariser(chat llm.Chat, fences llm.Fences) Summariser {
	return modelSummariser{chat, fences}
}

type modelSummariser struct {
	chat   llm.Chat
	fences llm.Fences
}

// instructions are the data of the system prompts.
type instructions struct {
	Focus string
	Words int
	Final bool
}

// Map ties all sentences to the part.
func (m modelSummariser) Map(ctx context.Context, r MapRequest, emit Emit) ([]Sentence, error) {
	q, err := m.request("map", instructions{Focus: r.Focus, Words: mapWords[r.Length]}, r)
	if err != nil {
		return nil, err
	}
	q.Salt, q.Owner = r.Salt, domain.CallOwner{Workspace: r.Workspace, Document: r.Part.Document}
	text, err := m.complete(ctx, q, emit)
	if err != nil {
		return nil, err
	}
	text, _ = cutMarks(text) // footnotes of the passage, not numbers of parts
	sentences := ParseMarked(text, nil)
	for i := range sentences {
		sentences[i].Parts = []int{r.Part.N}
	}
	return sentences, nil
}

// Reduce ties each sentence to the parts that its marks name.
func (m modelSummariser) Reduce(ctx context.Context, r ReduceRequest, emit Emit) ([]Sentence, error) {
	in := instructions{Focus: r.Focus, Words: collapseWords, Final: r.Final}
	if r.Final {
		in.Words = finalWords[r.Length]
	}
	q, err := m.request("reduce", in, r)
	if err != nil {
		return nil, err
	}
	q.Salt, q.Owner = r.Salt, domain.CallOwner{Workspace: r.Workspace, Run: r.Run}
	if r.Write != nil {
		// The numbers mean nothing to readers before the summary is finished.
		filter := llm.MarkFilter{Words: r.Write, Mark: func(string) {}}
		q.OnText = filter.Write
		defer filter.Close()
	}
	text, err := m.complete(ctx, q, emit)
	if err != nil {
		return nil, err
	}
	return ParseMarked(text, sentencesOf(r.Summaries)), nil
}

// request renders the prompts name and name_user.
func (m modelSummariser) request(name string, in instructions, data any) (llm.Request, error) {
	system, err := m.fences.Render(prompts, name+".tmpl", in)
	if err != nil {
		return llm.Request{}, err
	}
	user, err := m.fences.Render(prompts, name+"_user.tmpl", data)
	return llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}},
		Prompt:   name + "/" + promptVersion,
	}, err
}

// complete returns the text of one call.
func (m modelSummariser) complete(ctx context.Context, q llm.Request, emit Emit) (string, error) {
	answer, err := llm.Ask(ctx, m.chat, q, emit)
	if err != nil {
		return "", err
	}
	return llm.WithoutThoughts(answer.Text), nil
}
